// SPDX-License-Identifier: Apache-2.0
// The card's PCI Express endpoint: its functions behind one link, on TLM-2.0 sockets.
//
// Downstream (one target socket a function): the payload's tlp_extension says whether configuration space or
// a BAR is accessed, its address is the offset there; the host has decoded bus addresses. b_transport takes
// no SystemC time; it adds to `delay` what a processor would wait for a read. Answers: TLM_OK_RESPONSE;
// TLM_ADDRESS_ERROR_RESPONSE and tlp_extension::status for an unsupported request (reads give all ones);
// TLM_COMMAND_ERROR_RESPONSE for a payload that is no access (no extension, no data, byte enables, space
// `memory`).
//
// Upstream (one initiator socket a function): memory_port's convention, one transaction a TLP.
#pragma once

#include "core/scheduler.h"
#include "model/pcie/endpoint_function.h"
#include "model/systemc_compat.h"

#include <memory>
#include <vector>

namespace vg810::pcie {

class endpoint : public sc_core::sc_module {
  public:
    struct port;

    /// One function for each layout (1 .. 8), numbered in order. What link_parameters says about the link
    /// overrides the layouts. Throws std::invalid_argument for parameters or layouts out of range.
    endpoint(sc_core::sc_module_name name, scheduler& clock, const link_parameters& parameters,
             std::vector<config_layout> layouts);
    ~endpoint() override;

    using target_socket = tlm_utils::simple_target_socket_tagged<endpoint>;
    using initiator_socket = tlm_utils::simple_initiator_socket_tagged<endpoint>;

    unsigned functions() const { return static_cast<unsigned>(ports_.size()); }
    target_socket& downstream(unsigned function);
    initiator_socket& upstream(unsigned function);
    endpoint_function& function(unsigned function);
    dma_port& dma(unsigned function);

    void set_target(unsigned function, function_target& target);
    /// For machines that keep the MSI-X tables themselves: all functions' vectors go to `sink`.
    void set_interrupt_sink(interrupt_sink& sink);
    void set_requester(unsigned function, std::uint16_t id);

    /// A hot reset of the link (secondary bus reset), or power-up: all functions.
    void bus_reset();
    void power_on_reset();

    link_timing& wire() { return wire_; }

  private:
    void b_transport(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    completion_status serve(endpoint_function& f, tlm::tlm_generic_payload& payload,
                            const tlp_extension& extension);
    void access_config(endpoint_function& f, tlm::tlm_generic_payload& payload);
    completion_status access_bar(endpoint_function& f, tlm::tlm_generic_payload& payload, unsigned bar);

    link_timing wire_;
    std::vector<std::unique_ptr<port>> ports_;
};

} // namespace vg810::pcie
