// SPDX-License-Identifier: Apache-2.0
#include "fuzz/world.h"

#include "model/pcie/testing/elaborate.h"

#include <algorithm>

namespace vg810::fuzz {

namespace {

constexpr std::uint64_t messages_end = pcie::root_complex::message_base + pcie::root_complex::message_size;
constexpr std::uint64_t most_events_a_run = 4'000'000;
constexpr picoseconds patience = 200_ms;

card_identity identity(const std::array<mac_address, 2>& addresses) {
    return {0x001eccfffe000001, {addresses.begin(), addresses.end()}};
}

std::string hex(std::uint64_t v) {
    char text[20];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
    return text;
}

bool is_message(std::uint64_t address, std::uint32_t length) {
    return length == 4 && address >= pcie::root_complex::message_base && address < messages_end;
}

} // namespace

/// Marks a processor's access for as long as it takes.
class world::transaction {
  public:
    explicit transaction(world& w) : count_(w.accesses_) {
        ++count_;
        w.access_begins();
    }
    ~transaction() { --count_; }

  private:
    unsigned& count_;
};

/// One function's registers and memory, as its embedded driver wants them. Function 0's pass the monitor.
class world::port_platform final : public native_platform {
  public:
    port_platform(world& w, unsigned function) : world_(w), function_(function) {}

    std::uint64_t read_register(unsigned bar, std::uint64_t offset, unsigned size) override {
        return size == 8 ? world_.root.bar_read<std::uint64_t>(function_, bar, offset)
                         : world_.root.bar_read<std::uint32_t>(function_, bar, offset);
    }
    void write_register(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) override {
        if (function_ == fuzzed) {
            world_.access_begins();
            world_.told(bar, offset, size, value);
        }
        if (size == 8)
            world_.root.bar_write<std::uint64_t>(function_, bar, offset, value);
        else
            world_.root.bar_write<std::uint32_t>(function_, bar, offset, static_cast<std::uint32_t>(value));
    }
    void read_memory(std::uint64_t address, std::span<std::byte> data) override {
        world_.root.memory().read(address, data);
    }
    void write_memory(std::uint64_t address, std::span<const std::byte> data) override {
        world_.root.memory().write(address, data);
    }

