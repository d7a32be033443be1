// SPDX-License-Identifier: Apache-2.0
// What a PCIe transaction carries beyond a TLM-2.0 generic payload: address space, requester and completion
// status.
#pragma once

#include <cstdint>
#include <tlm>

namespace vg810::pcie {

/// PCI Express Base 4.0 2.2.8.6 / 2.2.9.1: completion status codes.
enum class completion_status : std::uint8_t {
    success = 0,
    unsupported_request = 1,
    retry = 2,
    completer_abort = 4
};

enum class address_space : std::uint8_t { config, bar0, bar2, bar4, memory };

/// Attached to every payload on the card's sockets. Downstream (host to card): `space` and the offset in the
/// payload's address say what is accessed. Upstream (card to host): `space` is memory, the address is a bus
/// address.
struct tlp_extension : tlm::tlm_extension<tlp_extension> {
    address_space space = address_space::memory;
    std::uint16_t requester = 0; ///< bus:device.function
    std::uint8_t tag = 0;
    std::uint8_t traffic_class = 0;
    bool poisoned = false; ///< EP bit, 2.7.2.2
    bool relaxed_ordering = false;
    completion_status status = completion_status::success; ///< set by the completer

    tlm_extension_base* clone() const override { return new tlp_extension(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const tlp_extension&>(other);
    }
};

} // namespace vg810::pcie
