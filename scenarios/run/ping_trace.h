// SPDX-License-Identifier: Apache-2.0
// Follows ICMP echoes (RFC 792) through the cards: doorbell -> frame out -> frame in -> interrupt, at both
// ends, each with the card's exact time; and compares the way on the wire with the fabric's closed form.
#pragma once

#include "core/address.h"
#include "core/frame.h"
#include "core/units.h"
#include "model/host_if/observer.h"

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// An echo request or reply.
struct echo_id {
    bool reply = false;
    std::uint16_t identifier = 0;
    std::uint16_t sequence = 0;
    auto operator<=>(const echo_id&) const = default;
};

/// The echo in a frame, if it is an unfragmented one over IPv4.
std::optional<echo_id> echo_of(const frame& f);

/// What one card saw of echoes. Its calls come in the card's domain.
class ping_recorder final : public card_observer {
  public:
    struct sent_echo {
        echo_id id;
        unsigned function;
        bytes length;
        picoseconds doorbell; ///< the last before it
        picoseconds out;
    };
    struct received_echo {
        echo_id id;
        unsigned function;
        picoseconds in;
        std::optional<picoseconds> interrupt; ///< the first after it
    };

    void doorbell_seen(unsigned function, std::uint16_t queue, picoseconds at) override;
    void frame_out(unsigned function, const frame& f, picoseconds at) override;
    void frame_in(unsigned function, const frame& f, picoseconds at) override;
    void interrupt_sent(unsigned function, std::uint16_t vector, picoseconds at) override;

    const std::vector<sent_echo>& sent() const { return sent_; }
    const std::vector<received_echo>& received() const { return received_; }

  private:
    std::array<picoseconds, 8> last_doorbell_{};
    std::vector<sent_echo> sent_;
    std::vector<received_echo> received_;
    std::array<std::vector<std::size_t>, 8> awaiting_interrupt_; ///< indices into received_
};

/// One echo request with its reply: all eight stations.
struct ping_trip {
    std::string from, to;
    unsigned function = 0; ///< of the asking host
    unsigned far_function = 0;
    echo_id id;
    bytes length = 0;
    picoseconds doorbell, out, far_in, far_interrupt, far_doorbell, far_out, in, interrupt;

    picoseconds wire() const { return (far_in - out) + (in - far_out); }
    picoseconds far_host() const { return far_out - far_in; }
    picoseconds total() const { return interrupt - doorbell; }
};

struct traced_card {
    std::string host;
    const ping_recorder* recorder;
};

/// The complete trips that hosts' cards saw, in order of their start.
std::vector<ping_trip> find_trips(const std::vector<traced_card>& cards);

/// Time from a frame's first bit out of a port to its arrival at another, nothing else on the way.
using closed_form = std::function<picoseconds(const std::string& from, unsigned from_port,
                                              const std::string& to, unsigned to_port, bytes length)>;

/// For summary.json, in picoseconds.
nlohmann::ordered_json to_json(const ping_trip& trip, const closed_form& expected);
/// A table for the terminal.
std::string to_table(const ping_trip& trip, const closed_form& expected);
/// Relative difference of the wire part from the closed form.
double wire_error(const ping_trip& trip, const closed_form& expected);

} // namespace vg810::scenarios
