// SPDX-License-Identifier: Apache-2.0
// Function 0 in one life, from a reset to the next, as a driver knows it: its admin queue, its queues, its
// memory. What it hands to the card is right, but for single fields that are twisted now and then.
#pragma once

#include "fuzz/world.h"

#include <map>
#include <span>
#include <vector>

namespace vg810::fuzz {

class subject {
  public:
    /// `twist_percent`: of commands, descriptors, doorbells and so on.
    subject(world& w, dice& d, tally& t, unsigned twist_percent)
        : w(w), d(d), t(t), twist_percent_(twist_percent) {}

    /// A queue that the card has said to have made.
    struct queue {
        std::uint64_t base = 0;
        unsigned log2 = 0;
        std::uint32_t page = 0;
        std::uint32_t index = 0; ///< ours, free-running: next to read (EQ, CQ) or to write (TX, RX)
        std::uint32_t freed = 0; ///< TX, RX: given back by the card
        bool stopped = false;    ///< the card has reported an error
        std::uint32_t entries() const { return 1u << log2; }
        std::uint32_t slot(std::uint32_t i) const { return i & (entries() - 1); }
    };
    using queues = std::map<std::uint32_t, queue>;
    queues eqs, cqs, txqs, rxqs;

    /// A field of a structure in memory. `address`: it is a bus address.
    struct field {
        std::size_t offset;
        unsigned bits;
        bool address = false;
    };

    /// Now and then.
    bool twisted();
    std::uint64_t maybe(std::uint64_t valid, unsigned bits) {
        return twisted() ? d.twist(valid, bits) : valid;
    }
    /// Makes one field wrong, always.
    void twist(std::span<std::byte> structure, std::span<const field> fields);
    /// Absent, at the edge of what is present, misaligned, or across a page.
    std::uint64_t bad_address(std::uint64_t valid);

    /// Zeroed and 4 KiB aligned / anything, anywhere.
    std::uint64_t ring_memory(std::uint64_t octets);
    std::uint64_t buffer(std::uint64_t octets);
    void store(std::uint64_t address, std::span<const std::byte> data) {
        w.root.memory().write(address, data);
    }

    /// Negotiates and turns the admin queue on; false if the card does not accept it (something was twisted).
    bool enable();
    bool enabled() const { return enabled_; }
    std::uint64_t features() const { return features_; }

    using command = std::array<std::byte, regs::admin_command_view::bytes>;
    bool room_for_command() const { return pending_.size() + 1 < (1u << asq_log2_); }
    void submit(const command& c);
    /// Reads what the card has written, frees it and arms.
    void reap_admin();
    void reap_events(std::uint32_t eq);
    void reap_completions(std::uint32_t cq);
    /// One of them, if there is any.
    queues::value_type* any(queues& q);

    /// Where the submission ring lies, and its slots.
    std::uint64_t submission_slot(std::uint32_t index) const {
        return asq_ + (index & ((1u << asq_log2_) - 1)) * regs::admin_command_view::bytes;
    }
    /// As the doorbells have them.
    std::uint32_t submission_index() const { return asq_tail_ & ((1u << asq_log2_) - 1); }
    std::uint32_t completion_index() const { return acq_head_ & ((1u << acq_log2_) - 1); }

    /// A reset was asked for: nothing of this is true any more.
    bool dead = false;

    world& w;
    dice& d;
    tally& t;

  private:
    void executed(const command& c, std::uint64_t param);
    void stopped(regs::event_const_view e);
    void freed(regs::completion_const_view c);
    template <class View>
    bool fetch(std::uint64_t address, std::array<std::byte, View::bytes>& raw, std::uint32_t index,
               unsigned log2);

    unsigned twist_percent_;
    std::uint64_t ring_next_ = memory::rings;
    bool enabled_ = false;
    std::uint64_t features_ = 0;
    std::uint64_t asq_ = 0, acq_ = 0;
    unsigned asq_log2_ = 4, acq_log2_ = 4;
    std::uint32_t asq_tail_ = 0, acq_head_ = 0; ///< free-running
    std::uint16_t next_id_ = 0;
    std::map<std::uint16_t, command> pending_; ///< by command id
};

} // namespace vg810::fuzz
