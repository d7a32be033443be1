// SPDX-License-Identifier: Apache-2.0
// What a scenario may do to a link: as plain data, and what one way of a cable makes of it. Left out: damage
// to single octets (a damaged frame is known by its FCS), faults of one lane.
#pragma once

#include "core/frame.h"
#include "core/parameters.h"
#include "core/random.h"
#include "core/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vg810::fabric {

class network;

enum class fault_kind : std::uint8_t {
    down,       ///< no signal from `at` to `until`
    flapping,   ///< down and up again, `count` times
    degraded,   ///< both ends transmit at `rate` instead of the link's
    bit_errors, ///< each bit is wrong with probability `bit_error_rate`: the frame's FCS tells
    loss,       ///< every `every`-th frame vanishes
    delay,      ///< frames take `extra` longer; they stay in order
};
inline constexpr std::string_view fault_kind_names[] = {"down",       "flapping", "degraded",
                                                        "bit-errors", "loss",     "delay"};

/// The way of a link that a fault concerns: a link joins its end a with its end b ("host0.0": a is the host;
/// "leaf0-spine1": a is the leaf).
enum class fault_way : std::uint8_t { both, a_to_b, b_to_a };
inline constexpr std::string_view fault_way_names[] = {"both", "a-to-b", "b-to-a"};

struct link_fault {
    std::string link;
    fault_kind kind = fault_kind::down;
    picoseconds at;
    std::optional<picoseconds> until;                     ///< exclusive; not set: to the end of the run
    fault_way way = fault_way::both;                      ///< bit_errors, loss and delay only
    picoseconds period = picoseconds::from_ns(1'000'000); ///< of flapping
    double down_share = 0.5;                              ///< of a period
    std::int64_t count = 1;
    std::optional<bits_per_second> rate;
    double bit_error_rate = 0;
    std::int64_t every = 0;
    bytes at_least = 0; ///< loss counts frames of this length (without FCS) or more only
    picoseconds extra;

    void describe(parameter_visitor& v);
    /// Throws topology_error, naming the link and the reason, for what makes no sense by itself.
    void check() const;
};

/// Puts the faults on the links of a network, before it runs. `seed`: of the run; each way of a link draws
/// its bit errors from a stream of its own. Throws topology_error when there is no such link, the rate is not
/// below the link's, or two faults of one kind are on at the same time.
void apply_faults(network& n, const std::vector<link_fault>& faults, std::uint64_t seed);

/// What one way of a cable does to the frames sent into it.
class impairments {
  public:
    impairments(std::uint64_t seed, std::string_view way) : random_(seed, way) {}

    void add(const link_fault& f);

    struct verdict {
        bool lost = false;
        bool damaged = false;
        picoseconds extra{};
    };
    /// For a frame whose last bit leaves at `last_bit`. Calls come in the order of sending. MAC control
    /// frames are not counted by loss.
    verdict meet(const frame& f, picoseconds first_bit, picoseconds last_bit);

  private:
    struct window {
        link_fault fault;
        std::uint64_t rate = 0;      // bit errors: -ln(1 - bit_error_rate) x 2^60
        std::uint64_t bits_left = 0; // until the next wrong one
        std::int64_t counted = 0;
        bool covers(picoseconds t) const { return t >= fault.at && (!fault.until || t < *fault.until); }
    };
    std::uint64_t draw_gap(const window& w);
    bool hits(window& w, const frame& f);

    random_stream random_;
    std::vector<window> windows_;
    picoseconds out_of_the_way_; // the last frame's last bit with its extra delay
};

} // namespace vg810::fabric
