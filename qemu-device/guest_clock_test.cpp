// SPDX-License-Identifier: Apache-2.0
// The simulator's half of the time synchronisation against a thread that plays the plugin.
#include "qemu-device/guest_clock.h"

#include <catch2/catch_test_macros.hpp>

#include <poll.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

using namespace vg810::qemu;

namespace {

// A guest that runs at once to the end of its grant, and takes an interrupt at the second delivery.
class fake_plugin {
  public:
    explicit fake_plugin(const guest_clock& clock) : notify_(dup(clock.notify_fd())) {
        void* mapped =
            mmap(nullptr, sizeof(vg810_sync_page), PROT_READ | PROT_WRITE, MAP_SHARED, clock.memory_fd(), 0);
        REQUIRE(mapped != MAP_FAILED);
        page = static_cast<vg810_sync_page*>(mapped);
        REQUIRE(page->magic == VG810_SYNC_MAGIC);
        stopper_ = std::thread([this] { serve_orders(); });
        teller_ = std::thread([this] { serve_questions(); });
    }
    ~fake_plugin() {
        done_ = true;
        stopper_.join();
        teller_.join();
        munmap(page, sizeof *page);
    }

    void stop_at(std::int64_t now, std::uint32_t phase = VG810_SYNC_STOPPED) {
        page->stop.now_ns = now;
        page->stop.next_timer_ns = now + 1000;
        page->stop.halted = 1;
        page->stop.phase = phase;
        shared_page::post(page->stop.sequence);
        const std::uint64_t one = 1;
        REQUIRE(write(notify_.get(), &one, sizeof one) == sizeof one);
    }

    vg810_sync_page* page;
    std::atomic<bool> holds = false; ///< a grant does not end by itself
    std::atomic<int> deliveries = 0;
    std::atomic<std::int64_t> now = 0;
    std::atomic<std::int64_t> cut = VG810_SYNC_NO_CUT;

  private:
    void serve_orders() {
        std::uint32_t seen = 0;
        while (!done_) {
            if (shared_page::load(page->order.sequence) == seen) {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                continue;
            }
            seen = shared_page::load(page->order.sequence);
            if (page->order.command == VG810_SYNC_DELIVER) {
                ++deliveries;
                shared_page::post(page->stop.sequence);
            } else if (!holds) {
                stop_at(page->order.until_ns);
            }
        }
    }
    void serve_questions() {
        std::uint32_t seen = 0;
        while (!done_) {
            if (shared_page::load(page->question.sequence) == seen) {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                continue;
            }
            seen = shared_page::load(page->question.sequence);
            cut = page->question.cut_ns;
            page->answer.now_ns = now;
            __atomic_store_n(&page->answer.sequence, seen, __ATOMIC_RELEASE);
        }
    }

    file_descriptor notify_;
    std::atomic<bool> done_ = false;
    std::thread stopper_;
    std::thread teller_;
};

void wait_for_stop(guest_clock& clock) {
    pollfd p{clock.notify_fd(), POLLIN, 0};
    REQUIRE(poll(&p, 1, 5000) == 1);
    clock.on_notify();
}

} // namespace

TEST_CASE("a guest starts stopped at 0 and runs from grant to grant") {
    guest_clock clock;
    fake_plugin plugin(clock);
    CHECK(clock.state() == guest_state::starting);
    plugin.stop_at(0);
    wait_for_stop(clock);
    REQUIRE(clock.state() == guest_state::stopped);
    CHECK(clock.now_ns() == 0);
    CHECK(clock.halted());
    CHECK(clock.next_timer_ns() == 1000);
    for (std::int64_t until : {500, 10'000'000}) {
        clock.grant(until);
        CHECK(clock.granted_ns() == until);
        wait_for_stop(clock);
        REQUIRE(clock.state() == guest_state::stopped);
        CHECK(clock.now_ns() == until);
    }
    CHECK(clock.counts().stops == 3);
    CHECK(clock.syncs() == 3);
    CHECK(clock.counts().running_wall.count() > 0);
}

TEST_CASE("an access learns the exact time and cuts the grant only if something is due earlier") {
    guest_clock clock;
    fake_plugin plugin(clock);
    plugin.holds = true;
    plugin.stop_at(0);
    wait_for_stop(clock);
    clock.grant(1'000'000);
    plugin.now = 1234;
    CHECK(clock.enter_access() == 1234);
    CHECK(clock.state() == guest_state::in_access);
    CHECK(clock.now_ns() == 1234);
    clock.leave_access(2'000'000);
    CHECK(clock.state() == guest_state::running);
    CHECK(clock.granted_ns() == 1'000'000);
    CHECK(plugin.cut == VG810_SYNC_NO_CUT);
    plugin.now = 2345;
    CHECK(clock.enter_access() == 2345);
    clock.leave_access(7345);
    CHECK(plugin.cut == 7345);
    CHECK(clock.granted_ns() == 7345);
    plugin.stop_at(7345);
    wait_for_stop(clock);
    CHECK(clock.now_ns() == 7345);
    CHECK(clock.counts().accesses == 2);
    CHECK(clock.counts().cuts == 1);
}

TEST_CASE("accesses while the machine is built happen at time 0") {
    guest_clock clock;
    CHECK(clock.enter_access() == 0);
    clock.leave_access(0);
    CHECK(clock.state() == guest_state::starting);
}

TEST_CASE("interrupts are polled for until taken, and no longer than a bound") {
    guest_clock::options o;
    o.answer_limit = std::chrono::milliseconds(300);
    guest_clock clock(o);
    fake_plugin plugin(clock);
    plugin.stop_at(0);
    wait_for_stop(clock);
    clock.deliver_interrupts([&] { return plugin.deliveries < 2; });
    CHECK(plugin.deliveries == 2);
    CHECK(clock.state() == guest_state::stopped);
    clock.deliver_interrupts([] { return false; });
    CHECK(plugin.deliveries == 2);
    CHECK_THROWS_AS(clock.deliver_interrupts([] { return true; }), sync_error);
}

TEST_CASE("no wait outlives QEMU or its limit") {
    guest_clock::options o;
    o.answer_limit = std::chrono::milliseconds(300);
    guest_clock clock(o);
    {
        fake_plugin plugin(clock);
        plugin.holds = true;
        plugin.stop_at(0);
        wait_for_stop(clock);
        clock.grant(100);
    }
    CHECK_THROWS_AS(clock.enter_access(), sync_error);
    guest_clock dead;
    {
        fake_plugin plugin(dead);
        plugin.holds = true;
        plugin.stop_at(0);
        wait_for_stop(dead);
        dead.grant(100);
    }
    dead.set_liveness([] { return false; });
    CHECK_THROWS_AS(dead.enter_access(), sync_error);
    dead.set_exited();
    CHECK(dead.state() == guest_state::exited);
}

TEST_CASE("the end of QEMU and a plugin that cannot work are seen") {
    guest_clock clock;
    fake_plugin plugin(clock);
    SECTION("exit") {
        plugin.stop_at(0, VG810_SYNC_EXITED);
        CHECK(clock.refresh());
        CHECK(clock.plugin_error().empty());
    }
    SECTION("failure") {
        std::snprintf(plugin.page->error, sizeof plugin.page->error, "%s", "this QEMU does not export 'x'");
        plugin.stop_at(0, VG810_SYNC_FAILED);
        wait_for_stop(clock);
        CHECK(clock.plugin_error() == "this QEMU does not export 'x'");
    }
    CHECK(clock.state() == guest_state::exited);
}
