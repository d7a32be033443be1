// SPDX-License-Identifier: Apache-2.0
// The pending events of one domain, in the order (time, source, the source's own sequence number). A calendar
// of near buckets (R. Brown, "Calendar Queues", CACM 1988), each an unsorted list until its turn comes, then
// sorted once; what is farther ahead than the calendar reaches waits in a heap. Left out: shrinking.
#pragma once

#include "core/huge_pages.h"
#include "core/units.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vg810 {

struct pending_event {
    using action = void (*)(void* self, std::uint64_t argument);

    picoseconds at;
    picoseconds quiet_until; ///< no touch of the host before this
    std::uint64_t sequence;  ///< of the source
    std::uint64_t source;
    action run;
    void* self;
    std::uint64_t argument;
};

/// Which pending event is meant. A default one means none; one whose event has run or was cancelled, too.
struct event_handle {
    std::uint32_t slot = 0xffffffff;
    std::uint64_t source = 0;
    std::uint64_t sequence = 0;
};

class event_calendar {
  public:
    event_calendar();
    event_calendar(const event_calendar&) = delete;
    event_calendar& operator=(const event_calendar&) = delete;

    bool empty() const { return live_ == 0; }
    std::size_t size() const { return live_; }

    /// Allocates only when more events are pending than ever before.
    event_handle insert(const pending_event& e);
    /// Takes the pending_event out; false when it is not pending any more.
    bool erase(const event_handle& h);
    /// Takes the first event out, when it is before `end`. Throws std::logic_error when two events of one
    /// source have the same number: two components have the same name, so nothing says which is first.
    bool take_before(picoseconds end, pending_event& out);
    /// Time has moved to `t` (no event is earlier): what is inserted next is likely near it.
    void catch_up(picoseconds t);

    /// Of the first event; `never` when there is none.
    picoseconds earliest() const;
    /// The least `quiet_until`; `never` when there is none. Looks at every slot.
    picoseconds earliest_touch() const;

  private:
    using slot_index = std::uint32_t;
    static constexpr slot_index none = 0xffffffff;

    // One cache line. Free slots have no `run`, a quiet_until of `never`, and are chained by `next`.
    struct alignas(64) slot {
        pending_event e;
        slot_index next;  // of the free ones
        bool in_calendar; // in a bucket: not ready, late or far
    };
    // Enough to order nearly all pairs without a look at their slots.
    struct key {
        std::int64_t at;
        std::uint32_t source_high;
        slot_index at_slot;
    };
    // Of a bucket with more than one event, the others, in no order: short chains, for each step along one is
    // a wait for memory.
    struct alignas(64) chunk {
        static constexpr std::uint32_t room = 14;
        std::uint32_t count;
        std::uint32_t next;
        slot_index slots[room];
    };
    struct bucket {
        slot_index first = none; // `none`: empty
        std::uint32_t more = none;
    };
    static_assert(sizeof(slot) == 64 && sizeof(key) == 16 && sizeof(chunk) == 64);

    // Smallest first, four children a node: one cache line a level.
    class key_heap {
      public:
        bool empty() const { return keys_.empty(); }
        const key& top() const { return keys_.front(); }
        void push(const event_calendar& q, key k);
        void pop(const event_calendar& q);

      private:
        std::vector<key> keys_;
    };

    // Which buckets hold something: a bit each, and a bit for each word of those.
    class bucket_set {
      public:
        explicit bucket_set(std::size_t buckets)
            : words_((buckets + 63) / 64), summary_((words_.size() + 63) / 64) {}
        void add(std::size_t i) {
            words_[i / 64] |= std::uint64_t{1} << i % 64;
            summary_[i / 4096] |= std::uint64_t{1} << i / 64 % 64;
        }
        void remove(std::size_t i) {
            if ((words_[i / 64] &= ~(std::uint64_t{1} << i % 64)) == 0)
                summary_[i / 4096] &= ~(std::uint64_t{1} << i / 64 % 64);
        }
        /// The first at or behind `i`, going round once. Precondition: not empty.
        std::size_t next(std::size_t i) const;

      private:
        std::size_t from(std::size_t i) const; // no going round; the number of bits when there is none
        std::vector<std::uint64_t> words_, summary_;
    };

    bool less(const key& a, const key& b) const {
        if (a.at != b.at)
            return a.at < b.at;
        if (a.source_high != b.source_high)
            return a.source_high < b.source_high;
        return tie_less(a.at_slot, b.at_slot);
    }
    bool tie_less(slot_index a, slot_index b) const;
    key key_of(slot_index s) const {
        const pending_event& e = slots_[s].e;
        return {e.at.count(), static_cast<std::uint32_t>(e.source >> 32), s};
    }

