// SPDX-License-Identifier: Apache-2.0
// What the card needs of the machine it sits in, beyond the TLM sockets: how interrupts leave it when the
// machine keeps the MSI-X table itself (QEMU does), and how a native host sees MSI-X messages.
#pragma once

#include <cstdint>

namespace vg810::pcie {

class interrupt_sink {
  public:
    virtual ~interrupt_sink() = default;
    /// Vector `vector` of function `function` fires now; everything written before is visible.
    virtual void raise(unsigned function, std::uint16_t vector) = 0;
};

} // namespace vg810::pcie
