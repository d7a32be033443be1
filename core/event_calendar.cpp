// SPDX-License-Identifier: Apache-2.0
#include "core/event_calendar.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace vg810 {

namespace {
// The calendar reaches 16.8 us whatever its fineness: frames are 40 ns .. 10 us ahead, timers 50 us and more.
// It starts with few buckets, for domains with few events, and doubles their number with the events pending.
constexpr unsigned reach_bits = 24;
constexpr unsigned first_shift = 14;
constexpr unsigned finest_shift = 8;
constexpr std::size_t few = 16;      // sorted by insertion
constexpr std::size_t many = 16'384; // buckets: more events than the caches hold
} // namespace

event_calendar::event_calendar()
    : shift_(first_shift), buckets_(std::size_t{1} << (reach_bits - first_shift)), filled_(buckets_.size()) {}

std::size_t event_calendar::bucket_set::from(std::size_t i) const {
    std::size_t w = i / 64;
    if (const std::uint64_t here = words_[w] >> i % 64)
        return i + static_cast<std::size_t>(std::countr_zero(here));
    ++w;
    for (std::size_t s = w / 64; s < summary_.size(); ++s) {
        const std::uint64_t mask = s == w / 64 ? ~std::uint64_t{0} << w % 64 : ~std::uint64_t{0};
        if (const std::uint64_t filled = summary_[s] & mask) {
            w = s * 64 + static_cast<std::size_t>(std::countr_zero(filled));
            return w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
        }
    }
    return words_.size() * 64;
}

std::size_t event_calendar::bucket_set::next(std::size_t i) const {
    const std::size_t found = from(i);
    return found < words_.size() * 64 ? found : from(0);
}

void event_calendar::key_heap::push(const event_calendar& q, key k) {
    std::size_t i = keys_.size();
    keys_.push_back(k);
    for (; i > 0 && q.less(k, keys_[(i - 1) / 4]); i = (i - 1) / 4)
        keys_[i] = keys_[(i - 1) / 4];
    keys_[i] = k;
}

void event_calendar::key_heap::pop(const event_calendar& q) {
    const key last = keys_.back();
    keys_.pop_back();
    const std::size_t n = keys_.size();
    if (n == 0)
        return;
    std::size_t i = 0;
    for (;;) {
        const std::size_t first = i * 4 + 1;
        if (first >= n)
            break;
        std::size_t least = first;
        for (std::size_t c = first + 1; c < std::min(first + 4, n); ++c)
            if (q.less(keys_[c], keys_[least]))
                least = c;
        if (!q.less(keys_[least], last))
            break;
        keys_[i] = keys_[least];
        i = least;
    }
    keys_[i] = last;
}

bool event_calendar::tie_less(slot_index a, slot_index b) const {
    const pending_event &x = slots_[a].e, &y = slots_[b].e;
    if (x.source != y.source)
        return x.source < y.source;
    if (x.sequence == y.sequence && a != b && x.run && y.run)
        throw std::logic_error(
            "two event sources have the same name; nothing says which of their events at " +
            std::to_string(x.at.count()) + " ps is first");
    return x.sequence < y.sequence;
}

event_calendar::slot_index event_calendar::grow() {
    const std::size_t old = slots_.size(), added = std::max<std::size_t>(old, 64);
    if (old + added >= none)
        throw std::length_error("more events are pending than can be numbered");
    slots_.resize(old + added);
    for (std::size_t i = old; i < old + added; ++i) {
        slots_[i].e = {.at = {},
                       .quiet_until = never,
                       .sequence = 0,
                       .source = 0,
                       .run = nullptr,
                       .self = nullptr,
                       .argument = 0};
        slots_[i].next = i + 1 < old + added ? static_cast<slot_index>(i + 1) : none;
        slots_[i].in_calendar = false;
    }
    const std::size_t chunks = chunks_.size();
    chunks_.resize(slots_.size() / 2 + 1);
    for (std::size_t i = chunks; i < chunks_.size(); ++i) {
        chunks_[i].next = free_chunk_;
        free_chunk_ = static_cast<std::uint32_t>(i);
    }
    // Twice the slots, so half the events a bucket: keeps lists short.
    while (buckets_.size() < slots_.size() && shift_ > finest_shift)
        refine();
    return static_cast<slot_index>(old);
}

// Halves the buckets' width. What was in the current bucket stays ready: it is before all others.
void event_calendar::refine() {
    std::vector<slot_index> all;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        each(buckets_[i], [&all](slot_index s) { all.push_back(s); });
        clear(i);
    }
    --shift_;
    current_ = current_ * 2 + 1;
    seen_ = seen_well_ = 0;
    buckets_.assign(buckets_.size() * 2, bucket{});
    filled_ = bucket_set(buckets_.size());
    in_calendar_ = 0;
    for (slot_index s : all)
        link(s);
}

void event_calendar::clear(std::size_t index) {
    bucket& b = buckets_[index];
    while (b.more != none) {
        const std::uint32_t c = std::exchange(b.more, chunks_[b.more].next);
        chunks_[c].next = std::exchange(free_chunk_, c);
    }
    b.first = none;
    filled_.remove(index);
}

