// SPDX-License-Identifier: Apache-2.0
// Hosts without a network: a message arrives after a fixed delay and its octets' time at one rate, behind
// the earlier ones of its connection, and is acknowledged after the delay again. For the tests of workloads.
#pragma once

#include "core/scheduler.h"
#include "scenarios/workload/traffic.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace vg810::scenarios::testing {

class fake_port final : public component, public message_port {
  public:
    fake_port(scheduler& clock, std::string name, picoseconds delay = 1_us)
        : component(clock, std::move(name)), delay_(delay) {}

    void listen(message_listener& l) override { listener_ = &l; }
    pair connect(message_port& peer, const connection_options& o) override {
        auto* far = dynamic_cast<fake_port*>(&peer);
        if (!far)
            throw std::invalid_argument("the peer is of another kind");
        ends_.push_back({far, static_cast<connection>(far->ends_.size()), {}, o});
        far->ends_.push_back({this, static_cast<connection>(ends_.size() - 1), {}, o});
        return {static_cast<connection>(ends_.size() - 1), ends_.back().far};
    }
    void post(connection c, message_kind kind, bytes length, std::uint64_t cookie) override {
        end& e = ends_.at(c);
        e.busy_until = std::max(e.busy_until, now()) + (25_gbps).time_for(length);
        const bool lost = broken;
        const bool read = kind == message_kind::read;
        const picoseconds arrived = e.busy_until + delay_ * (read ? 2 : 1);
        under_way_.push_back({c, kind, length, cookie, now(), !lost});
        const std::uint64_t index = under_way_.size() - 1;
        if (!read && !lost)
            schedule<&fake_port::arrive>(arrived, this, index);
        schedule<&fake_port::finish>(read ? arrived : arrived + delay_, this, index);
    }

    bool broken = false; ///< what is posted is lost
    std::size_t connections() const { return ends_.size(); }
    const connection_options& options(connection c) const { return ends_.at(c).options; }

  private:
    struct end {
        fake_port* peer;
        connection far;
        picoseconds busy_until;
        connection_options options;
    };
    struct message {
        connection c;
        message_kind kind;
        bytes length;
        std::uint64_t cookie;
        picoseconds posted;
        bool ok;
    };
    void arrive(std::uint64_t i) {
        const message m = under_way_.at(i);
        const end& e = ends_.at(m.c);
        e.peer->listener_->message_arrived(e.far, m.cookie, m.length);
    }
    void finish(std::uint64_t i) {
        const message m = under_way_.at(i);
        listener_->message_ended(m.c, {m.cookie, m.posted, now(), m.length, m.ok});
    }

    picoseconds delay_;
    message_listener* listener_ = nullptr;
    std::vector<end> ends_;
    std::vector<message> under_way_;
};

/// So many of them, "host0" .., and the traffic between them.
struct fake_fabric {
    explicit fake_fabric(std::size_t hosts, picoseconds delay = 1_us) {
        for (std::size_t i = 0; i < hosts; ++i) {
            names.push_back("host" + std::to_string(i));
            ports.push_back(std::make_unique<fake_port>(clock, names.back(), delay));
            messages.add_host(names.back(), *ports.back());
        }
    }
    scheduler clock{"fabric"};
    traffic messages{clock};
    std::vector<std::string> names;
    std::vector<std::unique_ptr<fake_port>> ports;
};

} // namespace vg810::scenarios::testing