  private:
    world& world_;
    unsigned function_;
};

world::world(const profile& p, tally& t)
    : clock(p.name), addresses_{mac_address::from_u64(0x02'1e'cc'00'00'01),
                                mac_address::from_u64(0x02'1e'cc'00'00'02)},
      hardware((p.name + "_card").c_str(), clock, identity(addresses_), p.card, frames),
      root((p.name + "_root").c_str(), hardware.endpoint()), profile_(p), tally_(t), observer_(t),
      monitor_(root.memory()) {
    const std::uint64_t driver_bytes = native_driver::memory_needed(clean_traffic::configuration());
    root.memory().add(memory::rings, memory::rings_bytes);
    root.memory().add(memory::buffers, memory::buffers_bytes);
    root.memory().add(memory::driver, driver_bytes);
    root.memory().add(memory::neighbour, driver_bytes);
    for (unsigned i = 0; i < 2; ++i) {
        const std::string name = p.name + ".port" + std::to_string(i);
        cables[i] = std::make_unique<mirror>(clock, name + ".cable", p.card.mac.rate);
        platforms_[i] = std::make_unique<port_platform>(*this, i);
        (i == fuzzed ? driver_ : neighbour_) =
            std::make_unique<clean_traffic>(clock, name + ".driver", *platforms_[i],
                                            i == fuzzed ? memory::driver : memory::neighbour, addresses_[i]);
        hardware.attach(i, *cables[i]);
        cables[i]->plug(hardware.receiver(i));
    }
    cables[fuzzed]->on_arrival = [this] { dark_till_.reset(); };
    cables[fuzzed]->on_departure = [this](picoseconds at) { judge_departure(at); };
    hardware.set_observer(&observer_);
    hardware.endpoint().function(fuzzed).set_error_listener(
        [this](pcie::error_message m) { ++tally_.error_messages[static_cast<unsigned>(m)]; });
    root.set_interrupt_handler([this](unsigned f, std::uint16_t v) { interrupted(f, v); });
    root.set_observer([this](unsigned f, const tlm::tlm_generic_payload& tlp) { judge(f, tlp); });
    if (p.machine_keeps_msix_table)
        hardware.endpoint().set_interrupt_sink(root);
}

world::~world() = default;

void world::start() {
    pcie::testing::elaborate();
    reset_all(true);
}

void world::reset_all(bool power) {
    neighbour_->stop();
    if (power)
        hardware.endpoint().power_on_reset();
    else
        hardware.endpoint().bus_reset();
    forget();
    root.bring_up(neighbour);
    neighbour_->start();
    if (!run_until([this] { return neighbour_->ready(); }, patience))
        throw violation("the function next door does not come up");
}

// ----------------------------------------------------------------------------------------------------
// accesses

std::uint64_t world::bar_read(unsigned bar, std::uint64_t offset, unsigned size) {
    tally_.count(operation::bar_read);
    const transaction here(*this);
    switch (size) {
    case 1:
        return root.bar_read<std::uint8_t>(fuzzed, bar, offset);
    case 2:
        return root.bar_read<std::uint16_t>(fuzzed, bar, offset);
    case 4:
        return root.bar_read<std::uint32_t>(fuzzed, bar, offset);
    default:
        return root.bar_read<std::uint64_t>(fuzzed, bar, offset);
    }
}

void world::bar_write(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) {
    tally_.count(bar == 2 ? operation::doorbell : operation::bar_write);
    const transaction here(*this);
    told(bar, offset, size, value);
    switch (size) {
    case 1:
        return root.bar_write(fuzzed, bar, offset, static_cast<std::uint8_t>(value));
    case 2:
        return root.bar_write(fuzzed, bar, offset, static_cast<std::uint16_t>(value));
    case 4:
        return root.bar_write(fuzzed, bar, offset, static_cast<std::uint32_t>(value));
    default:
        return root.bar_write(fuzzed, bar, offset, value);
    }
}

/// What a write tells the card.
void world::told(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) {
    std::array<std::byte, 8> raw;
    regs::store_little_endian(raw.data(), value);
    if (bar == 0)
        monitor_.host_wrote(offset, std::span(raw).first(size));
}

std::uint64_t world::read(regs::reg r, std::uint32_t copy) {
    const regs::register_info& i = regs::info(r);
    return bar_read(i.bar, i.address(copy), i.bytes);
}

void world::write(regs::reg r, std::uint64_t value, std::uint32_t copy) {
    const regs::register_info& i = regs::info(r);
    bar_write(i.bar, i.address(copy), i.bytes, value);
}

std::uint64_t world::config_read(std::uint32_t offset, unsigned size) {
    tally_.count(operation::config_read);
    const transaction here(*this);
    return size == 1   ? root.config_read<std::uint8_t>(fuzzed, offset)
           : size == 2 ? root.config_read<std::uint16_t>(fuzzed, offset)
                       : root.config_read<std::uint32_t>(fuzzed, offset);
}

void world::config_write(std::uint32_t offset, unsigned size, std::uint64_t value) {
    tally_.count(operation::config_write);
    const transaction here(*this);
    if (size == 1)
        root.config_write(fuzzed, offset, static_cast<std::uint8_t>(value));
    else if (size == 2)
        root.config_write(fuzzed, offset, static_cast<std::uint16_t>(value));
    else
        root.config_write(fuzzed, offset, static_cast<std::uint32_t>(value));
}

void world::access(pcie::address_space space, bool write, std::uint64_t offset, std::span<std::byte> data,
                   bool poisoned) {
    if (space == pcie::address_space::config)
        tally_.count(write ? operation::config_write : operation::config_read);
    else
        tally_.count(write ? operation::bar_write : operation::bar_read);
    const transaction here(*this);
    if (write && space == pcie::address_space::bar0)
        monitor_.host_wrote(offset, data);
    root.access(fuzzed, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, space, offset, data,
                poisoned);
}

void world::malformed_access(dice& d) {
    tally_.count(operation::bar_write);
    const transaction here(*this);
    tlm::tlm_generic_payload p;
    std::array<unsigned char, 8> data{}, enables{};
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(regs::SCRATCH::reg_offset);
    p.set_data_ptr(data.data());
    p.set_data_length(4);
    const std::uint64_t fault = d.below(6);
    if (fault != 0) {
        p.set_extension(new pcie::tlp_extension); // the payload owns it
        p.get_extension<pcie::tlp_extension>()->space =
            fault == 1 ? pcie::address_space::memory : pcie::address_space::bar0;
    }
    if (fault == 2)
        p.set_data_ptr(nullptr);
    if (fault == 3)
        p.set_data_length(0);
    if (fault == 4)
        p.set_byte_enable_ptr(enables.data());
    if (fault == 5)
        p.set_command(tlm::TLM_IGNORE_COMMAND);
    sc_core::sc_time delay;
    hardware.endpoint().downstream(fuzzed).get_base_export()->b_transport(p, delay);
    if (p.get_response_status() != tlm::TLM_COMMAND_ERROR_RESPONSE)
        throw violation("a payload that is no access was answered " + p.get_response_string());
}

void world::plug_and_play(std::uint32_t mps, std::uint32_t mrrs) {
    access_begins();
    told(regs::msix_table_bar, regs::msix_table_offset, 8, pcie::root_complex::message_base);
    root.bring_up(fuzzed, mps, mrrs);
}

void world::frame_arrives(std::span<const std::byte> octets, std::size_t stored, bool fcs_bad) {
    tally_.count(operation::frame);
    frame_ptr f = frames.make(octets.size(), std::min(stored, octets.size()));
    std::copy_n(octets.begin(), f->stored().size(), f->stored().begin());
    f->fcs_bad = fcs_bad;
    f->first_bit = clock.now();
    cables[fuzzed]->insert(std::move(f));
}

// ---------------------------------------------------------------------------------------------------- time

void world::run(picoseconds span) {
    const std::uint64_t before = clock.events_run();
    const picoseconds end = clock.now() + span;
    untouched_till_ = clock.next_touch();
    running_ = true;
    clock.run_before(end);
    running_ = false;
    clock.advance_to(end);
    const std::uint64_t events = clock.events_run() - before;
    tally_.events += events;
    tally_.most_events = std::max(tally_.most_events, events);
    if (events > most_events_a_run)
        throw violation(std::to_string(events) + " events in " + std::to_string(span.floor_ns()) + " ns");
}

bool world::run_until(const std::function<bool()>& done, picoseconds limit) {
    const picoseconds end = clock.now() + limit;
    while (!done()) {
        if (clock.now() >= end)
            return false;
        run(20_us);
    }
    return true;
}

void world::settle() {
    const auto quiet = [this] {
        return frames.in_use() == 0 && neighbour_->expected() == 0 && driver_->expected() == 0;
    };
    if (!run_until(quiet, patience))
        throw violation(std::to_string(frames.in_use()) + " frames leaked, " +
                        std::to_string(neighbour_->expected()) + " lost next door, " +
                        std::to_string(driver_->expected()) + " lost after a reset");
}

// ---------------------------------------------------------------------------------------------------- judge

/// What is under way may show at any time from its next event on; what this access causes, not before the
/// card's own lookahead.
void world::access_begins() {
    if (clock.empty() && !running_)
        dark_till_ = never;
    if (dark_till_)
        dark_till_ =
            std::min({*dark_till_, clock.next_time(), clock.now() + hardware.access_lookahead(fuzzed)});
}

void world::judge_departure(picoseconds at) {
    tally_.lookaheads += dark_till_.has_value();
    if (dark_till_ && at < *dark_till_)
        throw violation("the cable shows something at " + std::to_string(at.count()) +
                        " ps, though the card had promised darkness until " +
                        std::to_string(dark_till_->count()) + " ps");
}

void world::judge_time(const char* what) {
    if (running_ && clock.now() < untouched_till_)
        throw violation(std::string(what) + " at " + std::to_string(clock.now().count()) +
                        " ps, though the card had promised to leave the host alone until " +
                        std::to_string(untouched_till_.count()) + " ps");
}

void world::judge(unsigned function, const tlm::tlm_generic_payload& tlp) {
    ++tally_.dma_requests;
    judge_time("a DMA request");
    if (function != fuzzed)
        return judge_neighbour(tlp);
    const std::uint64_t address = tlp.get_address();
    const std::uint32_t length = tlp.get_data_length();
    const pcie::config_space& config = hardware.endpoint().function(fuzzed).config();
    if (running_ && accesses_ == 0 && (!config.bus_master() || config.d3hot()))
        throw violation("a DMA request though the function may make none");
    if (length == 0 || length > 4096 || address % 4096 + length > 4096)
        throw violation("a DMA request of " + std::to_string(length) + " octets at " + hex(address));
    const bool named = tlp.is_read() ? monitor_.may_read(address, length)
                                     : is_message(address, length) || monitor_.may_write(address, length);
    if (!named)
        throw violation(std::string(tlp.is_read() ? "a read" : "a write") + " of " + std::to_string(length) +
                        " octets at " + hex(address) + ", of which nobody told the card");
}

void world::judge_neighbour(const tlm::tlm_generic_payload& tlp) {
    const std::uint64_t address = tlp.get_address();
    const std::uint64_t bytes = native_driver::memory_needed(clean_traffic::configuration());
    const bool own =
        address - memory::neighbour < bytes && address - memory::neighbour + tlp.get_data_length() <= bytes;
    if (!own && !(tlp.is_write() && is_message(address, tlp.get_data_length())))
        throw violation("the function next door touches " + hex(address));
}

void world::interrupted(unsigned function, std::uint16_t vector) {
    ++tally_.interrupts;
    judge_time("an interrupt");
    if (function == neighbour)
        neighbour_->interrupt(vector);
    else if (on_interrupt)
        on_interrupt(vector);
    else
        driver_->interrupt(vector);
}

} // namespace vg810::fuzz
