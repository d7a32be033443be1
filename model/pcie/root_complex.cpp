// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/root_complex.h"

#include <bit>
#include <string>

namespace vg810::pcie {

struct root_complex::port {
    explicit port(const std::string& name) : down((name + "_down").c_str()), up((name + "_up").c_str()) {
        payload.set_extension(new tlp_extension); // the payload owns it
    }
    tlm_utils::simple_initiator_socket<root_complex> down;
    tlm_utils::simple_target_socket_tagged<root_complex> up;
    tlm::tlm_generic_payload payload;
};

root_complex::root_complex(sc_core::sc_module_name name, endpoint& card) : sc_core::sc_module(name) {
    for (unsigned i = 0; i < card.functions(); ++i) {
        ports_.push_back(std::make_unique<port>("function" + std::to_string(i)));
        ports_[i]->up.register_b_transport(this, &root_complex::b_transport, static_cast<int>(i));
        ports_[i]->down.bind(card.downstream(i));
        card.upstream(i).bind(ports_[i]->up);
    }
}

root_complex::~root_complex() = default;

address_space root_complex::bar_space(unsigned bar) {
    return bar == 0 ? address_space::bar0 : bar == 2 ? address_space::bar2 : address_space::bar4;
}

completion_status root_complex::access(unsigned function, tlm::tlm_command command, address_space space,
                                       std::uint64_t offset, std::span<std::byte> data, bool poisoned) {
    port& p = *ports_.at(function);
    auto& extension = *p.payload.get_extension<tlp_extension>();
    extension.space = space;
    extension.poisoned = poisoned;
    extension.status = completion_status::success;
    p.payload.set_command(command);
    p.payload.set_address(offset);
    p.payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    p.payload.set_data_length(static_cast<unsigned>(data.size()));
    p.payload.set_streaming_width(static_cast<unsigned>(data.size()));
    p.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    p.down->b_transport(p.payload, delay);
    return extension.status;
}

void root_complex::bring_up(unsigned function, std::uint32_t mps, std::uint32_t mrrs) {
    constexpr std::uint64_t window = 0xe0000000;
    for (unsigned bar = 0; bar <= 4; bar += 2) {
        const auto offset = static_cast<std::uint32_t>(at::bar + 4 * bar);
        config_write<std::uint64_t>(function, offset,
                                    window + (std::uint64_t{function} * 8 + bar) * 0x1000000);
    }
    const auto control = config_read<std::uint16_t>(function, at::device_control);
    const auto size_code = [](std::uint32_t size) {
        return static_cast<unsigned>(std::countr_zero(size) - 7);
    };
    config_write<std::uint16_t>(
        function, at::device_control,
        static_cast<std::uint16_t>((control & ~0x70e0U) | size_code(mps) << 5 | size_code(mrrs) << 12));
    config_write<std::uint16_t>(function, at::command, 0x0006);

    const auto vectors = (config_read<std::uint16_t>(function, at::msix_control) & 0x7ffU) + 1;
    const auto table = config_read<std::uint32_t>(function, at::msix + 4);
    for (unsigned v = 0; v < vectors; ++v) {
        const std::uint64_t entry = (table & ~7U) + 16 * std::uint64_t{v};
        bar_write<std::uint64_t>(function, table & 7, entry, message_base);
        bar_write<std::uint64_t>(function, table & 7, entry + 8, v); // data, and vector control 0: not masked
    }
    config_write<std::uint16_t>(function, at::msix_control, 0x8000);
}

void root_complex::raise(unsigned function, std::uint16_t vector) {
    if (handler_)
        handler_(function, vector);
}

void root_complex::b_transport(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (observer_)
        observer_(static_cast<unsigned>(function), payload);
    if (inject_fault(payload))
        return;
    const std::uint64_t address = payload.get_address();
    auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    const std::size_t length = payload.get_data_length();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_write() && address >= message_base && address - message_base < message_size && length == 4)
        return raise(static_cast<unsigned>(function),
                     std::to_integer<std::uint16_t>(data[0]) | std::to_integer<std::uint16_t>(data[1]) << 8);
    const bool done =
        payload.is_read() ? memory_.read(address, {data, length}) : memory_.write(address, {data, length});
    if (!done)
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool root_complex::inject_fault(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    if (fault_ == host_fault::none || fault_address_ - address >= payload.get_data_length())
        return false;
    switch (fault_) {
    case host_fault::poisoned:
        payload.get_extension<tlp_extension>()->poisoned = true;
        return false;
    case host_fault::no_completion:
        return true; // the response stays incomplete
    case host_fault::abort:
        payload.get_extension<tlp_extension>()->status = completion_status::completer_abort;
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return true;
    case host_fault::none:
        break;
    }
    return false;
}

} // namespace vg810::pcie
