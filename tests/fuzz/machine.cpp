// SPDX-License-Identifier: Apache-2.0
#include "fuzz/moves.h"

namespace vg810::fuzz::moves {

using regs::reg;
namespace at = pcie::at;

namespace {

constexpr unsigned any_size(std::uint64_t n) {
    return 1u << n % 4;
}

void write_known_register(subject& s) {
    static constexpr std::array written{reg::SCRATCH,         reg::DRIVER_FEATURES, reg::CONTROL,
                                        reg::ERROR_STATUS,    reg::ASQ_BASE,        reg::ADMIN_SIZE,
                                        reg::ASQ_TAIL,        reg::ACQ_HEAD,        reg::ADMIN_EQ,
                                        reg::IRQ_TEST_VECTOR, reg::IRQ_TEST_DELAY,  reg::RESET,
                                        reg::IRQ_TEST_DELAY,  reg::SCRATCH,         reg::ERROR_STATUS};
    const reg r = s.d.pick(written);
    std::uint64_t value = s.d.bits() & (s.d.one_in(2) ? 0xff : ~std::uint64_t{0});
    if (r == reg::ASQ_TAIL || r == reg::ACQ_HEAD) // any other ends the admin queue's life
        value = s.maybe(r == reg::ASQ_TAIL ? s.submission_index() : s.completion_index(), 16);
    else if (r == reg::IRQ_TEST_VECTOR)
        value = s.d.below(80);
    else if (r == reg::IRQ_TEST_DELAY)
        value = s.d.below(20'000);
    else if (r == reg::ADMIN_EQ)
        value = s.eqs.empty() || s.d.one_in(4) ? 0xffffffff : s.any(s.eqs)->first;
    s.w.write(r, value);
}

void write_config_register(subject& s) {
    struct place {
        std::uint16_t offset;
        std::uint64_t usual; ///< bits worth changing
    };
    static constexpr std::array places{place{at::status, 0xffff},
                                       place{at::device_control, 0x7fff},
                                       place{at::device_status, 0xffff},
                                       place{at::link_control, 0xffff},
                                       place{at::device_control_2, 0x1f},
                                       place{at::msix_control, 0xc000},
                                       place{at::uncorrectable_status, 0xffff},
                                       place{at::uncorrectable_mask + 2, 0xffff},
                                       place{at::uncorrectable_severity + 2, 0xffff},
                                       place{at::correctable_status, 0xffff},
                                       place{at::correctable_mask, 0xffff},
                                       place{at::latency_tolerance + 4, 0xffff},
                                       place{at::bar, 0xffff},
                                       place{at::bar + 2, 0xffff}};
    const place p = s.d.pick(places);
    s.w.config_write(p.offset, 2, s.d.bits() & p.usual);
}

/// Bus mastering, memory space and the like go off; later moves, or mend(), turn them on again.
void write_command(subject& s) {
    ++s.t.done["command register"];
    s.w.config_write(at::command, 2, s.d.one_in(2) ? 0x0006 : s.d.bits() & 0x0546);
}

} // namespace

void registers(subject& s) {
    for (std::uint64_t n = s.d.between(1, 4); n > 0; --n) {
        if (s.d.one_in(3)) {
            write_known_register(s);
        } else if (s.d.one_in(2)) {
            s.w.read(static_cast<reg>(s.d.below(regs::register_count)));
        } else if (s.d.one_in(2)) { // halves
            const regs::register_info& i = regs::info(static_cast<reg>(s.d.below(regs::register_count)));
            s.w.bar_read(i.bar, i.address() + (i.bytes == 8 ? 4 * s.d.below(2) : 0), 4);
        } else if (s.d.one_in(2)) {
            s.w.bar_read(static_cast<unsigned>(2 * s.d.below(3)), s.d.below(0x1400), any_size(s.d.bits()));
        } else {
            const auto bar = static_cast<unsigned>(2 * s.d.below(3));
            s.w.bar_write(bar, s.d.one_in(4) ? s.d.below(0x140000) : s.d.below(0x1400), any_size(s.d.bits()),
                          s.d.bits());
        }
    }
    const auto status = static_cast<std::uint32_t>(s.w.read(reg::STATUS));
    if (status != ~0u && regs::STATUS::failed::get(status)) {
        ++s.t.fatal_errors[static_cast<unsigned>(s.w.read(reg::ERROR_CODE) & 0xff)];
        s.dead = s.d.one_in(4);
    }
    ++s.t.link_reasons[static_cast<unsigned>(s.w.read(reg::PORT_STATUS) >> 8 & 0xff)];
}

void transactions(subject& s) {
    if (s.d.one_in(10))
        return s.w.malformed_access(s.d);
    static constexpr std::array spaces{pcie::address_space::config, pcie::address_space::bar0,
                                       pcie::address_space::bar2, pcie::address_space::bar4};
    static constexpr std::array<std::uint64_t, 4> ends{4096, regs::bar0_size, regs::bar2_size, 4096};
    const std::size_t which = s.d.below(spaces.size());
    std::vector<std::byte> data(s.d.one_in(3) ? s.d.between(1, 64) : s.d.between(1, 8));
    for (std::byte& b : data)
        b = static_cast<std::byte>(s.d.bits());
    std::uint64_t offset = s.d.below(s.d.one_in(2) ? 0x400 : 0x1400);
    if (s.d.one_in(4))
        offset = ends[which] - s.d.below(data.size() + 1);
    else if (s.d.one_in(8))
        offset = s.d.bits();
    else if (which == 0) // not among the registers that end a life
        offset = at::error_reporting + s.d.below(0x80);
    s.w.access(spaces[which], s.d.one_in(2), offset, data, s.d.one_in(4));
}

void configuration(subject& s) {
    for (std::uint64_t n = s.d.between(1, 3); n > 0; --n) {
        const unsigned size = 1u << s.d.below(3);
        if (s.d.one_in(2))
            s.w.config_read(static_cast<std::uint32_t>(s.d.below(s.d.one_in(2) ? 0x160 : 4100)), size);
        else if (s.d.one_in(8))
            write_command(s);
        else if (s.d.one_in(8))
            s.w.config_write(static_cast<std::uint32_t>(s.d.between(at::error_reporting, 4100)), size,
                             s.d.bits());
        else
            write_config_register(s);
    }
}

void vectors(subject& s) {
    const std::uint64_t entry = regs::msix_table_offset + 16 * s.d.below(regs::msix_vectors);
    switch (s.d.below(8)) {
    case 0: // unmasked, to where the machine wants it
        s.w.bar_write(0, entry, 8, pcie::root_complex::message_base);
        return s.w.bar_write(0, entry + 8, 8, s.d.below(regs::msix_vectors));
    case 1:
        return s.w.bar_write(0, entry + 12, 4, 1);
    case 2:
        return s.w.bar_write(0, entry + 12, 4, 0);
    case 3:
        return s.w.bar_write(0, entry, 8, s.d.one_in(2) ? s.buffer(4) : s.bad_address(entry));
    case 4: // size and alignment that are not allowed
        return s.w.bar_write(0, entry + s.d.below(16), any_size(s.d.bits()), s.d.bits() & 0xff);
    case 5:
        return s.w.config_write(at::msix_control, 2, s.d.one_in(2) ? 0x8000 : s.d.bits() & 0xc000);
    case 6:
        s.w.bar_read(0, regs::msix_pba_offset + s.d.below(16), any_size(s.d.bits()));
        return s.w.bar_write(0, regs::msix_pba_offset, 8, s.d.bits());
    default:
        s.w.bar_read(0, entry + s.d.below(16), any_size(s.d.bits()));
    }
}

void memory_fault(subject& s) {
    pcie::host_memory& memory = s.w.root.memory();
    if (s.d.one_in(3))
        return mend(s.w);
    ++s.t.done["memory faults"];
    if (s.d.one_in(3)) {
        memory.remove(s.d.one_in(2) ? memory::rings : memory::buffers);
        return;
    }
    static constexpr std::array faults{pcie::host_fault::poisoned, pcie::host_fault::no_completion,
                                       pcie::host_fault::abort};
    std::uint64_t where = s.submission_slot(s.submission_index());
    const std::array<std::pair<subject::queues*, std::uint64_t>, 4> rings{
        {{&s.txqs, regs::tx_descriptor_view::bytes},
         {&s.rxqs, regs::rx_descriptor_view::bytes},
         {&s.cqs, regs::completion_view::bytes},
         {&s.eqs, regs::event_view::bytes}}};
    const auto& [queues, entry_bytes] = s.d.pick(rings);
    if (const auto* const q = s.any(*queues); q != nullptr && !s.d.one_in(8))
        where = q->second.base + q->second.slot(q->second.index) * entry_bytes;
    const pcie::host_fault fault = s.d.pick(faults);
    s.w.root.set_fault(where, fault);
    s.w.unanswered_reads |= fault == pcie::host_fault::no_completion;
}

void cable(subject& s) {
    mirror& line = *s.w.cables[world::fuzzed];
    ++s.t.done["cable and loopback"];
    switch (s.d.below(8)) {
    case 0:
        return line.light(false, 25_gbps);
    case 1:
        return line.light(true, s.d.one_in(3) ? 10_gbps : 25_gbps);
    case 2:
        return line.reflect(static_cast<unsigned>(s.d.below(101)));
    case 3:
        return s.w.write(reg::LOOPBACK, s.d.below(2));
    default:
        return line.light(true, 25_gbps);
    }
}

void reset(subject& s) {
    ++s.t.done["resets out of the blue"];
    s.dead = true;
    switch (s.d.below(3)) {
    case 0:
        return s.w.write(reg::RESET, regs::reset_key);
    case 1: // function level; the driver does not know and goes on for a while
        s.w.config_write(at::device_control, 2, 0xa910);
        return s.w.forget();
    default:
        s.w.config_write(at::power_control, 2, 3);
        if (s.w.running() || s.d.one_in(2))
            return;
        s.w.run(picoseconds::from_ns(static_cast<std::int64_t>(s.d.below(1000))));
        s.w.config_write(at::power_control, 2, s.d.below(3));
        if (!s.w.hardware.endpoint().function(world::fuzzed).config().d3hot())
            s.w.forget();
    }
}

void interrupt(subject& s) {
    switch (s.d.below(400)) {
    case 0:
        return reset(s);
    case 1:
        return write_command(s);
    case 2:
    case 3:
        return vectors(s);
    case 4:
    case 5:
    case 6:
        s.w.read(reg::STATUS);
        return;
    case 7:
    case 8:
        return doorbell(s);
    case 9:
        return configuration(s);
    default:
        return;
    }
}

void mend(world& w) {
    pcie::host_memory& memory = w.root.memory();
    memory.add(memory::rings, memory::rings_bytes);
    memory.add(memory::buffers, memory::buffers_bytes);
    w.root.set_fault(0, pcie::host_fault::none);
}

} // namespace vg810::fuzz::moves