    std::int64_t bucket_of(std::int64_t at) const { return at >> shift_; }
    std::size_t index_of(std::int64_t bucket) const {
        return static_cast<std::size_t>(bucket) & (buckets_.size() - 1);
    }
    std::int64_t next_bucket() const; // of the calendar. Precondition: in_calendar_ > 0
    void link(slot_index s);
    template <class Visit> void each(const bucket& b, Visit&& visit) const;
    void clear(std::size_t index);
    void unlink(slot_index s);
    bool load_bucket(picoseconds end);
    void sort_ready();
    void look_ahead();
    void prepare(slot_index s) const {
        const pending_event& e = slots_[s].e;
        __builtin_prefetch(e.self, 1);
        __builtin_prefetch(static_cast<const char*>(e.self) + 64, 1);
        __builtin_prefetch(reinterpret_cast<const void*>(e.argument), 1);
    }
    bool ready() const { return !ready_.empty() || !late_.empty(); }
    bool take_late() const { return ready_.empty() || (!late_.empty() && less(late_.top(), ready_.back())); }
    slot_index grow();
    void refine();
    void release(slot_index s);
    void drop_dead();

    std::vector<slot, page_allocator<slot>> slots_;
    slot_index free_ = none;
    std::size_t live_ = 0;
    std::size_t dead_ = 0; // erased, but still among the keys below

    // Buckets up to and with `current_` are in ready_ and late_, those behind it in the calendar as far as it
    // reaches, the rest in far_.
    unsigned shift_;
    std::int64_t current_ = -1;
    std::vector<bucket, page_allocator<bucket>> buckets_;
    std::vector<chunk, page_allocator<chunk>> chunks_; // as many as half the slots can need
    std::uint32_t free_chunk_ = none;
    bucket_set filled_;
    std::size_t in_calendar_ = 0;
    std::int64_t seen_ = 0, seen_well_ = 0; // how far look_ahead() has got
    std::vector<key> ready_;                // the current bucket, last first
    key_heap late_;                         // came when their bucket was current or past
    key_heap far_;
};

inline void event_calendar::link(slot_index s) {
    const std::size_t i = index_of(bucket_of(slots_[s].e.at.count()));
    slots_[s].in_calendar = true;
    ++in_calendar_;
    bucket& b = buckets_[i];
    if (b.first == none) {
        b.first = s;
        filled_.add(i);
        return;
    }
    if (b.more == none || chunks_[b.more].count == chunk::room) {
        const std::uint32_t fresh = free_chunk_;
        free_chunk_ = chunks_[fresh].next;
        chunks_[fresh].count = 0;
        chunks_[fresh].next = b.more;
        b.more = fresh;
    }
    chunk& c = chunks_[b.more];
    c.slots[c.count++] = s;
}

template <class Visit> void event_calendar::each(const bucket& b, Visit&& visit) const {
    if (b.first != none)
        visit(b.first);
    for (std::uint32_t c = b.more; c != none; c = chunks_[c].next)
        for (std::uint32_t i = 0; i < chunks_[c].count; ++i)
            visit(chunks_[c].slots[i]);
}

inline event_handle event_calendar::insert(const pending_event& e) {
    if (free_ == none) [[unlikely]]
        free_ = grow();
    const slot_index s = free_;
    slot& in = slots_[s];
    free_ = in.next;
    in.e = e;
    ++live_;
    const std::int64_t ahead = bucket_of(e.at.count()) - current_;
    if (ahead > 0 && ahead < static_cast<std::int64_t>(buckets_.size())) [[likely]] {
        link(s);
    } else {
        in.in_calendar = false;
        (ahead > 0 ? far_ : late_).push(*this, key_of(s));
    }
    return {s, e.source, e.sequence};
}

inline void event_calendar::release(slot_index s) {
    slot& out = slots_[s];
    out.e.run = nullptr;
    out.e.quiet_until = never;
    out.in_calendar = false;
    out.next = free_;
    free_ = s;
}

inline bool event_calendar::take_before(picoseconds end, pending_event& out) {
    while (!ready())
        if (!load_bucket(end))
            return false;
    const bool late = take_late();
    const key k = late ? late_.top() : ready_.back();
    if (k.at >= end.count())
        return false;
    if (late)
        late_.pop(*this);
    else
        ready_.pop_back();
    if (constexpr std::size_t soon = 6; ready_.size() > soon)
        prepare(ready_[ready_.size() - 1 - soon].at_slot);
    out = slots_[k.at_slot].e;
    release(k.at_slot);
    --live_;
    if (dead_ > 0) [[unlikely]]
        drop_dead();
    return true;
}

} // namespace vg810