// Another one of the bucket takes its place.
void event_calendar::unlink(slot_index s) {
    const std::size_t i = index_of(bucket_of(slots_[s].e.at.count()));
    bucket& b = buckets_[i];
    --in_calendar_;
    if (b.more == none)
        return clear(i);
    chunk& newest = chunks_[b.more];
    const slot_index other = newest.slots[--newest.count];
    if (b.first == s)
        b.first = other;
    else
        for (std::uint32_t c = b.more; other != s && c != none; c = chunks_[c].next)
            std::replace(chunks_[c].slots, chunks_[c].slots + chunks_[c].count, s, other);
    if (newest.count == 0) {
        const std::uint32_t c = std::exchange(b.more, newest.next);
        chunks_[c].next = std::exchange(free_chunk_, c);
    }
}

bool event_calendar::erase(const event_handle& h) {
    if (h.slot >= slots_.size())
        return false;
    pending_event& e = slots_[h.slot].e;
    if (!e.run || e.source != h.source || e.sequence != h.sequence)
        return false;
    --live_;
    if (slots_[h.slot].in_calendar) {
        unlink(h.slot);
        release(h.slot);
        return true;
    }
    // Its key stays where it is until its time comes, but nobody sees it.
    e.run = nullptr;
    e.quiet_until = never;
    ++dead_;
    drop_dead();
    return true;
}

// Keeps dead events from being the first of anything, so that earliest() is exact.
void event_calendar::drop_dead() {
    const auto is_dead = [this](const key& k) { return !slots_[k.at_slot].e.run; };
    for (; dead_ > 0 && !ready_.empty() && is_dead(ready_.back()); --dead_) {
        release(ready_.back().at_slot);
        ready_.pop_back();
    }
    for (key_heap* h : {&late_, &far_})
        for (; dead_ > 0 && !h->empty() && is_dead(h->top()); --dead_) {
            release(h->top().at_slot);
            h->pop(*this);
        }
}

std::int64_t event_calendar::next_bucket() const {
    const std::size_t begin = index_of(current_ + 1), found = filled_.next(begin);
    return current_ + 1 + static_cast<std::int64_t>((found - begin) & (buckets_.size() - 1));
}

void event_calendar::sort_ready() {
    const auto later = [this](const key& a, const key& b) { return less(b, a); };
    if (ready_.size() > few) {
        std::sort(ready_.begin(), ready_.end(), later);
        return;
    }
    for (std::size_t i = 1; i < ready_.size(); ++i) {
        const key k = ready_[i];
        std::size_t j = i;
        for (; j > 0 && later(k, ready_[j - 1]); --j)
            ready_[j] = ready_[j - 1];
        ready_[j] = k;
    }
}

// Brings what the next buckets need into the cache: first their slots, then whom the events are for and what
// they carry (a frame, often). With tens of thousands of events pending all of these have been evicted.
void event_calendar::look_ahead() {
    constexpr std::int64_t far = 16, near = 8;
    for (std::int64_t b = std::max(seen_, current_) + 1; b <= current_ + far; ++b)
        each(buckets_[index_of(b)], [this](slot_index s) { __builtin_prefetch(&slots_[s], 1); });
    seen_ = current_ + far;
    for (std::int64_t b = std::max(seen_well_, current_) + 1; b <= current_ + near; ++b)
        each(buckets_[index_of(b)], [this](slot_index s) { prepare(s); });
    seen_well_ = current_ + near;
}

// Makes the next bucket that holds something the current one, unless it begins at `end` or later.
bool event_calendar::load_bucket(picoseconds end) {
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    if (in_calendar_ > 0)
        next = next_bucket();
    if (!far_.empty())
        next = std::min(next, bucket_of(far_.top().at));
    if (next > bucket_of(end.count()) || (in_calendar_ == 0 && far_.empty()))
        return false;
    current_ = next;
    if (buckets_.size() >= many)
        look_ahead();
    if (const std::size_t i = index_of(next); buckets_[i].first != none) {
        each(buckets_[i], [this](slot_index s) {
            ready_.push_back(key_of(s));
            slots_[s].in_calendar = false;
        });
        in_calendar_ -= ready_.size();
        clear(i);
        sort_ready();
    }
    for (; !far_.empty() && bucket_of(far_.top().at) <= next; far_.pop(*this))
        late_.push(*this, far_.top());
    drop_dead();
    return true;
}

void event_calendar::catch_up(picoseconds t) {
    current_ = std::max(current_, bucket_of(t.count()) - 1);
}

picoseconds event_calendar::earliest() const {
    if (ready())
        return picoseconds(take_late() ? late_.top().at : ready_.back().at);
    picoseconds first = far_.empty() ? never : picoseconds(far_.top().at);
    if (in_calendar_ > 0)
        each(buckets_[index_of(next_bucket())],
             [&](slot_index s) { first = std::min(first, slots_[s].e.at); });
    return first;
}

picoseconds event_calendar::earliest_touch() const {
    picoseconds touch = never;
    for (const slot& s : slots_)
        touch = std::min(touch, s.e.quiet_until);
    return touch;
}

} // namespace vg810
