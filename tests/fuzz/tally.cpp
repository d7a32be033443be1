// SPDX-License-Identifier: Apache-2.0
#include "fuzz/tally.h"

#include <cinttypes>
#include <cstdio>
#include <numeric>

namespace vg810::fuzz {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(operation::kinds)> operation_names{
    "bar reads",      "bar writes",     "doorbells",      "config reads", "config writes",
    "admin commands", "tx descriptors", "rx descriptors", "frames"};

void print_numbers(const char* what, const std::map<unsigned, std::uint64_t>& seen) {
    std::printf("%-22s", what);
    for (const auto& [value, times] : seen)
        std::printf(" %u:%" PRIu64, value, times);
    std::printf("\n");
}

} // namespace

std::uint64_t tally::total() const {
    return std::accumulate(operations.begin(), operations.end(), std::uint64_t{0});
}

void tally::print() const {
    for (std::size_t i = 0; i < operations.size(); ++i)
        std::printf("%-22s %10" PRIu64 "\n", operation_names[i], operations[i]);
    std::printf("%-22s %10" PRIu64 ", %" PRIu64 " of them twisted\n", "operations", total(), twisted);
    for (const auto& [what, times] : done)
        std::printf("  %-20s %10" PRIu64 "\n", what.c_str(), times);
    print_numbers("admin statuses", admin_statuses);
    print_numbers("TX completion statuses", tx_statuses);
    print_numbers("RX completion statuses", rx_statuses);
    print_numbers("queue errors", queue_errors);
    print_numbers("event types", event_types);
    print_numbers("fatal errors", fatal_errors);
    print_numbers("link reasons", link_reasons);
    print_numbers("AER uncorrectable bits", uncorrectable);
    print_numbers("AER correctable bits", correctable);
    print_numbers("PCIe error messages", error_messages);
    std::printf("%-22s %10" PRIu64 " in all, at most %" PRIu64 " between two operations\n", "events", events,
                most_events);
    std::printf("%-22s %10" PRIu64 " checked, %" PRIu64 " interrupts\n", "DMA requests", dma_requests,
                interrupts);
    std::printf("%-22s %10" PRIu64 " doorbells seen, %" PRIu64 " frames out, %" PRIu64 " frames in\n",
                "both functions", doorbells_seen, frames_out, frames_in);
    std::printf("%-22s %10" PRIu64 " signs on the cable within a promise\n", "lookahead", lookaheads);
    std::printf("%-22s %10" PRIu64 " frames verified, none lost or wrong\n", "function next door",
                clean_frames);
    std::printf("%-22s %10" PRIu64 " resets, %" PRIu64 " frames verified behind them\n", "recovered",
                recovered, recovery_frames);
}

} // namespace vg810::fuzz
