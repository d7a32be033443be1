// SPDX-License-Identifier: Apache-2.0
// A host of the fabric that is this machine's own kernel: TAP interfaces in a network namespace, each behind
// a port that sends at its link's rate. The kernel lives in wall time, so a run with such a host is paced and
// not reproducible.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"
#include "fabric/net_namespace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vg810::fabric {

/// One TAP interface as a port of the fabric.
class tap_port final : public component, public wire_receiver {
  public:
    struct counters {
        std::uint64_t to_fabric = 0;  ///< frames read from the TAP and sent
        std::uint64_t to_kernel = 0;  ///< frames received and written to the TAP
        std::uint64_t bad_fcs = 0;    ///< received damaged, dropped
        std::uint64_t no_payload = 0; ///< received without their octets (synthetic traffic), dropped
        std::uint64_t refused = 0;    ///< not taken by the kernel (its queue full, interface down)
        std::uint64_t oversize = 0;   ///< read from the TAP, longer than a frame can be, dropped
    };

    /// `tap`: a TAP's descriptor, not blocking, outliving the port. `clock`: the host's domain.
    tap_port(scheduler& clock, std::string name, frame_pool& pool, int tap, bits_per_second rate);

    void plug(cable_end& end) { end_ = &end; }
    /// Turns the transmitter on.
    void power_on() { end_->set_signal(true, rate_); }

    /// Takes waiting frames from the kernel and puts them on the wire, the first at `now` (the model's time,
    /// not before the domain's own) or when the port is free. Stops when the wire is booked for 1 ms ahead:
    /// the rest waits in the kernel, which slows its senders. The conductor must not have promised anybody
    /// silence of this host after `now`.
    void service(picoseconds now);

    void frame_arrived(frame_ptr f) override;
    void signal_changed(bool present, bits_per_second rate) override;
    const counters& count() const { return count_; }
    bool link_up() const { return up_; }
    /// Readable when service() has something to do.
    int descriptor() const { return tap_; }

  private:
    void transmit(std::size_t length, picoseconds now);

    frame_pool& pool_;
    int tap_;
    bits_per_second rate_;
    cable_end* end_ = nullptr;
    picoseconds free_at_;
    bool up_ = false;
    counters count_;
    std::array<std::byte, 65'536> buffer_;
};

/// The host: its namespace and its ports.
class tap_bridge {
  public:
    /// `clock`: the domain of all its ports. Port i is `taps[i]` on a link of `rates[i]`. Throws
    /// namespace_error.
    tap_bridge(scheduler& clock, const std::string& name, frame_pool& pool,
               const std::vector<tap_parameters>& taps, const std::vector<bits_per_second>& rates);

    tap_port& port(std::size_t i) { return *ports_.at(i); }
    std::size_t ports() const { return ports_.size(); }
    net_namespace& kernel() { return namespace_; }

    void power_on();
    /// Moves frames and commands along; call it whenever a descriptor is readable, and at least every few
    /// milliseconds while commands run. Does not block.
    void service(picoseconds now);
    /// What to wait for.
    std::vector<int> descriptors() const;

  private:
    net_namespace namespace_;
    std::vector<std::unique_ptr<tap_port>> ports_;
};

} // namespace vg810::fabric
