// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015,
// section 5) with the parameters that vendors' cards have beyond the paper, under their names. Alpha is
// updated by period as cards do: up when the period saw a CNP, else down; since nothing reads it between
// CNPs, it is worked out when one arrives. The increase stages are 802.1Q 32's (QCN) for both timer and byte
// counter. A CNP within rate_reduce_monitor_period of the last reduction takes effect when the period is
// over. Left out: that cards share a limited number of rate limiters among their queue pairs.
#include "model/rdma/cc/built_in.h"
#include "model/rdma/cc/state_table.h"

#include <algorithm>
#include <array>

namespace vg810::cc {

namespace {

// In the order of the tables below.
enum parameter_index : std::size_t {
    time_reset,
    byte_reset,
    threshold,
    ai_rate,
    hai_rate,
    gd,
    min_dec_fac,
    min_rate,
    max_rate,
    alpha_keep,
    alpha_period,
    monitor_period,
    initial_alpha,
    clamp_target,
    clamp_target_after_time,
    first_rate,
    restart_alpha,
    parameter_count
};

enum timer_index : std::uint32_t { increase_timer, reduction_timer };

// Closer than this to the limit, the limiter is given up: the grain in which cards keep rates.
constexpr double rate_grain = 1e6;

double power(double base, std::uint64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if ((exponent & 1) != 0)
            result *= base;
    return result;
}

struct reaction_point {
    double current;
    double target;
    double alpha;
    std::uint64_t alpha_since; ///< when the present alpha period began
    std::uint64_t reduced_at;
    std::uint64_t bytes; ///< sent since the last byte stage
    std::uint32_t time_stage;
    std::uint32_t byte_stage;
    bool limited;   ///< a rate limiter is in place
    bool been_here; ///< a CNP has arrived before
    bool cnp_in_period;
    bool reduction_pending;

    int start(const vg810_cc_flow& f, vg810_cc_action&) {
        current = target = static_cast<double>(f.line_rate);
        return 0;
    }

    void event(const vg810_cc_flow& f, const vg810_cc_event& e, vg810_cc_action& a) {
        if (e.kind == VG810_CC_SENT) {
            if (!limited || !count_sent(f, e.bytes))
                return;
        } else if (e.kind == VG810_CC_CNP) {
            notified(f, e.now, a);
        } else if (e.kind == VG810_CC_TIMER && e.timer == increase_timer) {
            time_passed(f, a);
        } else if (e.kind == VG810_CC_TIMER && reduction_pending) {
            update_alpha(f, e.now);
            reduce(f, e.now, a);
        }
        a.rate = whole_rate(current, f);
        if (!limited) {
            a.set_timers = 0;
            a.stop_timers = 1u << increase_timer | 1u << reduction_timer;
        }
    }

  private:
    void notified(const vg810_cc_flow& f, std::uint64_t now, vg810_cc_action& a) {
        const double* p = f.parameters;
        const bool fresh = !limited;
        if (fresh)
            take_limiter(f, now);
        update_alpha(f, now);
        cnp_in_period = true;
        if (fresh && p[first_rate] > 0) {
            current = target = std::min(p[first_rate], limit(f));
            begin_stages(f, now, a);
        } else if (fresh || now - reduced_at >= static_cast<std::uint64_t>(p[monitor_period])) {
            reduce(f, now, a);
        } else if (!reduction_pending) {
            reduction_pending = true;
            a.set_timers |= 1u << reduction_timer;
            a.timer_delay[reduction_timer] = std::max<std::uint64_t>(
                reduced_at + static_cast<std::uint64_t>(p[monitor_period]) - now, VG810_CC_LEAST_DELAY);
        }
    }

    void take_limiter(const vg810_cc_flow& f, std::uint64_t now) {
        limited = true;
        current = target = static_cast<double>(f.line_rate);
        if (been_here && f.parameters[restart_alpha] == 0)
            return;
        been_here = true;
        alpha = f.parameters[initial_alpha] / 1024;
        alpha_since = now;
        cnp_in_period = false;
    }

    void update_alpha(const vg810_cc_flow& f, std::uint64_t now) {
        const auto period = static_cast<std::uint64_t>(f.parameters[alpha_period]);
        const std::uint64_t periods = (now - alpha_since) / period;
        if (periods == 0)
            return;
        const double keep = f.parameters[alpha_keep] / 1024;
        alpha = alpha * keep + (cnp_in_period ? 1 - keep : 0);
        alpha *= power(keep, periods - 1);
        alpha_since += periods * period;
        cnp_in_period = false;
    }

    void reduce(const vg810_cc_flow& f, std::uint64_t now, vg810_cc_action& a) {
        const double* p = f.parameters;
        if (p[clamp_target] != 0 || byte_stage > 0 || (p[clamp_target_after_time] != 0 && time_stage > 0))
            target = current;
        const double cut = alpha * 1024 / static_cast<double>(1u << static_cast<unsigned>(p[gd]));
        current *= std::max(1 - cut, p[min_dec_fac] / 100);
        current = std::max(current, std::min(p[min_rate], limit(f)));
        begin_stages(f, now, a);
    }

    void begin_stages(const vg810_cc_flow& f, std::uint64_t now, vg810_cc_action& a) {
        time_stage = byte_stage = 0;
        bytes = 0;
        reduced_at = now;
        reduction_pending = false;
        a.stop_timers |= 1u << reduction_timer;
        a.set_timers |= 1u << increase_timer;
        a.timer_delay[increase_timer] = static_cast<std::uint64_t>(f.parameters[time_reset]);
    }

    void time_passed(const vg810_cc_flow& f, vg810_cc_action& a) {
        ++time_stage;
        increase(f);
        a.set_timers |= 1u << increase_timer;
        a.timer_delay[increase_timer] = static_cast<std::uint64_t>(f.parameters[time_reset]);
    }

