// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/cc/harness/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>

namespace vg810::cc {

namespace {

constexpr double ps_per_us = 1e6;
constexpr double packet_overhead = 82;
constexpr double telemetry_bytes = 42;

// FNV-1a, a word at a time.
std::uint64_t add_to(std::uint64_t digest, std::uint64_t word) {
    return (digest ^ word) * 0x100000001b3;
}

} // namespace

bottleneck::bottleneck(algorithm& a, const bottleneck_settings& s)
    : algorithm_(a), settings_(s), marking_(static_cast<std::uint64_t>(s.seed), "marking"),
      wire_(s.mtu + packet_overhead + (a.wants_telemetry() ? telemetry_bytes : 0)) {
    const flow_facts facts{bits_per_second(static_cast<std::int64_t>(s.line_rate)),
                           picoseconds(static_cast<std::int64_t>(s.rtt * ps_per_us)),
                           static_cast<std::uint32_t>(s.mtu), 1};
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(s.flows); ++i) {
        const auto start = static_cast<time_ps>(s.stagger * ps_per_us * i);
        flows_.push_back({flow(a, facts, picoseconds(static_cast<std::int64_t>(start)))});
        at(start, step::begin, i);
    }
    at(0, step::sample, 0);
}

void bottleneck::run(std::ostream* csv) {
    if (csv != nullptr)
        *csv << "time_us,flow,rate_gbps,window_octets,acknowledged_octets,queue_octets\n";
    const auto end = static_cast<time_ps>(settings_.time * ps_per_us);
    while (!heap_.empty() && heap_.top().at <= end) {
        const happening h = heap_.top();
        heap_.pop();
        now_ = h.at;
        handle(h, csv);
    }
}

void bottleneck::handle(const happening& h, std::ostream* csv) {
    switch (h.what) {
    case step::begin:
        settle(h.flow);
        return;
    case step::send:
        if (flows_[h.flow].send_armed == h.at)
            flows_[h.flow].send_armed = 0;
        settle(h.flow);
        return;
    case step::arrive:
        arrive(on_the_way_.front());
        on_the_way_.pop_front();
        return;
    case step::depart:
        depart();
        return;
    case step::deliver:
        deliver();
        return;
    case step::timer:
        if (flows_[h.flow].timer_armed == h.at)
            flows_[h.flow].timer_armed = 0;
        flows_[h.flow].control.run_timers(picoseconds(static_cast<std::int64_t>(now_)));
        settle(h.flow);
        return;
    case step::sample:
        write_sample(csv);
        at(now_ + static_cast<time_ps>(settings_.sample * ps_per_us), step::sample, 0);
        return;
    }
}

/// After each event of a flow: note its decision, send what may be sent, wait for its next timer.
void bottleneck::settle(std::uint32_t i) {
    sender& f = flows_[i];
    try_send(i);
    for (const std::uint64_t word : {now_, std::uint64_t{i}, f.control.rate(), f.control.window()})
        digest_ = add_to(digest_, word);
    const picoseconds deadline = f.control.next_deadline();
    if (deadline == never)
        return;
    const auto due = static_cast<time_ps>(deadline.count());
    if (f.timer_armed == 0 || due < f.timer_armed) {
        f.timer_armed = due;
        at(due, step::timer, i);
    }
}

void bottleneck::try_send(std::uint32_t i) {
    sender& f = flows_[i];
    const auto mtu = static_cast<std::uint64_t>(settings_.mtu);
    const std::uint64_t open = f.sent - f.acknowledged;
    if (f.control.window() < open || f.control.window() - open < mtu)
        return;
    if (now_ >= f.next_send) {
        f.sent += mtu;
        f.next_send = now_ + sending_time(wire_, static_cast<double>(f.control.rate()));
        const time_ps out = now_ + sending_time(wire_, settings_.line_rate);
        on_the_way_.push_back({i, false, out, {}});
        at(out + static_cast<time_ps>(settings_.rtt * ps_per_us / 2), step::arrive, i);
        vg810_cc_event e{};
        e.kind = VG810_CC_SENT;
        e.now = now_;
        e.bytes = static_cast<std::uint64_t>(wire_);
        e.sent = f.sent;
        e.acknowledged = f.acknowledged;
        f.control.tell(e);
    }
    if (f.send_armed == 0) {
        f.send_armed = std::max(f.next_send, now_ + 1);
        at(f.send_armed, step::send, i);
    }
}

void bottleneck::arrive(const packet& p) {
    queue_.push_back(p);
    queue_bytes_ += wire_;
    if (queue_.size() == 1)
        at(now_ + sending_time(wire_, settings_.link_rate), step::depart, 0);
}

void bottleneck::depart() {
    packet p = queue_.front();
    queue_.pop_front();
    p.marked = marks();
    queue_bytes_ -= wire_;
    link_sent_ += static_cast<std::uint64_t>(wire_);
    p.hop = {now_, link_sent_, static_cast<std::uint64_t>(queue_bytes_),
             static_cast<std::uint64_t>(settings_.link_rate)};
    delivered_.push_back(p);
    at(now_ + static_cast<time_ps>(settings_.rtt * ps_per_us / 2), step::deliver, p.flow);
    if (!queue_.empty())
        at(now_ + sending_time(wire_, settings_.link_rate), step::depart, 0);
}

bool bottleneck::marks() {
    if (queue_bytes_ <= settings_.kmin)
        return false;
    if (queue_bytes_ > settings_.kmax)
        return true;
    const double p = settings_.pmax * (queue_bytes_ - settings_.kmin) / (settings_.kmax - settings_.kmin);
    return marking_.uniform() < p;
}

void bottleneck::deliver() {
    const packet p = delivered_.front();
    delivered_.pop_front();
    sender& f = flows_[p.flow];
    const auto mtu = static_cast<std::uint64_t>(settings_.mtu);
    f.acknowledged += mtu;
    vg810_cc_event e{};
    e.now = now_;
    e.sent = f.sent;
    e.acknowledged = f.acknowledged;
    if (p.marked && (f.cnp_at == 0 || now_ - f.cnp_at >= settings_.cnp_interval * ps_per_us)) {
        f.cnp_at = now_;
        e.kind = VG810_CC_CNP;
        f.control.tell(e);
    }
    e.kind = VG810_CC_ACK;
    e.bytes = mtu;
    e.rtt = now_ - p.sent_at;
    e.ecn_marked = p.marked;
    e.hop_count = algorithm_.wants_telemetry();
    e.hop = &p.hop;
    f.control.tell(e);
    settle(p.flow);
}

void bottleneck::write_sample(std::ostream* csv) {
    queue_samples_.push_back(queue_bytes_);
    if (csv == nullptr)
        return;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        const flow& f = flows_[i].control;
        const std::string window =
            f.window() == VG810_CC_NO_WINDOW ? std::string() : std::to_string(f.window());
        *csv << fmt::format("{},{},{},{},{},{}\n", static_cast<double>(now_) / ps_per_us, i,
                            static_cast<double>(f.rate()) / 1e9, window, flows_[i].acknowledged,
                            queue_bytes_);
    }
}

double bottleneck::mean_queue(double from_us) const {
    const auto first = static_cast<std::size_t>(from_us / settings_.sample);
    double sum = 0;
    for (std::size_t i = first; i < queue_samples_.size(); ++i)
        sum += queue_samples_[i];
    return first < queue_samples_.size() ? sum / static_cast<double>(queue_samples_.size() - first) : 0;
}

bottleneck::time_ps bottleneck::sending_time(double octets, double rate) const {
    return static_cast<time_ps>(octets * 8e12 / rate + 0.5);
}

} // namespace vg810::cc
