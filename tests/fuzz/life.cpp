// SPDX-License-Identifier: Apache-2.0
#include "fuzz/life.h"

#include "fuzz/moves.h"

namespace vg810::fuzz {

using regs::reg;
namespace at = pcie::at;

namespace {

constexpr picoseconds patience = 200_ms;
constexpr unsigned frames_after_reset = 12;

struct choice {
    unsigned weight;
    void (*move)(subject&);
};
constexpr std::array choices{
    choice{25, moves::send},         choice{15, moves::post_buffers}, choice{18, moves::receive},
    choice{25, moves::poll},         choice{8, moves::doorbell},      choice{8, moves::registers},
    choice{6, moves::configuration}, choice{4, moves::vectors},       choice{8, moves::command},
    choice{2, moves::scribble},      choice{1, moves::memory_fault},  choice{1, moves::cable},
    choice{1, moves::burst},         choice{1, moves::flood},         choice{3, moves::transactions},
    choice{6, moves::repair}};

constexpr unsigned all_weights() {
    unsigned sum = 0;
    for (const choice& c : choices)
        sum += c.weight;
    return sum;
}

void move(subject& s) {
    auto n = static_cast<unsigned>(s.d.below(all_weights()));
    for (const choice& c : choices) {
        if (n < c.weight)
            return c.move(s);
        n -= c.weight;
    }
}

/// Mostly not long, now and then long enough for a timeout.
void pass_time(subject& s) {
    static constexpr std::array<std::uint64_t, 10> most{1,     1,     1,     300,   300,
                                                        1'000, 1'000, 5'000, 5'000, 40'000};
    const std::uint64_t ns = s.d.one_in(400) ? s.d.between(1'000'000, 60'000'000) : s.d.below(s.d.pick(most));
    s.w.run(picoseconds::from_ns(static_cast<std::int64_t>(ns)));
}

bool ready(world& w) {
    const auto status = static_cast<std::uint32_t>(w.read(reg::STATUS));
    return status != ~0u && regs::STATUS::ready::get(status) && !regs::STATUS::reset_active::get(status);
}

void function_level_reset(world& w) {
    w.config_write(at::device_control, 2, 0xa910);
    w.forget();
}

/// A reset by register: what the card knew is forgotten once it is ready. Reads that are never answered, and
/// whose timeout has been turned off or is long, keep it from that.
void reset_by_register(world& w, tally& t) {
    w.write(reg::RESET, regs::reset_key);
    w.read(reg::STATUS);
    if (w.run_until([&w] { return ready(w); }, patience))
        return w.forget_queues();
    if (!w.unanswered_reads)
        throw violation("the function does not get ready after a reset");
    ++t.done["resets: register, then function level"];
    function_level_reset(w);
}

/// The errors seen, which are then cleared: they survive most resets.
void read_errors(world& w, tally& t) {
    const std::uint64_t uncorrectable = w.config_read(at::uncorrectable_status, 4),
                        correctable = w.config_read(at::correctable_status, 4);
    for (unsigned bit = 0; bit < 32; ++bit) {
        if (uncorrectable >> bit & 1)
            ++t.uncorrectable[bit];
        if (correctable >> bit & 1)
            ++t.correctable[bit];
    }
    w.config_write(at::uncorrectable_status, 4, uncorrectable);
    w.config_write(at::correctable_status, 4, correctable);
}

void reset_somehow(world& w, dice& d, tally& t) {
    const std::uint64_t how = d.below(16);
    if (how < 6) {
        ++t.done["resets: function level"];
        function_level_reset(w);
    } else if (how < 9) {
        ++t.done["resets: power state"];
        w.config_write(at::power_control, 2, 3);
        w.run(picoseconds::from_ns(static_cast<std::int64_t>(d.below(3000))));
        w.config_write(at::power_control, 2, 0);
        w.forget();
    } else if (how < 10) {
        ++t.done["resets: bus or power-on"];
        w.reset_all(d.one_in(2));
    } else {
        ++t.done["resets: register"];
        w.config_write(at::power_control, 2, 0);
        w.plug_and_play(128, 128);
        reset_by_register(w, t);
    }
}

} // namespace

void live(world& w, dice& d, tally& t) {
    static constexpr std::array<unsigned, 6> rates{0, 1, 2, 5, 10, 30};
    subject s(w, d, t, d.pick(rates));
    w.on_interrupt = [&s](std::uint16_t) { moves::interrupt(s); };
    reset_by_register(w, t);
    w.cables[world::fuzzed]->reflect(static_cast<unsigned>(d.below(101)));
    for (int attempt = 0; attempt < 5 && !s.enabled(); ++attempt)
        s.enable();
    if (s.enabled())
        moves::build(s);
    const std::uint64_t most = d.between(50, 600);
    for (std::uint64_t n = 0; n < most && !s.dead; ++n) {
        move(s);
        pass_time(s);
        if (d.one_in(4))
            w.neighbour_sends(d);
        if (d.one_in(8) && !s.dead) // a driver that notices
            w.config_write(at::command, 2, 0x0006);
        if (d.one_in(300))
            moves::reset(s);
    }
    for (std::uint64_t n = d.below(20); s.dead && n > 0; --n) // it may not have noticed that all is gone
        move(s);
    w.on_interrupt = nullptr;
}

void recover(world& w, dice& d, tally& t) {
    static constexpr std::array<std::uint32_t, 3> payloads{128, 256, 512};
    static constexpr std::array<std::uint32_t, 6> requests{128, 256, 512, 1024, 2048, 4096};
    read_errors(w, t);
    moves::mend(w);
    w.driver().stop();
    reset_somehow(w, d, t);
    w.unanswered_reads = false;
    w.plug_and_play(d.pick(payloads), d.pick(requests));
    mirror& cable = *w.cables[world::fuzzed];
    cable.reflect(100);
    cable.light(true, 25_gbps);
    w.driver().start();
    if (!w.run_until([&w] { return w.driver().ready(); }, patience))
        throw violation("the function does not work after a reset");
    for (unsigned i = 0; i < frames_after_reset; ++i) {
        w.driver().send(d);
        w.neighbour_sends(d);
    }
    const std::uint64_t before = w.driver().verified();
    w.settle();
    t.recovery_frames += w.driver().verified() - before;
    ++t.recovered;
    w.driver().stop();
}

} // namespace vg810::fuzz
