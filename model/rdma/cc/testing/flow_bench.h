// SPDX-License-Identifier: Apache-2.0
// One flow under a built-in algorithm, told of events in a word each.
#pragma once

#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/flow_control.h"

#include <cstdint>
#include <vector>

namespace vg810::cc::testing {

constexpr std::uint64_t us(double n) {
    return static_cast<std::uint64_t>(n * 1e6);
}

class flow_bench {
  public:
    explicit flow_bench(const vg810_cc_algorithm& table, std::vector<parameter_value> values = {},
                        flow_facts facts = {25_gbps, 8_us, 1024, 3})
        : made(table, values), under(made, facts, 0_ps) {}

    double gbps() const { return static_cast<double>(under.rate()) / 1e9; }
    void cnp(std::uint64_t now) { tell(now, VG810_CC_CNP, 0); }
    void sent(std::uint64_t now, std::uint64_t bytes) { tell(now, VG810_CC_SENT, bytes); }
    void nak(std::uint64_t now) { tell(now, VG810_CC_NAK, 0); }
    void timeout(std::uint64_t now) { tell(now, VG810_CC_TIMEOUT, 0); }
    /// More is on its way unless `last`.
    void ack(std::uint64_t now, std::uint64_t bytes, std::uint64_t rtt, std::uint64_t remote = 0,
             bool last = false) {
        vg810_cc_event e = at(now, VG810_CC_ACK, bytes);
        e.rtt = rtt;
        e.remote_delay = remote;
        e.acknowledged = acknowledged += bytes;
        e.sent = acknowledged + (last ? 0 : 100'000);
        under.tell(e);
    }
    void run_until(std::uint64_t now) { under.run_timers(picoseconds(static_cast<std::int64_t>(now))); }
    /// Runs the next timer at its own time, and returns it; 0 without one.
    std::uint64_t run_next() {
        const picoseconds due = under.next_deadline();
        if (due == never)
            return 0;
        under.run_timers(due);
        return static_cast<std::uint64_t>(due.count());
    }
    static vg810_cc_event at(std::uint64_t now, vg810_cc_kind kind, std::uint64_t bytes) {
        vg810_cc_event e{};
        e.kind = kind;
        e.now = now;
        e.bytes = bytes;
        return e;
    }

    algorithm made;
    flow under;
    std::uint64_t acknowledged = 0;

  private:
    void tell(std::uint64_t now, vg810_cc_kind kind, std::uint64_t bytes) {
        under.tell(at(now, kind, bytes));
    }
};

} // namespace vg810::cc::testing
