// SPDX-License-Identifier: Apache-2.0
// What operators count on a RoCE port, under the names of the Linux drivers' hw_counters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace vg810::rdma {

struct counters {
    std::uint64_t tx_data_packets = 0;
    std::uint64_t rx_data_packets = 0; ///< accepted in order (selective: or kept)
    std::uint64_t rx_data_octets = 0;  ///< payload of these
    std::uint64_t retransmitted_packets = 0;
    std::uint64_t acks_sent = 0;
    std::uint64_t out_of_sequence = 0;     ///< responder: a packet ahead of the expected one
    std::uint64_t duplicate_request = 0;   ///< responder: one that had come before
    std::uint64_t packet_seq_err = 0;      ///< requester: NAKs for a sequence error received
    std::uint64_t implied_nak_seq_err = 0; ///< requester: a gap among READ responses, or an ACK past one
    std::uint64_t local_ack_timeout_err = 0;
    std::uint64_t rnr_nak_retry_err = 0; ///< requester: RNR NAKs received
    std::uint64_t out_of_buffer = 0;     ///< responder: no receive request
    std::uint64_t rx_unknown_qp = 0;
    std::uint64_t rx_malformed = 0;
    std::uint64_t np_ecn_marked_roce_packets = 0;
    std::uint64_t np_cnp_sent = 0;
    std::uint64_t rp_cnp_handled = 0;

    using item = std::pair<std::string_view, std::uint64_t>;
    std::array<item, 17> list() const {
        return {item{"tx_data_packets", tx_data_packets},
                {"rx_data_packets", rx_data_packets},
                {"rx_data_octets", rx_data_octets},
                {"retransmitted_packets", retransmitted_packets},
                {"acks_sent", acks_sent},
                {"out_of_sequence", out_of_sequence},
                {"duplicate_request", duplicate_request},
                {"packet_seq_err", packet_seq_err},
                {"implied_nak_seq_err", implied_nak_seq_err},
                {"local_ack_timeout_err", local_ack_timeout_err},
                {"rnr_nak_retry_err", rnr_nak_retry_err},
                {"out_of_buffer", out_of_buffer},
                {"rx_unknown_qp", rx_unknown_qp},
                {"rx_malformed", rx_malformed},
                {"np_ecn_marked_roce_packets", np_ecn_marked_roce_packets},
                {"np_cnp_sent", np_cnp_sent},
                {"rp_cnp_handled", rp_cnp_handled}};
    }
};

} // namespace vg810::rdma
