// SPDX-License-Identifier: Apache-2.0
// Traffic that must arrive: an embedded driver whose frames come back from the cable's far end, in order,
// each octet and each completion as it should be.
#pragma once

#include "core/address.h"
#include "fuzz/dice.h"
#include "fuzz/tally.h"
#include "model/native/driver.h"

#include <deque>
#include <string>
#include <vector>

namespace vg810::fuzz {

class clean_traffic {
  public:
    /// Uses the driver's memory_needed(configuration()) from `base` on. Throws violation, out of the events
    /// of the driver, for whatever is not as it should be.
    clean_traffic(scheduler& clock, const std::string& name, native_platform& platform, std::uint64_t base,
                  mac_address own);
    static native_driver_config configuration();

    void start();
    /// The card was reset: nothing is expected any more, until start().
    void stop();
    bool ready() const { return running_ && driver_.link_up(); }
    void interrupt(std::uint16_t vector) { driver_.interrupt(vector); }

    /// Unless many are under way already.
    void send(dice& d);
    std::size_t expected() const { return expected_.size(); }
    std::uint64_t verified() const { return verified_; }

  private:
    struct expectation {
        std::vector<std::byte> octets;
        bool checksummed;
    };
    static constexpr std::size_t window = 16;

    [[noreturn]] void complain(const std::string& what) const;
    expectation make(dice& d);
    void received(std::span<const std::byte> octets, regs::completion_const_view c);
    void sent(regs::completion_const_view c);

    std::string name_;
    mac_address own_;
    native_driver driver_;
    bool running_ = false;
    std::deque<expectation> expected_;
    std::uint64_t number_ = 0;
    std::uint64_t verified_ = 0;
};

} // namespace vg810::fuzz
