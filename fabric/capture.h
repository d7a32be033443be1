// SPDX-License-Identifier: Apache-2.0
// Captures one cable into one pcapng file: a packet for every frame that enters the cable, stamped with its
// first preamble bit, in the order of time whatever order the domains at the two ends were run in.
#pragma once

#include "fabric/cable.h"
#include "fabric/pcapng.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace vg810::fabric {

/// The tap and its file. Frames sent by side a are marked outbound, those of side b inbound. Must outlive the
/// cable's events, and the cable must outlive it.
class capture final : public wire_tap {
  public:
    /// Throws std::system_error when the file cannot be made.
    capture(cable& c, std::string path, pcapng_writer::error_handler on_error);

    void frame_sent(cable_side from, const frame& f, picoseconds first_bit) override;

    /// Writes out what is certain to precede everything still to come.
    void flush();
    /// Writes out everything and closes the file; call it when the run is over.
    void finish();

    const pcapng_writer& file() const { return file_; }

  private:
    struct pending {
        picoseconds first_bit;
        bytes length;
        bool fcs_bad;
        std::vector<std::byte> octets;
    };
    picoseconds horizon(cable_side s) const;
    bool goes_first(cable_side s) const;
    void write_front(cable_side s);
    void write_decided();
    std::deque<pending>& waiting(cable_side s) { return waiting_[static_cast<std::size_t>(s)]; }
    const std::deque<pending>& waiting(cable_side s) const { return waiting_[static_cast<std::size_t>(s)]; }

    cable& cable_;
    pcapng_writer file_;
    std::array<std::deque<pending>, 2> waiting_;
};

} // namespace vg810::fabric
