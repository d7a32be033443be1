// SPDX-License-Identifier: Apache-2.0
// The slot of a guest's machine that the card sits in: turns the guest's config and BAR accesses into TLM
// transactions on the card's sockets, and the card's DMA transactions into accesses to the guest's RAM.
#pragma once

#include "model/pcie/tlp_extension.h"
#include "qemu-device/guest_memory.h"
#include "qemu-device/pci_function_backend.h"

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace vg810::qemu {

/// What a function looks like to the bus before anyone has read its config space.
struct function_shape {
    std::array<std::uint64_t, 6>
        bar_sizes{}; ///< octets; 0 for the upper half of a 64-bit BAR and for absent ones
    unsigned msix_vectors = 0;
};

class card_slot : public sc_core::sc_module {
  public:
    /// `reset(function)` is called for a reset that the machine asks for (power cycle, secondary bus reset).
    card_slot(const sc_core::sc_module_name& name, const std::vector<function_shape>& functions,
              std::function<void(unsigned)> reset);
    ~card_slot() override;

    /// To be bound to the card's downstream target socket / from the card's upstream initiator socket.
    tlm_utils::simple_initiator_socket<card_slot>& downstream(unsigned function);
    tlm_utils::simple_target_socket_tagged<card_slot>& upstream(unsigned function);

    /// The function as a vfio-user server wants it.
    pci_function_backend& function(unsigned index);
    /// Where the function's DMA goes: the RAM that QEMU shares with it. Null (no DMA possible) until set.
    void set_memory(unsigned function, guest_memory* memory);

  private:
    class function_view;
    void dma(int function, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    std::vector<std::unique_ptr<function_view>> functions_;
    std::function<void(unsigned)> reset_;
};

} // namespace vg810::qemu
