// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/link.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>

using namespace vg810;
using namespace vg810::pcie;
using Catch::Approx;

namespace {

link_timing make(std::int64_t generation, std::int64_t lanes, std::uint32_t mps) {
    link_parameters p;
    p.generation = generation;
    p.lanes = lanes;
    link_timing l(p);
    l.set_max_payload(mps);
    return l;
}

double gbps(bits_per_second r) {
    return static_cast<double>(r.count()) * 1e-9;
}

std::string refusal(const link_parameters& p) {
    try {
        p.check();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("raw and packet rates, Neugebauer et al., SIGCOMM 2018") {
    CHECK(gbps(make(3, 8, 256).raw_rate()) == Approx(63.015).epsilon(1e-4));
    CHECK(gbps(make(3, 8, 256).packet_rate()) == Approx(57.885).epsilon(1e-4));
    CHECK(gbps(make(4, 8, 256).raw_rate()) == Approx(126.03).epsilon(1e-4));
    CHECK(gbps(make(4, 8, 256).packet_rate()) == Approx(115.77).epsilon(1e-4));
    CHECK(gbps(make(1, 8, 256).raw_rate()) == Approx(16.0)); // 8b/10b
    CHECK(gbps(make(2, 16, 128).raw_rate()) == Approx(64.0));
}

TEST_CASE("acknowledgements are rarer or more frequent with another payload size") {
    // PCI Express Base 5.0 table 3-9, x8: 163, 203, 182 symbols at 128, 256, 512 octets.
    const double raw = gbps(make(4, 8, 256).raw_rate());
    CHECK(gbps(make(4, 8, 128).packet_rate()) == Approx(raw * (1 - 16.0 / 163 - 4.0 / 1538)));
    CHECK(gbps(make(4, 8, 512).packet_rate()) == Approx(raw * (1 - 16.0 / 182 - 4.0 / 1538)));
    CHECK(gbps(make(1, 1, 128).packet_rate()) == Approx(2.0 * (1 - 16.0 / 237 - 4.0 / 1538)));
    CHECK(gbps(make(2, 4, 4096).packet_rate()) == Approx(16.0 * (1 - 16.0 / 1101 - 4.0 / 1538)));
}

TEST_CASE("the two directions are independent, each carries one packet after the other") {
    link_timing l = make(4, 8, 256);
    const picoseconds one = l.packet_rate().time_for(280);
    CHECK(l.send_upstream(1_us, 280) == 1_us + one);
    CHECK(l.send_upstream(1_us, 280) == 1_us + one + one);
    CHECK(l.send_downstream(1_us, 280) == 1_us + one);
    CHECK(l.send_upstream(9_us, 280) == 9_us + one); // idle in between
}

TEST_CASE("the touch latency is a lower bound for every packet at every payload size") {
    for (const std::uint32_t mps : {128U, 256U, 512U}) {
        link_timing l = make(4, 8, mps);
        const picoseconds read = l.send_upstream(1_us, 24) + l.to_memory() - 1_us;
        CHECK(read >= l.touch_latency());
        CHECK(read - l.touch_latency() < 1_ns);
    }
}

TEST_CASE("parameters out of range are refused by name") {
    link_parameters p;
    CHECK(refusal(p).empty());
    p.lanes = 3;
    CHECK(refusal(p).find("pcie.lanes") != std::string::npos);
    p = {};
    p.generation = 6;
    CHECK(refusal(p).find("pcie.generation") != std::string::npos);
    p = {};
    p.tags = 0;
    CHECK(refusal(p).find("pcie.tags") != std::string::npos);
    p = {};
    p.memory_write_latency = picoseconds{};
    CHECK(refusal(p).find("pcie.memory_write_latency") != std::string::npos);
    p = {};
    p.memory_read_latency = p.memory_write_latency;
    CHECK(refusal(p).find("pcie.memory_read_latency") != std::string::npos);
    p = {};
    p.max_payload_supported = 384;
    CHECK_THROWS_AS(link_timing(p), std::invalid_argument);
}
