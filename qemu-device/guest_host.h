// SPDX-License-Identifier: Apache-2.0
// One guest as the schedule sees it: its clock, and the vfio-user servers through which it reaches the
// functions of its card.
//
// Lockstep: an access that arrives while the guest runs makes state() `access`; the conductor serves it at
// its time. Paced: there is no clock; each access is served at once, after the model has been brought to the
// present.
#pragma once

#include "core/conductor.h"
#include "model/pcie/host_port.h"
#include "qemu-device/guest_clock.h"
#include "qemu-device/vfio_user_server.h"

#include <functional>
#include <memory>
#include <poll.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vg810::qemu {

class guest_host : public paced_guest, public pcie::interrupt_sink {
  public:
    /// What the card promises, asked at each step (docs/time.md).
    struct promises {
        std::function<picoseconds()> access_lookahead;
        std::function<picoseconds()> input_quiet;
    };
    /// `clock` is null in paced mode. The card's functions are the first servers, in order.
    guest_host(std::string name, guest_clock* clock, promises card);

    /// Adds a function behind a listening socket at `socket_path`; see vfio_user_server for what it throws.
    vfio_user_server& add_function(pci_function_backend& function, const std::string& socket_path);

    const std::string& name() const { return name_; }
    /// Why the guest is gone, if it is for a reason that the user should know.
    const std::string& failure() const { return failure_; }

    /// Whether QEMU has offered RAM to the card.
    bool has_memory() const { return !servers_.empty() && servers_.front()->memory().ranges() > 0; }

    /// Appends what to poll for. Then, after poll(2), hand the same entries to service().
    void watch(std::vector<pollfd>& set);
    /// Takes what has arrived. Lockstep: true if state() may have changed. Paced: `present` is called before
    /// each access.
    bool service(std::span<const pollfd> ready, const std::function<void()>& present);
    /// Looks for a stop without a system call; for brief busy waits.
    bool refresh() { return clock_ && clock_->refresh(); }
    /// QEMU has ended; `why` is empty when it ended as it should.
    void set_gone(std::string why);

    phase state() const override;
    picoseconds time() const override;
    picoseconds next_action() const override;
    void grant(picoseconds until) override;
    void serve_access() override;
    void finish_access(picoseconds until) override;
    picoseconds access_lookahead() const override { return card_.access_lookahead(); }
    picoseconds input_quiet() const override { return card_.input_quiet(); }

    void raise(unsigned function, std::uint16_t vector) override;

  private:
    void take_access(vfio_user_server& server, const std::function<void()>& present);
    void serve_at_once(vfio_user_server& server, const std::function<void()>& present);
    bool interrupts_in_flight();
    void check(vfio_user_server& server);

    std::string name_;
    guest_clock* clock_;
    promises card_;
    std::vector<std::unique_ptr<vfio_user_server>> servers_;
    std::vector<vfio_user_server*> waiting_; ///< servers whose access waits for the conductor
    std::vector<std::pair<unsigned, std::uint16_t>>
        raised_in_access_;     ///< function, vector; for the next stop
    bool interrupted_ = false; ///< something was raised since the guest stopped
    bool asleep_ = false;      ///< let go while halted, nothing delivered
    bool gone_ = false;
    std::string failure_;
};

} // namespace vg810::qemu
