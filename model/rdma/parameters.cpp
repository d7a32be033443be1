// SPDX-License-Identifier: Apache-2.0
#include "model/rdma/parameters.h"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

namespace vg810::rdma {

void transport_parameters::describe(parameter_visitor& v) {
    v.visit_size({"path_mtu", "Payload of a full packet: 256B, 512B, 1024B, 2048B or 4096B."}, path_mtu,
                 {256, 4096});
    v.visit(
        {"ack_every", "Data packets until an acknowledgement is asked for; a message's last always asks."},
        ack_every, {1, 65'536});
    v.visit_enum({"loss_recovery", "What is sent again after a loss."}, loss_recovery, recovery_names);
    v.visit({"timeout", "Local ACK timeout, 4.096 us x 2^timeout; 0: none."}, timeout, {0, 31});
    v.visit({"retry_count", "Timeouts and sequence errors in a row before the connection breaks."},
            retry_count, {0, 7});
    v.visit({"rnr_retry", "Receiver-not-ready answers in a row before it breaks; 7: without end."}, rnr_retry,
            {0, 7});
    v.visit({"rnr_timer", "5-bit code of how long peers wait after receiver-not-ready."}, rnr_timer, {0, 31});
    v.visit({"adaptive_retransmission", "First retries come sooner than the timeout says."},
            adaptive_retransmission);
    v.visit({"max_reads", "READ requests outstanding."}, max_reads, {1, 255});
    v.visit({"max_outstanding", "Packets without acknowledgement."}, max_outstanding, {1, 1 << 22});
}

void transport_parameters::check() const {
    if (!std::has_single_bit(path_mtu) || path_mtu < 256 || path_mtu > 4096)
        throw std::invalid_argument("path_mtu is " + std::to_string(path_mtu) +
                                    " octets; there are 256, 512, 1024, 2048 and 4096");
}

void notification_parameters::describe(parameter_visitor& v) {
    v.visit({"on", "Answers packets marked CE with CNPs."}, on);
    v.visit({"min_time_between_cnps", "Least time between two CNPs of one scope."}, min_time_between_cnps,
            any_time);
    v.visit_enum({"scope", "What that time holds for: a queue pair, a destination address, the port."}, scope,
                 cnp_scope_names);
    v.visit({"cnp_dscp", "DSCP of CNPs."}, cnp_dscp, {0, 63});
}

picoseconds rnr_delay(unsigned code) {
    static constexpr std::array<std::int64_t, 32> ten_us{
        65'536, 1,     2,     3,     4,     6,      8,      12,     16,     24,    32,
        48,     64,    96,    128,   192,   256,    384,    512,    768,    1'024, 1'536,
        2'048,  3'072, 4'096, 6'144, 8'192, 12'288, 16'384, 24'576, 32'768, 49'152};
    return picoseconds(ten_us[code & 31] * 10'000'000);
}

} // namespace vg810::rdma
