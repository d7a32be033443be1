// SPDX-License-Identifier: Apache-2.0
// A machine without a guest: root complex, memory, and one embedded driver for each of the card's ports.
#pragma once

#include "model/card.h"
#include "model/native/driver.h"
#include "model/pcie/root_complex.h"

#include <memory>
#include <vector>

namespace vg810 {

class native_host {
  public:
    /// Binds the card's sockets. The card and the host must be made before SystemC elaborates.
    native_host(const std::string& name, scheduler& clock, card& hardware,
                const native_driver_config& config);
    ~native_host();

    native_driver& driver(unsigned port);
    pcie::root_complex& root() { return root_; }
    /// Firmware's and the drivers' start: BARs, bus mastering, MSI-X, then bring_up() of every port's driver.
    void power_on();

  private:
    struct port;

    card& card_;
    pcie::root_complex root_;
    std::vector<std::unique_ptr<port>> ports_;
};

} // namespace vg810
