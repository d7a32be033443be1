// SPDX-License-Identifier: Apache-2.0
// What a run did and saw: how often each kind of operation, and which answers of the card.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace vg810::fuzz {

/// The card or the simulator did what it must never do.
struct violation : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class operation : std::uint8_t {
    bar_read,
    bar_write,
    doorbell,
    config_read,
    config_write,
    admin_command,
    tx_descriptor,
    rx_descriptor,
    frame,
    kinds
};

struct tally {
    std::array<std::uint64_t, static_cast<std::size_t>(operation::kinds)> operations{};
    std::uint64_t twisted = 0; ///< operations with a field that was made wrong
    std::map<std::string, std::uint64_t> done;
    std::map<unsigned, std::uint64_t> admin_statuses, tx_statuses, rx_statuses, queue_errors, event_types,
        fatal_errors, link_reasons, uncorrectable, correctable, error_messages;

    std::uint64_t clean_frames = 0; ///< verified on the function next door
    std::uint64_t recovered = 0;    ///< times that the function worked again after a reset
    std::uint64_t recovery_frames = 0;
    std::uint64_t events = 0; ///< of the scheduler
    std::uint64_t most_events = 0;
    std::uint64_t dma_requests = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t lookaheads = 0;
    std::uint64_t doorbells_seen = 0, frames_out = 0, frames_in = 0; ///< both functions

    void count(operation o, std::uint64_t n = 1) { operations[static_cast<std::size_t>(o)] += n; }
    std::uint64_t total() const;
    /// Many lines, on stdout.
    void print() const;
};

} // namespace vg810::fuzz
