// SPDX-License-Identifier: Apache-2.0
// Flows under one algorithm that share one link: enough of a network to see an algorithm at work, and no
// more. Senders with endless data at their line's rate, a queue without end that marks like a switch (between
// Kmin and Kmax with a probability that rises to Pmax, at dequeue), a receiver that acknowledges each packet
// and sends CNPs at most every `cnp_interval` per flow, telemetry of the one hop. Left out: losses, PFC, ACKs
// on the wire, delay in hosts.
#pragma once

#include "core/random.h"
#include "model/rdma/cc/flow_control.h"

#include <cstdint>
#include <deque>
#include <ostream>
#include <queue>
#include <vector>

namespace vg810::cc {

/// Rates in bit/s, times in us, sizes in octets.
struct bottleneck_settings {
    double flows = 2;
    double line_rate = 25e9;
    double link_rate = 25e9; ///< of the shared link
    double rtt = 8;          ///< of the idle path, without the packet's own sending times
    double mtu = 1024;
    double time = 2000;
    double sample = 10; ///< from one row of output to the next
    double stagger = 0; ///< from one flow's start to the next's
    double kmin = 5e3;
    double kmax = 200e3;
    double pmax = 0.01;
    double cnp_interval = 4;
    double seed = 1;
};

class bottleneck {
  public:
    /// `a` outlives it. The settings have been checked: all positive but stagger, kmin, pmax and
    /// cnp_interval, which may be 0.
    bottleneck(algorithm& a, const bottleneck_settings& s);

    /// Runs for `time`; a row a flow and sample goes to `csv` if there is one.
    void run(std::ostream* csv);

    /// A hash over all decisions so far: equal for equal runs.
    std::uint64_t digest() const { return digest_; }
    /// Time average since `from_us`, octets. Call after run().
    double mean_queue(double from_us) const;
    /// Payload acknowledged of flow `i`, octets.
    std::uint64_t acknowledged(std::size_t i) const { return flows_[i].acknowledged; }
    std::uint64_t rate(std::size_t i) const { return flows_[i].control.rate(); }

  private:
    using time_ps = std::uint64_t;
    enum class step : std::uint8_t { begin, send, arrive, depart, deliver, timer, sample };
    struct packet {
        std::uint32_t flow;
        bool marked;
        time_ps sent_at;
        vg810_cc_hop hop;
    };
    struct happening {
        time_ps at;
        std::uint64_t order; ///< first made, first run, at the same time
        step what;
        std::uint32_t flow;
        bool operator>(const happening& o) const { return at != o.at ? at > o.at : order > o.order; }
    };
    struct sender {
        flow control;
        time_ps next_send = 0;
        time_ps send_armed = 0;  ///< of the pending step::send; 0: none
        time_ps timer_armed = 0; ///< of the earliest pending step::timer; 0: none
        time_ps cnp_at = 0;
        std::uint64_t sent = 0, acknowledged = 0;
    };

    void at(time_ps when, step what, std::uint32_t flow) { heap_.push({when, order_++, what, flow}); }
    void handle(const happening& h, std::ostream* csv);
    void try_send(std::uint32_t i);
    void arrive(const packet& p);
    void depart();
    void deliver();
    void settle(std::uint32_t i);
    bool marks();
    void write_sample(std::ostream* csv);
    time_ps sending_time(double octets, double rate) const;

    algorithm& algorithm_;
    bottleneck_settings settings_;
    random_stream marking_;
    double wire_; ///< octets of a packet on the wire
    std::vector<sender> flows_;
    std::priority_queue<happening, std::vector<happening>, std::greater<>> heap_;
    std::deque<packet>
        on_the_way_; ///< to the queue; arrivals are in order of sending, for all paths are equal
    std::deque<packet> queue_;
    std::deque<packet> delivered_; ///< by the link, not yet acknowledged
    time_ps now_ = 0;
    std::uint64_t order_ = 0, digest_ = 0xcbf29ce484222325, link_sent_ = 0;
    double queue_bytes_ = 0;
    std::vector<double> queue_samples_;
};

} // namespace vg810::cc
