// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/dcqcn_fixed_point.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace vg810::cc {

namespace {

/// 1 - (1 - p)^n, exact for small p.
double any_of(double n, double p) {
    return -std::expm1(n * std::log1p(-p));
}

/// p / ((1 - p)^-n - 1): how often, per packet, n packets in a row go unmarked.
double rounds(double n, double p) {
    return p / std::expm1(-n * std::log1p(-p));
}

/// a^2 alpha / ((b + d)(c + e)) - tau^2 R_AI R: rises with p from below 0.
double imbalance(const dcqcn_network& n, double p) {
    const double rate = n.link_rate / n.flows / 8 / n.packet; // packets/s
    const double bytes = n.byte_counter / n.packet;
    const double timer = n.increase_timer * rate;
    const double a = any_of(n.cnp_interval * rate, p);
    const double alpha = any_of(n.alpha_period * rate, p);
    const double b = rounds(bytes, p);
    const double d = rounds(timer, p);
    const double c = std::exp(n.recovery_stages * bytes * std::log1p(-p)) * b;
    const double e = std::exp(n.recovery_stages * timer * std::log1p(-p)) * d;
    const double ai = n.ai_rate / 8 / n.packet;
    return a * a * alpha / ((b + d) * (c + e)) - n.cnp_interval * n.cnp_interval * ai * rate;
}

void check(const dcqcn_network& n) {
    for (const double value : {n.link_rate, static_cast<double>(n.flows), n.packet, n.pmax, n.cnp_interval,
                               n.alpha_period, n.increase_timer, n.byte_counter, n.ai_rate})
        if (!(value > 0))
            throw std::invalid_argument("the fixed point of DCQCN: each value must be above 0");
    if (!(n.kmax > n.kmin && n.kmin >= 0 && n.recovery_stages >= 0))
        throw std::invalid_argument("the fixed point of DCQCN: kmax must be above kmin, and neither below 0");
}

} // namespace

dcqcn_rest dcqcn_fixed_point(const dcqcn_network& n) {
    check(n);
    double low = std::log(1e-15);
    double high = std::log(std::min(n.pmax, 0.999));
    if (!(imbalance(n, std::exp(low)) < 0 && imbalance(n, std::exp(high)) > 0))
        throw std::invalid_argument(
            "the fixed point of DCQCN: the queue rests at no length between kmin and kmax");
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (imbalance(n, std::exp(middle)) < 0 ? low : high) = middle;
    }
    const double p = std::exp(low);
    const double rate = n.link_rate / n.flows;
    return {p, n.kmin + p / n.pmax * (n.kmax - n.kmin), rate,
            any_of(n.alpha_period * rate / 8 / n.packet, p)};
}

} // namespace vg810::cc
