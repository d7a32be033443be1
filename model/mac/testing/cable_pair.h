// SPDX-License-Identifier: Apache-2.0
// A cable between two ports of one domain, for tests of the card alone.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"

#include <array>

namespace vg810::testing {

class cable_pair final : public component {
  public:
    cable_pair(scheduler& clock, std::string name, picoseconds latency)
        : component(clock, std::move(name)), latency_(latency), ends_{end(*this, 0), end(*this, 1)} {}

    /// What port `i` plugs in, and where the other end's frames go.
    cable_end& plug(unsigned i, wire_receiver& receiver) {
        receivers_[i] = &receiver;
        return ends_[i];
    }
    std::array<std::uint64_t, 2> frames{}; ///< sent by each end
    /// Damages every n-th frame of either end; 0 for none.
    std::uint64_t damage_every = 0;

  private:
    struct end final : cable_end {
        end(cable_pair& c, unsigned i) : cable(c), index(i) {}
        void send(frame_ptr f, picoseconds, picoseconds last_bit) override {
            if (cable.damage_every != 0 && ++cable.frames[index] % cable.damage_every == 0)
                f->fcs_bad = true;
            cable.schedule<&end::arrive>(last_bit + cable.latency_, this, f.release(),
                                         cable.receivers_[1 - index]->quiet_after_arrival());
        }
        void set_signal(bool on, bits_per_second rate) override {
            cable.schedule<&end::light>(cable.now() + cable.latency_, this,
                                        on ? static_cast<std::uint64_t>(rate.count()) : 0);
        }
        picoseconds min_latency() const override { return cable.latency_; }
        void arrive(std::uint64_t released) {
            cable.receivers_[1 - index]->frame_arrived(frame_ptr::adopt(released));
        }
        void light(std::uint64_t rate) {
            cable.receivers_[1 - index]->signal_changed(
                rate != 0, bits_per_second(rate != 0 ? static_cast<std::int64_t>(rate) : 1));
        }
        cable_pair& cable;
        unsigned index;
    };

    picoseconds latency_;
    std::array<wire_receiver*, 2> receivers_{};
    std::array<end, 2> ends_;
};

} // namespace vg810::testing
