// SPDX-License-Identifier: Apache-2.0
// What can be set about the transport of a port's queue pairs.
#pragma once

#include "core/parameters.h"
#include "core/units.h"

#include <cstdint>
#include <string_view>

namespace vg810::rdma {

/// What is sent again after a loss.
enum class recovery : std::uint8_t {
    go_back_n, ///< from the missing packet on (IBTA 9.7)
    go_back_0, ///< the message from its first packet (what Guo et al., SIGCOMM 2016, section 4.1, met)
    selective, ///< what is missing alone (after IRN, Mittal et al., SIGCOMM 2018); both ends must have it
};
inline constexpr std::string_view recovery_names[] = {"go-back-n", "go-back-0", "selective"};

/// For which key the least time between two CNPs holds.
enum class cnp_scope : std::uint8_t { queue_pair, destination, port };
inline constexpr std::string_view cnp_scope_names[] = {"qp", "ip", "port"};

struct transport_parameters {
    bytes path_mtu = 1024;       ///< payload octets of a full packet: 256, 512, 1024, 2048, 4096
    std::int64_t ack_every = 16; ///< data packets until an acknowledgement is asked for; a message's last
                                 ///< packet always asks
    recovery loss_recovery = recovery::go_back_n;
    std::int64_t timeout = 14; ///< local ACK timeout: 4.096 us x 2^timeout; 0: none
    std::int64_t retry_count = 7;
    std::int64_t rnr_retry = 7;  ///< 7: without end
    std::int64_t rnr_timer = 12; ///< the 5-bit code of IBTA table 45 that this end asks its peers to wait
    bool adaptive_retransmission = false;
    std::int64_t max_reads = 16;            ///< READ requests outstanding
    std::int64_t max_outstanding = 1 << 20; ///< packets without acknowledgement

    void describe(parameter_visitor& v);
    /// Throws std::invalid_argument that names key and value.
    void check() const;
};

/// The notification point (A17.9.3 and the vendors' np_* settings).
struct notification_parameters {
    bool on = true;
    picoseconds min_time_between_cnps = 4_us;
    cnp_scope scope = cnp_scope::queue_pair;
    std::int64_t cnp_dscp = 48;

    void describe(parameter_visitor& v);
};

/// IBTA 9.7.6.1.3: 4.096 us x 2^code. Range: 1 .. 31.
constexpr picoseconds ack_timeout(unsigned code) {
    return picoseconds(std::int64_t{4'096'000} << code);
}
/// IBTA table 45, by the 5-bit code of an RNR NAK.
picoseconds rnr_delay(unsigned code);

} // namespace vg810::rdma
