// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_parameters.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <functional>
#include <stdexcept>

using namespace vg810;
using namespace vg810::fabric;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {
switch_parameters good() {
    switch_parameters p;
    p.buffer.total = 1'000'000;
    p.buffer.headroom = 10'000;
    p.pfc.priorities = {3};
    p.marking = {{.priorities = {3}, .kmin = 5'000, .kmax = 200'000, .pmax = 0.01}};
    return p;
}
} // namespace

TEST_CASE("The defaults and a usual lossless set-up make sense") {
    CHECK_NOTHROW(switch_parameters{}.check());
    CHECK_NOTHROW(good().check(32));
    CHECK(good().lossless() == 0b1000);
    CHECK(switch_parameters{}.lossless() == 0);
}

TEST_CASE("Nonsense is refused, by key and value") {
    const struct {
        std::function<void(switch_parameters&)> spoil;
        std::string says;
    } rows[] = {
        {[](auto& p) { p.buffer.headroom = 2'000'000; }, "buffer.headroom = 2000000"},
        {[](auto& p) { p.buffer.headroom = 40'000; }, "buffer.total = 1000000 is too small"},
        {[](auto& p) { p.buffer.alpha = 0; }, "buffer.alpha = 0.0"},
        {[](auto& p) { p.buffer.lossy_alpha = -1; }, "buffer.lossy_alpha = -1.0"},
        {[](auto& p) { p.buffer.cell = 0; }, "buffer.cell"},
        {[](auto& p) { p.buffer.xoff = 2'000; }, "buffer.xon_offset = 2496"},
        {[](auto& p) { p.buffer = {}; }, "buffer.total is 0"},
        {[](auto& p) { p.marking[0].kmax = 4'999; }, "marking.kmax = 4999 is below marking.kmin = 5000"},
        {[](auto& p) { p.marking[0].pmax = 1.5; }, "marking.pmax = 1.5"},
        {[](auto& p) { p.marking.push_back(p.marking[0]); }, "priority 3 twice"},
        {[](auto& p) {
             p.pfc.priorities = {3, 3};
         },
         "pfc.priorities has 3 twice"},
        {[](auto& p) { p.pfc.priorities = {8}; }, "not within 0..7"},
        {[](auto& p) { p.pfc.refresh_quanta = 0xffff; }, "pfc.refresh_quanta = 65535"},
        {[](auto& p) { p.classes = {{.priority = 2, .weight = 0}}; }, "classes.weight = 0"},
        {[](auto& p) {
             p.trust.dscp_map = {1, 2};
         },
         "trust.dscp_map has 2 entries"},
        {[](auto& p) { p.trust.remark_dscp = {1}; }, "trust.remark_dscp has 1"},
        {[](auto& p) { p.watchdog.on = true, p.pfc = {}; }, "watchdog.on"},
        {[](auto& p) { p.cut_through_bytes = 20; }, "cut_through_bytes = 20"},
    };
    for (const auto& row : rows) {
        switch_parameters p = good();
        row.spoil(p);
        CHECK_THROWS_MATCHES(p.check(32), std::invalid_argument, MessageMatches(ContainsSubstring(row.says)));
    }
}
