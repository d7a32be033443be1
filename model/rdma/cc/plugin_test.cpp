// SPDX-License-Identifier: Apache-2.0
// Users' shared objects: the example works, and what is wrong with others is told with the file and the cure.
#include "model/rdma/cc/plugin.h"

#include "model/rdma/cc/flow_control.h"
#include "model/rdma/cc/testing/script_algorithm.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <string>

using namespace vg810;
using namespace vg810::cc;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using testing::event_at;

namespace {

const std::string folder = VG810_CC_PLUGINS;

void refused(const std::string& named, const std::string& words) {
    CAPTURE(named);
    CHECK_THROWS_MATCHES(
        find_algorithm(named, folder), std::runtime_error,
        MessageMatches(ContainsSubstring(named.substr(named.rfind('/') + 1)) && ContainsSubstring(words)));
}

} // namespace

TEST_CASE("built-in algorithms are found by name, anything else is refused with the names") {
    CHECK(std::string(find_algorithm("swift")->name) == "swift");
    refused("swfit", "there are none, dcqcn, dcqcn-paper, timely, swift, hpcc");
}

TEST_CASE("the example is loaded and halves nothing without a mark, a tenth with one") {
    const parameter_value values[] = {{"increase", 1e9}};
    algorithm a(find_algorithm("./my_cc.so", folder), values, "./my_cc.so");
    CHECK(a.name() == "my_cc");
    flow f(a, {}, 0_ps);
    vg810_cc_event e = event_at(1'000'000, VG810_CC_ACK);
    e.acknowledged = 1024;
    e.sent = 10240;
    e.ecn_marked = 1;
    f.tell(e);
    CHECK(f.rate() == 22'500'000'000);
    f.tell(e); // the same round trip
    CHECK(f.rate() == 22'500'000'000);
    e.acknowledged = 10240;
    f.tell(e); // its mark came after the decrease
    CHECK(f.rate() == 20'250'000'000);
    e.ecn_marked = 0;
    f.tell(e);
    CHECK(f.rate() == 20'250'000'000 + 1'000'000'000);
    CHECK(a.misdeeds() == 0);
}

TEST_CASE("files that are no algorithm are refused with the reason") {
    refused("./absent.so", "no such file");
    refused("./", "not a file");
    refused("./text.so", "cannot be loaded");
    refused("./text.so", "cc -shared -fPIC");
    refused("./bad_symbol.so", "lacks the function vg810_cc_entry()");
    refused("./bad_abi.so", "built for version 2");
    refused("./bad_abi.so", "build it again with this vg810's header");
    refused("./bad_size.so", "built for version 1 (8 octets)");
    refused("./bad_null.so", "returns null");
}

TEST_CASE("an algorithm that answers nonsense is kept within sense") {
    algorithm a(find_algorithm("./bad_answers.so", folder), {}, "./bad_answers.so");
    std::string told;
    a.report_to([&](const std::string& text) { told += text + '\n'; });
    flow f(a, {}, 0_ps);
    for (std::uint64_t i = 1; i <= 200; ++i)
        f.tell(event_at(i * 1'000'000, VG810_CC_ACK));
    CHECK(f.rate() >= VG810_CC_LEAST_RATE);
    CHECK(f.rate() <= 25'000'000'000);
    CHECK(f.window() >= 1024);
    for (const misdeed m : {misdeed::rate_too_low, misdeed::rate_too_high, misdeed::window_too_low,
                            misdeed::timer_too_short, misdeed::timer_unknown, misdeed::state_overrun}) {
        CAPTURE(name_of(m));
        CHECK(a.count(m) > 0);
        CHECK_THAT(told, ContainsSubstring(std::string(name_of(m))));
    }
    CHECK_THAT(told, ContainsSubstring("./bad_answers.so (nonsense)"));
}