    /// Whether a byte stage has ended.
    bool count_sent(const vg810_cc_flow& f, std::uint64_t sent) {
        const auto stage_bytes = static_cast<std::uint64_t>(f.parameters[byte_reset]);
        bytes += sent;
        if (stage_bytes == 0 || bytes < stage_bytes)
            return false;
        for (; bytes >= stage_bytes && limited; bytes -= stage_bytes) {
            ++byte_stage;
            increase(f);
        }
        return true;
    }

    void increase(const vg810_cc_flow& f) {
        const double* p = f.parameters;
        const auto [least, most] = std::minmax(time_stage, byte_stage);
        const auto recovery_stages = static_cast<std::uint32_t>(p[threshold]);
        if (least > recovery_stages)
            target += p[hai_rate] * (least - recovery_stages);
        else if (most >= recovery_stages)
            target += p[ai_rate];
        target = std::min(target, limit(f));
        current = (current + target) / 2;
        if (limit(f) - current < rate_grain) {
            limited = false;
            reduction_pending = false;
            current = target = static_cast<double>(f.line_rate);
        }
    }

    static double limit(const vg810_cc_flow& f) {
        const auto line = static_cast<double>(f.line_rate);
        return f.parameters[max_rate] > 0 ? std::min(f.parameters[max_rate], line) : line;
    }
};

struct presets {
    double time_reset, byte_reset, threshold, ai_rate, hai_rate, alpha_keep, alpha_period, monitor_period,
        initial_alpha, clamp_target, restart_alpha;
};

constexpr std::array<vg810_cc_parameter, parameter_count> with(const presets& s) {
    return {{
        {"rpg_time_reset", "ps", "without a CNP for this long, the rate goes up one time stage", s.time_reset,
         1e6, 1e11},
        {"rpg_byte_reset", "octets", "sent octets after which the rate goes up one byte stage; 0: never",
         s.byte_reset, 0, 4294967295},
        {"rpg_threshold", "", "stages of fast recovery before the target rate goes up", s.threshold, 0, 31},
        {"rpg_ai_rate", "bit/s", "added to the target rate in a stage of additive increase", s.ai_rate, 1e6,
         1e12},
        {"rpg_hai_rate", "bit/s", "added, times the stage, in a stage of hyper increase", s.hai_rate, 1e6,
         1e12},
        {"rpg_gd", "", "a reduction takes the part alpha x 1024 / 2^gd off the rate", 11, 0, 15},
        {"rpg_min_dec_fac", "%", "a reduction leaves at least this part of the rate", 50, 0, 100},
        {"rpg_min_rate", "bit/s", "no reduction goes below", 1e6, 1e6, 1e12},
        {"rpg_max_rate", "bit/s", "a flow that reaches it is limited no more; 0: line rate", 0, 0, 1e12},
        {"dce_tcp_g", "1/1024", "weight of the old alpha in its update", s.alpha_keep, 0, 1023},
        {"dce_tcp_rtt", "ps", "time between updates of alpha", s.alpha_period, 1e6, 131071e6},
        {"rate_reduce_monitor_period", "ps", "least time between two reductions of a flow", s.monitor_period,
         0, 1e12},
        {"initial_alpha_value", "1/1024", "alpha at the first CNP", s.initial_alpha, 1, 1024},
        {"clamp_tgt_rate", "", "1: each reduction sets the target rate; 0: only after an increase",
         s.clamp_target, 0, 1},
        {"clamp_tgt_rate_after_time_inc", "", "whether an increase by the timer counts for clamp_tgt_rate 0",
         1, 0, 1},
        {"rate_to_set_on_first_cnp", "bit/s", "rate and target at the first CNP; 0: reduce from line rate", 0,
         0, 1e12},
        {"restart_alpha", "",
         "ours: 1: the first CNP after reaching the maximum begins at initial_alpha_value", s.restart_alpha,
         0, 1},
    }};
}

// The defaults a card reports, in their units: 300 us, 32767 octets, 1, 5 and 50 Mbit/s, 1019, 1 us, 4 us,
// 1023.
constexpr auto vendor_parameters = with({.time_reset = 300e6,
                                         .byte_reset = 32767,
                                         .threshold = 1,
                                         .ai_rate = 5e6,
                                         .hai_rate = 50e6,
                                         .alpha_keep = 1019,
                                         .alpha_period = 1e6,
                                         .monitor_period = 4e6,
                                         .initial_alpha = 1023,
                                         .clamp_target = 0,
                                         .restart_alpha = 1});

// Zhu et al., "ECN or Delay", CoNEXT 2016, table 1; g = 1/256; the SIGCOMM paper's target is set at each CNP.
constexpr auto paper_parameters = with({.time_reset = 55e6,
                                        .byte_reset = 10e6,
                                        .threshold = 5,
                                        .ai_rate = 40e6,
                                        .hai_rate = 400e6,
                                        .alpha_keep = 1020,
                                        .alpha_period = 55e6,
                                        .monitor_period = 0,
                                        .initial_alpha = 1024,
                                        .clamp_target = 1,
                                        .restart_alpha = 0});

constexpr std::uint32_t wanted = bit_of(VG810_CC_CNP) | bit_of(VG810_CC_TIMER) | bit_of(VG810_CC_SENT);

} // namespace

constinit const vg810_cc_algorithm dcqcn =
    table_of<reaction_point>("dcqcn", wanted, false, vendor_parameters);
constinit const vg810_cc_algorithm dcqcn_paper =
    table_of<reaction_point>("dcqcn-paper", wanted, false, paper_parameters);

} // namespace vg810::cc
