// SPDX-License-Identifier: Apache-2.0
// The wire hosts of a run, in the order of the scenario: what the runner needs of them all together.
#pragma once

#include "core/frame.h"
#include "fabric/network.h"
#include "scenarios/config/scenario.h"
#include "scenarios/run/counter_sampler.h"
#include "scenarios/run/series_sampler.h"
#include "scenarios/workload/message_port.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vg810::scenarios {

class wire_hosts {
  public:
    virtual ~wire_hosts() = default;

    virtual message_port& port(std::size_t host) = 0;
    /// Turns their transmitters on. Call once, before the run.
    virtual void power_on() = 0;
    /// Payload octets of a full packet.
    virtual bytes mtu() const = 0;
    /// Octets of a frame with `payload` octets of data, without FCS.
    virtual bytes frame_bytes(bytes payload) const = 0;
    /// As "host0.np_cnp_sent".
    virtual void add_counters(counter_sampler::counter_list& list) const = 0;
    /// Those of "host0.rate" (bit/s allowed by congestion control) .. that match a pattern.
    virtual void add_series(series_sampler& series, const std::vector<std::string>& patterns) const = 0;
    /// Grows whenever payload gets on that has not got on before, at any host.
    virtual std::uint64_t progress() const = 0;
    virtual std::uint64_t frames_sent() const = 0;
};

/// Makes them and plugs them into the network. Throws bad_input.
using wire_host_maker =
    std::function<std::unique_ptr<wire_hosts>(const scenario&, fabric::network&, frame_pool&)>;
std::unique_ptr<wire_hosts> make_wire_hosts(const scenario& s, fabric::network& network, frame_pool& frames);

} // namespace vg810::scenarios
