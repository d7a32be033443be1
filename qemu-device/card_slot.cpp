// SPDX-License-Identifier: Apache-2.0
#include "qemu-device/card_slot.h"

#include <algorithm>
#include <stdexcept>

namespace vg810::qemu {

using pcie::address_space;
using pcie::tlp_extension;

/// One function: its sockets, its RAM, and the payload that all of its accesses share.
class card_slot::function_view : public pci_function_backend {
  public:
    function_view(card_slot& slot, unsigned index, const function_shape& shape)
        : downstream(("downstream" + std::to_string(index)).c_str()),
          upstream(("upstream" + std::to_string(index)).c_str()), slot_(slot), index_(index), shape_(shape) {
        upstream.register_b_transport(&slot, &card_slot::dma, static_cast<int>(index));
        payload_.set_extension(&extension_);
    }
    ~function_view() override { payload_.clear_extension(&extension_); }

    void read_config(std::uint32_t offset, std::span<std::byte> data) override {
        transport(tlm::TLM_READ_COMMAND, address_space::config, offset, data.data(), data.size());
    }
    void write_config(std::uint32_t offset, std::span<const std::byte> data) override {
        write(address_space::config, offset, data);
    }
    std::uint64_t bar_size(unsigned bar) const override { return bar < 6 ? shape_.bar_sizes[bar] : 0; }
    void read_bar(unsigned bar, std::uint64_t offset, std::span<std::byte> data) override {
        transport(tlm::TLM_READ_COMMAND, space_of(bar), offset, data.data(), data.size());
    }
    void write_bar(unsigned bar, std::uint64_t offset, std::span<const std::byte> data) override {
        write(space_of(bar), offset, data);
    }
    unsigned msix_vectors() const override { return shape_.msix_vectors; }
    void reset() override { slot_.reset_(index_); }

    tlm_utils::simple_initiator_socket<card_slot> downstream;
    tlm_utils::simple_target_socket_tagged<card_slot> upstream;
    guest_memory* memory = nullptr;

  private:
    static address_space space_of(unsigned bar) {
        switch (bar) {
        case 0:
            return address_space::bar0;
        case 2:
            return address_space::bar2;
        case 4:
            return address_space::bar4;
        default:
            throw std::logic_error("the card has no BAR " + std::to_string(bar));
        }
    }

    void write(address_space space, std::uint64_t offset, std::span<const std::byte> data) {
        std::array<std::byte, 4096> copy; // TLM wants a mutable pointer; config space is the largest access
        if (data.size() > copy.size())
            throw std::length_error("an access of " + std::to_string(data.size()) + " octets");
        std::copy(data.begin(), data.end(), copy.begin());
        transport(tlm::TLM_WRITE_COMMAND, space, offset, copy.data(), data.size());
    }

    void transport(tlm::tlm_command command, address_space space, std::uint64_t offset, std::byte* data,
                   std::size_t size) {
        payload_.set_command(command);
        payload_.set_address(offset);
        payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
        payload_.set_data_length(static_cast<unsigned>(size));
        payload_.set_streaming_width(static_cast<unsigned>(size));
        payload_.set_byte_enable_ptr(nullptr);
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        extension_ = tlp_extension{};
        extension_.space = space;
        sc_core::sc_time delay;
        downstream->b_transport(payload_, delay);
        // PCIe 2.3.2: a root complex turns an unsuccessful read completion into all ones; writes are posted.
        if (command == tlm::TLM_READ_COMMAND && !payload_.is_response_ok())
            std::fill_n(data, size, std::byte{0xff});
    }

    card_slot& slot_;
    unsigned index_;
    function_shape shape_;
    tlm::tlm_generic_payload payload_;
    tlp_extension extension_;
};

card_slot::card_slot(const sc_core::sc_module_name& name, const std::vector<function_shape>& functions,
                     std::function<void(unsigned)> reset)
    : sc_module(name), reset_(std::move(reset)) {
    for (unsigned i = 0; i < functions.size(); ++i)
        functions_.push_back(std::make_unique<function_view>(*this, i, functions[i]));
}

card_slot::~card_slot() = default;

tlm_utils::simple_initiator_socket<card_slot>& card_slot::downstream(unsigned function) {
    return functions_.at(function)->downstream;
}

tlm_utils::simple_target_socket_tagged<card_slot>& card_slot::upstream(unsigned function) {
    return functions_.at(function)->upstream;
}

pci_function_backend& card_slot::function(unsigned index) {
    return *functions_.at(index);
}

void card_slot::set_memory(unsigned function, guest_memory* memory) {
    functions_.at(function)->memory = memory;
}

void card_slot::dma(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    guest_memory* memory = functions_[static_cast<std::size_t>(function)]->memory;
    auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    const std::uint64_t address = payload.get_address();
    const std::size_t size = payload.get_data_length();
    const bool done = memory && (payload.is_read() ? memory->read(address, {data, size})
                                                   : memory->write(address, {data, size}));
    payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (auto* extension = payload.get_extension<tlp_extension>(); extension && !done)
        extension->status = pcie::completion_status::unsupported_request;
}

} // namespace vg810::qemu
