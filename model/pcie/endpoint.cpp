// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/endpoint.h"

#include <stdexcept>
#include <string>

namespace vg810::pcie {

/// A function and its two sockets.
struct endpoint::port final : memory_port {
    /// `owner`: the endpoint's full name, so that the functions of several cards differ in one domain.
    port(const std::string& owner, const std::string& name, scheduler& clock, const config_layout& layout,
         link_timing& wire)
        : down((name + "_downstream").c_str()), up((name + "_upstream").c_str()),
          function(clock, owner + "." + name, layout, wire, *this) {}

    void transport(tlm::tlm_generic_payload& tlp) override {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME; // the link model has the time already
        up->b_transport(tlp, delay);
    }

    target_socket down;
    initiator_socket up;
    endpoint_function function;
};

namespace {

config_layout with_link(config_layout layout, const link_parameters& p, unsigned function,
                        bool multi_function) {
    layout.function = function;
    layout.multi_function = multi_function;
    layout.link_generation = static_cast<unsigned>(p.generation);
    layout.link_lanes = static_cast<unsigned>(p.lanes);
    layout.max_payload_supported = static_cast<std::uint32_t>(p.max_payload_supported);
    return layout;
}

sc_core::sc_time to_systemc(picoseconds t) {
    return sc_core::sc_time(static_cast<double>(t.count()), sc_core::SC_PS);
}

} // namespace

endpoint::endpoint(sc_core::sc_module_name name, scheduler& clock, const link_parameters& parameters,
                   std::vector<config_layout> layouts)
    : sc_core::sc_module(name), wire_(parameters) {
    if (layouts.empty() || layouts.size() > 8)
        throw std::invalid_argument("PCIe endpoint: 1 .. 8 functions, not " + std::to_string(layouts.size()));
    for (unsigned i = 0; i < layouts.size(); ++i) {
        const config_layout layout = with_link(layouts[i], parameters, i, layouts.size() > 1);
        ports_.push_back(
            std::make_unique<port>(this->name(), "function" + std::to_string(i), clock, layout, wire_));
        ports_.back()->down.register_b_transport(this, &endpoint::b_transport, static_cast<int>(i));
    }
}

endpoint::~endpoint() = default;

endpoint::target_socket& endpoint::downstream(unsigned function) {
    return ports_.at(function)->down;
}
endpoint::initiator_socket& endpoint::upstream(unsigned function) {
    return ports_.at(function)->up;
}
endpoint_function& endpoint::function(unsigned function) {
    return ports_.at(function)->function;
}
dma_port& endpoint::dma(unsigned function) {
    return ports_.at(function)->function.dma();
}

void endpoint::set_target(unsigned function, function_target& target) {
    ports_.at(function)->function.set_target(target);
}

void endpoint::set_interrupt_sink(interrupt_sink& sink) {
    for (const auto& p : ports_)
        p->function.set_interrupt_sink(sink);
}

void endpoint::set_requester(unsigned function, std::uint16_t id) {
    ports_.at(function)->function.dma().set_requester(id);
}

void endpoint::bus_reset() {
    for (const auto& p : ports_)
        p->function.reset(reset_kind::bus);
}

void endpoint::power_on_reset() {
    for (const auto& p : ports_)
        p->function.reset(reset_kind::power_on);
}

void endpoint::b_transport(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    endpoint_function& f = ports_[static_cast<std::size_t>(function)]->function;
    auto* extension = payload.get_extension<tlp_extension>();
    if (extension == nullptr || extension->space == address_space::memory ||
        payload.get_data_ptr() == nullptr || payload.get_data_length() == 0 ||
        payload.get_byte_enable_ptr() != nullptr || payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }

    extension->status = serve(f, payload, *extension);
    payload.set_response_status(extension->status == completion_status::success
                                    ? tlm::TLM_OK_RESPONSE
                                    : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.is_read()) // the request goes down as a write does, the completion comes up as a posted write
                           // does
        delay += to_systemc(wire_.to_registers() + wire_.to_memory());
}

completion_status endpoint::serve(endpoint_function& f, tlm::tlm_generic_payload& payload,
                                  const tlp_extension& extension) {
    const bool config = extension.space == address_space::config;
    if (extension.poisoned && payload.is_write()) { // nobody is told of a posted write's fate
        f.reject_poisoned(payload.get_address(), payload.get_data_length());
        return config ? completion_status::unsupported_request : completion_status::success;
    }
    if (config) {
        access_config(f, payload);
        return completion_status::success;
    }
    const unsigned bar = extension.space == address_space::bar0   ? 0
                         : extension.space == address_space::bar2 ? 2
                                                                  : 4;
    return access_bar(f, payload, bar);
}

void endpoint::access_config(endpoint_function& f, tlm::tlm_generic_payload& payload) {
    const auto offset =
        static_cast<std::uint32_t>(std::min<sc_dt::uint64>(payload.get_address(), config_space::size));
    auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    if (payload.is_read())
        f.config_read(offset, {data, payload.get_data_length()});
    else
        f.config_write(offset, {data, payload.get_data_length()});
}

completion_status endpoint::access_bar(endpoint_function& f, tlm::tlm_generic_payload& payload,
                                       unsigned bar) {
    auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    if (payload.is_read())
        return f.bar_read(bar, payload.get_address(), {data, payload.get_data_length()});
    return f.bar_write(bar, payload.get_address(), {data, payload.get_data_length()});
}

} // namespace vg810::pcie
