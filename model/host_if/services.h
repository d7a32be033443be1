// SPDX-License-Identifier: Apache-2.0
// What the blocks of one function share: its clock, its way to the host, its registers, and where they report
// errors.
#pragma once

#include "core/scheduler.h"
#include "model/host_if/dma_engine.h"
#include "model/host_if/parameters.h"
#include "model/regs/register_file.h"

namespace vg810 {

class error_reporter {
  public:
    virtual ~error_reporter() = default;
    /// The queue has stopped; only destroying and creating it anew helps.
    virtual void queue_stopped(regs::queue_kind kind, std::uint32_t id, regs::queue_error error) = 0;
    virtual void bad_doorbell() = 0;
    /// A queue that was told to stop has nothing under way any more.
    virtual void queue_drained() = 0;
    virtual void fatal(regs::fatal_error error) = 0;
};

struct services {
    component& events;
    dma_engine& dma;
    regs::register_file& registers;
    error_reporter& errors;
    const host_if_parameters& parameters;
    const host_path_minima& minima;

    picoseconds now() const { return events.now(); }
    /// The features that driver and card have agreed on; 0 before CONTROL.features_ok.
    std::uint64_t features() const {
        return registers.get<regs::CONTROL, regs::CONTROL::features_ok>()
                   ? registers.get(regs::reg::DRIVER_FEATURES)
                   : 0;
    }
    template <typename Feature> bool has() const { return Feature::get(features()); }
    std::uint64_t& count(regs::counter c) const { return registers.count(c); }
};

/// 1 in the first pass over a ring of 2^log2 entries, 0 in the second, and so on.
constexpr std::uint8_t ring_phase(std::uint32_t free_running_index, unsigned log2) {
    return static_cast<std::uint8_t>(~(free_running_index >> log2) & 1);
}

} // namespace vg810
