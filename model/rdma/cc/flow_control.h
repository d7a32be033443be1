// SPDX-License-Identifier: Apache-2.0
// The host's side of vg810_cc.h: an algorithm with its parameters' values, and the state of one flow under
// it. The transport tells a flow what happened and reads rate, window and the next deadline. Whatever an
// algorithm answers, what comes out is usable: values that make no sense are clamped, counted and reported
// once a kind. Not covered: an algorithm that never returns or writes through a wild pointer takes the
// process with it.
#pragma once

#include "core/units.h"
#include "model/rdma/cc/vg810_cc.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::cc {

/// A parameter's value as a scenario gives it, in the unit of the algorithm's table.
struct parameter_value {
    std::string_view key;
    double value;
};

/// What an algorithm can do wrong.
enum class misdeed : std::uint8_t {
    rate_too_low,   ///< below VG810_CC_LEAST_RATE, 0 included
    rate_too_high,  ///< above the line's (what a NaN or a negative number turns into is here or above)
    window_too_low, ///< less than one packet
    timer_too_short,
    timer_too_long,
    timer_unknown, ///< a bit for a timer that does not exist
    state_overrun, ///< wrote behind its state
    threw,         ///< let a C++ exception out
};
inline constexpr std::size_t misdeed_kinds = 8;
/// For reports and column names: "rate_too_low" ...
std::string_view name_of(misdeed m);

class flow;

/// An algorithm, ready for flows. Outlives them. Not thread-safe: one for each domain.
class algorithm {
  public:
    using reporter = std::function<void(const std::string&)>;

    /// `table` must outlive it. `values` may name each parameter of the table once at most; the others keep
    /// their preset. `origin` is how the user named it ("dcqcn", "./my_cc.so"). Throws std::invalid_argument
    /// that names the origin and what is wrong: a table that breaks vg810_cc.h, a parameter unknown, twice or
    /// out of range.
    algorithm(const vg810_cc_algorithm& table, std::span<const parameter_value> values = {},
              std::string origin = {});
    /// The same, and keeps a shared object loaded (find_algorithm()).
    algorithm(std::shared_ptr<const vg810_cc_algorithm> table, std::span<const parameter_value> values = {},
              std::string origin = {})
        : algorithm(*table, values, std::move(origin)) {
        holder_ = std::move(table);
    }
    algorithm(const algorithm&) = delete;
    algorithm& operator=(const algorithm&) = delete;

    std::string_view name() const { return table_.name; }
    const std::string& origin() const { return origin_; }
    const vg810_cc_algorithm& table() const { return table_; }
    bool wants(vg810_cc_kind k) const { return (table_.events >> k & 1) != 0; }
    bool wants_telemetry() const { return table_.telemetry != 0; }
    /// In the order of the table.
    std::span<const double> values() const { return values_; }

    /// Called once for each kind of misdeed with a sentence that names algorithm, value and time. Default:
    /// none.
    void report_to(reporter r) { reporter_ = std::move(r); }
    /// How often each misdeed happened so far, over all flows.
    std::uint64_t count(misdeed m) const { return counts_[static_cast<std::size_t>(m)]; }
    /// Sum over all kinds.
    std::uint64_t misdeeds() const;

  private:
    friend class flow;
    std::byte* take_state();
    void give_back_state(std::byte* state);
    void note(misdeed m, std::uint64_t value, std::uint64_t used, std::uint64_t now);

    std::shared_ptr<const vg810_cc_algorithm> holder_;
    const vg810_cc_algorithm& table_;
    std::string origin_;
    std::vector<double> values_;
    reporter reporter_;
    std::array<std::uint64_t, misdeed_kinds> counts_{};
    // Flows' states: blocks of equal slots, each slot the state and a guard word behind it.
    std::size_t slot_bytes_;
    std::size_t guard_at_;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::vector<std::byte*> free_slots_;
};

/// What is known of a flow when it starts.
struct flow_facts {
    bits_per_second line_rate{25'000'000'000};
    picoseconds base_rtt{0};  ///< of the idle path; 0: unknown
    std::uint32_t mtu = 1024; ///< payload octets of a full packet. Range: 1 .. 2^32 - 1
    std::uint32_t hops = 0;   ///< switches on the path; 0: unknown
};

/// One flow (a queue pair's sending half) under an algorithm.
class flow {
  public:
    /// Throws std::runtime_error when the algorithm refuses the flow, std::invalid_argument for an mtu of 0.
    flow(algorithm& a, const flow_facts& facts, picoseconds now);
    ~flow();
    flow(flow&& other) noexcept;
    flow& operator=(flow&&) = delete;

    /// Bit/s on the wire, headers and gap included. Range: VG810_CC_LEAST_RATE .. line rate (a slower line:
    /// its rate).
    std::uint64_t rate() const { return rate_; }
    /// Payload octets that may be unacknowledged: at least one packet, or VG810_CC_NO_WINDOW.
    std::uint64_t window() const { return window_; }
    /// When run_timers() is due next; `never` without a running timer. Changes only within calls of this
    /// class.
    picoseconds next_deadline() const { return next_deadline_; }

    bool wants(vg810_cc_kind k) const { return algorithm_->wants(k); }
    bool wants_telemetry() const { return algorithm_->wants_telemetry(); }
    const algorithm& under() const { return *algorithm_; }

    /// Something happened. `e.kind` is any but VG810_CC_TIMER; kinds that the algorithm does not want cost a
    /// test.
    void tell(const vg810_cc_event& e) {
        if ((algorithm_->table().events >> e.kind & 1) != 0)
            deliver(e);
    }
    /// Tells the algorithm of each timer whose deadline is `now` or earlier: in the order of their deadlines,
    /// the lower number first. A timer that is set anew meanwhile waits for its new deadline.
    void run_timers(picoseconds now);

  private:
    void deliver(const vg810_cc_event& e);
    void adopt(vg810_cc_action& wanted, std::uint64_t now);
    void adopt_timers(const vg810_cc_action& wanted, std::uint64_t now);
    void check_guard(std::uint64_t now);

    algorithm* algorithm_;
    std::byte* state_;
    std::uint64_t rate_;
    std::uint64_t window_ = VG810_CC_NO_WINDOW;
    vg810_cc_flow facts_;
    std::array<picoseconds, VG810_CC_TIMERS> deadlines_;
    picoseconds next_deadline_ = never;
};

} // namespace vg810::cc
