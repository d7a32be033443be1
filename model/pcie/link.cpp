// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/link.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vg810::pcie {

namespace {

// PCI Express Base 5.0 tables 3-7 .. 3-9 (Ack) and 2-46 .. 2-48 (flow control updates), which agree for these
// widths: the recommended limit in symbol times, by width x1 .. x16 and MPS 128 .. 4096.
using limit_table = std::array<std::array<std::uint16_t, 6>, 5>;
constexpr limit_table limits_2_5_gt = {{{237, 416, 559, 1071, 2095, 4143},
                                        {128, 217, 289, 545, 1057, 2081},
                                        {73, 118, 154, 282, 538, 1050},
                                        {67, 107, 86, 150, 278, 534},
                                        {48, 72, 86, 150, 278, 534}}};
constexpr unsigned extra_5_gt = 51; // the 5 GT/s table is the first plus this, the 8 GT/s one plus 96
constexpr unsigned extra_8_gt = 96;

constexpr double acknowledge_octets = 8; // a DLLP with its framing (3.5.1, 4.2.2.2)
constexpr double skip_octets = 4;        // an ordered set for clock compensation every 1538 symbols (4.2.7.1)
constexpr double skip_interval = 1538;

double acknowledge_limit(std::int64_t generation, std::int64_t lanes, std::uint32_t mps) {
    const auto width = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(lanes)));
    const auto size = static_cast<std::size_t>(std::countr_zero(mps) - std::countr_zero(128U));
    const unsigned extra = generation == 1 ? 0 : generation == 2 ? extra_5_gt : extra_8_gt;
    return limits_2_5_gt.at(width).at(size) + extra;
}

template <class T> struct field {
    std::string_view key;
    range<T> allowed;
    std::string_view doc;
};
constexpr range<picoseconds> nanoseconds(std::int64_t least, std::int64_t most) {
    return {picoseconds::from_ns(least), picoseconds::from_ns(most)};
}

constexpr field<std::int64_t> generation_field{
    "generation", {1, 5}, "PCI Express generation: 2.5, 5, 8, 16 or 32 GT/s a lane; the card is a Gen4 one."};
constexpr field<std::int64_t> lanes_field{"lanes", {1, 16}, "Link width: 1, 2, 4, 8 or 16; the card has 8."};
constexpr field<std::int64_t> payload_field{
    "max_payload_supported",
    {128, 512},
    "Largest Max_Payload_Size offered, octets: 128, 256 or 512; usual for 25G cards."};
constexpr field<std::int64_t> write_field{"write_overhead",
                                          {0, 64},
                                          "Octets around a memory write's data; Neugebauer et al., SIGCOMM "
                                          "2018: framing 4, sequence and LCRC 4, header 16."};
constexpr field<std::int64_t> read_field{
    "read_overhead", {0, 64}, "Octets of a memory read request; the same source."};
constexpr field<std::int64_t> completion_field{
    "completion_overhead", {0, 64}, "Octets around a completion's data; the same source, header 12."};
constexpr field<picoseconds> write_latency_field{
    "memory_write_latency", nanoseconds(1, 100'000),
    "From a posted write's last symbol on the link to its visibility; an estimate, less than half a read "
    "round trip."};
constexpr field<picoseconds> read_latency_field{
    "memory_read_latency", nanoseconds(2, 100'000),
    "From a read request's last symbol to its data at the card, serialisation not counted; Neugebauer et al. "
    "measured "
    "about 550 to 650 ns for 64 octets on server root complexes."};
constexpr field<picoseconds> register_latency_field{
    "register_write_latency", nanoseconds(0, 100'000),
    "From the processor's store to its effect in the card; an estimate of a server's posted path."};
constexpr field<picoseconds> grouping_field{"touch_grouping", nanoseconds(0, 100'000),
                                            "Requests made at one instant whose packets leave within this "
                                            "time reach the host together, with the last; saves "
                                            "interruptions of a guest, 0 for none."};
constexpr field<std::int64_t> tags_field{
    "tags", {1, 256}, "Read requests a function can have outstanding; 256 is what 8-bit tags allow."};

template <class T> void in_range(const field<T>& f, T value) {
    if (value >= f.allowed.least && value <= f.allowed.most)
        return;
    throw std::invalid_argument("pcie." + std::string(f.key) + " is out of range: " + std::string(f.doc));
}

void power_of_two(const field<std::int64_t>& f, std::int64_t value) {
    in_range(f, value);
    if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
        throw std::invalid_argument("pcie." + std::string(f.key) +
                                    " is no power of two: " + std::string(f.doc));
}

template <class T> void show(parameter_visitor& v, const field<T>& f, T& value) {
    v.visit({f.key, f.doc}, value, f.allowed);
}

} // namespace

void link_parameters::describe(parameter_visitor& v) {
    show(v, generation_field, generation);
    show(v, lanes_field, lanes);
    show(v, payload_field, max_payload_supported);
    show(v, write_field, write_overhead);
    show(v, read_field, read_overhead);
    show(v, completion_field, completion_overhead);
    show(v, write_latency_field, memory_write_latency);
    show(v, read_latency_field, memory_read_latency);
    show(v, register_latency_field, register_write_latency);
    show(v, grouping_field, touch_grouping);
    show(v, tags_field, tags);
}

void link_parameters::check() const {
    in_range(generation_field, generation);
    power_of_two(lanes_field, lanes);
    power_of_two(payload_field, max_payload_supported);
    in_range(write_field, write_overhead);
    in_range(read_field, read_overhead);
    in_range(completion_field, completion_overhead);
    in_range(write_latency_field, memory_write_latency);
    in_range(read_latency_field, memory_read_latency);
    in_range(register_latency_field, register_write_latency);
    in_range(grouping_field, touch_grouping);
    in_range(tags_field, tags);
    if (memory_read_latency <= memory_write_latency)
        throw std::invalid_argument(
            "pcie.memory_read_latency must be above pcie.memory_write_latency: the request "
            "travels the same way");
}

link_timing::link_timing(const link_parameters& parameters) : parameters_(parameters), packet_rate_(1) {
    parameters_.check();
    set_max_payload(128);
}

bits_per_second link_timing::raw_rate() const {
    constexpr std::array<std::int64_t, 5> mega_transfers = {2'500, 5'000, 8'000, 16'000, 32'000};
    const std::int64_t transfers =
        mega_transfers.at(static_cast<std::size_t>(parameters_.generation - 1)) * 1'000'000;
    const std::int64_t lane = parameters_.generation <= 2 ? transfers / 10 * 8 : transfers / 130 * 128;
    return bits_per_second(lane * parameters_.lanes);
}

void link_timing::set_max_payload(std::uint32_t mps) {
    const double limit =
        acknowledge_limit(parameters_.generation, parameters_.lanes, std::clamp(mps, 128U, 4096U));
    const double share = 1 - 2 * acknowledge_octets / limit - skip_octets / skip_interval;
    packet_rate_ = bits_per_second(std::llround(static_cast<double>(raw_rate().count()) * share));
}

picoseconds link_timing::touch_latency() const {
    const bytes least =
        static_cast<bytes>(std::min(parameters_.read_overhead, parameters_.write_overhead + 4));
    return raw_rate().time_for(least) + to_memory(); // the raw rate bounds every packet rate
}

picoseconds link_timing::send(picoseconds& free, picoseconds now, bytes octets) const {
    free = std::max(free, now) + packet_rate_.time_for(octets);
    return free;
}

} // namespace vg810::pcie
