// SPDX-License-Identifier: Apache-2.0
// The card: one PCIe endpoint, and for each port a function with its queues and its MAC. Everything runs in
// one domain; the SystemC module carries the TLM-2.0 sockets, the blocks schedule through the domain's
// scheduler.
#pragma once

#include "model/host_if/function.h"
#include "model/pcie/endpoint.h"
#include "model/systemc_compat.h"

#include <memory>
#include <vector>

namespace vg810 {

/// The profile of a card: its blocks' parameters, and what is broken in it.
struct card_parameters {
    pcie::link_parameters pcie;
    host_if_parameters host_if;
    mac_parameters mac;
    card_faults fault;

    void describe(parameter_visitor& v) {
        v.visit_struct({"pcie", "Link and root complex."}, pcie);
        v.visit_struct({"host_if", "Queues, doorbells, pipelines."}, host_if);
        v.visit_struct({"mac", "Ports."}, mac);
        v.visit_struct({"fault", "Faults seeded in the card."}, fault);
    }
};

/// What tells one card from another.
struct card_identity {
    std::uint64_t serial_number = 0x001eccfffe000000; ///< EUI-64
    std::vector<mac_address> addresses;               ///< permanent addresses, one a port: 1 .. 8 ports
};

class card : public sc_core::sc_module {
  public:
    /// Throws std::invalid_argument for parameters out of range or a number of ports that is.
    card(sc_core::sc_module_name name, scheduler& clock, const card_identity& identity,
         const card_parameters& parameters, frame_pool& frames);
    ~card() override;

    unsigned ports() const { return static_cast<unsigned>(functions_.size()); }
    /// The PCIe side: sockets, interrupt sink, resets from outside.
    pcie::endpoint& endpoint() { return endpoint_; }
    const pcie::config_layout& layout(unsigned function) const { return layouts_.at(function); }
    network_function& function(unsigned index) { return *functions_.at(index); }

    /// Plugs a cable into a port, and where that cable delivers.
    void attach(unsigned port, cable_end& cable) { function(port).port().attach(cable); }
    wire_receiver& receiver(unsigned port) { return function(port).port(); }
    /// May be null. Hears of all functions.
    void set_observer(card_observer* observer);

    /// After an access to a function now, nothing that it causes shows on the function's cable sooner than
    /// this. What is under way already is in the scheduler's heap and bounded by that.
    picoseconds access_lookahead(unsigned function) const {
        return functions_.at(function)->access_lookahead();
    }
    /// The same for an access to any function.
    picoseconds access_lookahead() const;
    /// From the arrival of a frame to the first touch of the host that it can cause. Constant.
    picoseconds rx_quiet() const { return functions_.front()->rx_quiet(); }
    /// From anything arriving on a cable to anything leaving on one because of it, the host reacting at once.
    /// Constant.
    picoseconds pass_through() const { return functions_.front()->pass_through(); }

  private:
    std::vector<pcie::config_layout> layouts_;
    pcie::endpoint endpoint_;
    std::vector<std::unique_ptr<network_function>> functions_;
};

} // namespace vg810
