// SPDX-License-Identifier: Apache-2.0
// A network with a wire host on every port, all in one domain, and what became of their messages.
#pragma once

#include "fabric/link_fault.h"
#include "fabric/network.h"
#include "model/rdma/cc/built_in.h"
#include "scenarios/wire/wire_host.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios::testing {

/// A time after which every link of a rack is up.
inline constexpr picoseconds settled = 10_us;

class recorder final : public message_listener {
  public:
    explicit recorder(const component& host) : host_(host) {}
    struct arrival {
        std::uint64_t cookie;
        bytes length;
        picoseconds at;
    };
    void message_ended(connection, const message_end& e) override { ended.push_back(e); }
    void message_arrived(connection, std::uint64_t cookie, bytes length) override {
        arrived.push_back({cookie, length, host_.now()});
    }
    std::vector<message_end> ended;
    std::vector<arrival> arrived;

  private:
    const component& host_;
};

class rack {
  public:
    rack(const fabric::topology& t, const wire_host_parameters& p,
         const vg810_cc_algorithm& algorithm = cc::none, std::span<const cc::parameter_value> values = {})
        : net(t, pool, fabric::domain_split::shared, {}), control(algorithm, values) {
        cc::algorithm* const all[] = {&control};
        for (const fabric::host& h : t.hosts) {
            const wire_identity who{h.name, h.ports[0].mac, *h.ports[0].ip, net.station_of(h.name),
                                    net.host_rate(h.name, 0)};
            auto& host = hosts_[h.name];
            host = std::make_unique<wire_host>(net.host_clock(h.name), who, p, pool, all, 0, facts);
            host->attach(net.plug(h.name, 0, *host));
            host->power_on();
            records_[h.name] = std::make_unique<recorder>(*host);
            host->listen(*records_[h.name]);
        }
        net.power_on();
        clock().run_before(settled);
        clock().advance_to(settled);
    }

    scheduler& clock() { return *net.domains().front().events; }
    wire_host& at(const std::string& name) { return *hosts_.at(name); }
    recorder& record(const std::string& name) { return *records_.at(name); }

    /// Connects the two and posts a message at once.
    connection send(const std::string& from, const std::string& to, bytes length, std::uint64_t cookie = 0,
                    message_kind kind = message_kind::write, std::uint16_t label = 0) {
        const auto c = at(from).connect(at(to), {.dscp = 26, .flow_label_hash = label, .cc = -1});
        at(from).post(c.here, kind, length, cookie);
        return c.here;
    }
    void run(picoseconds end = 1'000_ms) { clock().run_before(end); }

    frame_pool pool;
    fabric::network net;
    cc::algorithm control;
    static inline wire_host::path_facts facts{};

  private:
    std::map<std::string, std::unique_ptr<wire_host>> hosts_;
    std::map<std::string, std::unique_ptr<recorder>> records_;
};

/// Options with no latency but wire and queues: 1 us links, a frame has arrived with the end of its gap.
inline fabric::fabric_options ideal(millimetres length = {200'000}) {
    fabric::fabric_options o;
    o.host_length = o.spine_length = length;
    o.host_phy = o.spine_phy = fabric::phy_latency{};
    o.pipeline = {};
    o.arrival = fabric::arrival_rule::end_of_gap;
    return o;
}

/// Two leaves with two hosts each and a spine.
inline fabric::topology two_racks(const fabric::fabric_options& o = ideal()) {
    return fabric::leaf_spine(2, 1, fabric::numbered_hosts(2, 2), o);
}

/// Makes every switch lossless for priority 3, which DSCP 26 is.
inline fabric::topology lossless(fabric::topology t) {
    for (fabric::switch_parameters& s : t.switches) {
        s.trust.mode = fabric::trust_mode::dscp;
        s.pfc.priorities = {3};
        s.buffer.total = 12 << 20;
        s.buffer.headroom = 100 << 10;
        s.buffer.alpha = 0.125;
    }
    return t;
}
inline wire_host_parameters lossless_host(bytes path_mtu = 1024) {
    wire_host_parameters p;
    p.transport.path_mtu = path_mtu;
    p.queues.lossless = {3};
    return p;
}

} // namespace vg810::scenarios::testing
