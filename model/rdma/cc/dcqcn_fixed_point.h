// SPDX-License-Identifier: Apache-2.0
// Where DCQCN comes to rest, by theory: the fixed point of the fluid model of Zhu et al., "ECN or Delay:
// Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016, section 3.1 (equations 9 to 11), solved as
// it stands, not by the paper's cube-root shortcut. What measured queues are compared with.
#pragma once

#include <cstdint>

namespace vg810::cc {

/// Preset as in that paper's table 1.
struct dcqcn_network {
    double link_rate = 40e9;       ///< bit/s
    std::uint32_t flows = 2;       ///< that share the link
    double packet = 1000;          ///< octets
    double kmin = 5e3;             ///< octets
    double kmax = 200e3;           ///< octets
    double pmax = 0.01;            ///< marking probability at kmax
    double cnp_interval = 50e-6;   ///< s
    double alpha_period = 55e-6;   ///< s
    double increase_timer = 55e-6; ///< s
    double byte_counter = 10e6;    ///< octets
    double ai_rate = 40e6;         ///< bit/s
    double recovery_stages = 5;    ///< F
};

struct dcqcn_rest {
    double marking; ///< probability p*
    double queue;   ///< octets: kmin + p* / pmax (kmax - kmin)
    double rate;    ///< of each flow, bit/s
    double alpha;
};

/// Throws std::invalid_argument when a value is not positive, kmax is not above kmin, or the queue would rest
/// above kmax, where the model does not hold.
dcqcn_rest dcqcn_fixed_point(const dcqcn_network& n);

} // namespace vg810::cc
