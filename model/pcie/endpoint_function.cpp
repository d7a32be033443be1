// SPDX-License-Identifier: Apache-2.0
#include "model/pcie/endpoint_function.h"

#include "model/pcie/tlp_split.h"

#include <algorithm>
#include <bit>

namespace vg810::pcie {

namespace {

/// Octets of the next naturally aligned access of 1, 2, 4 or 8 octets in `length` octets from `offset`.
unsigned aligned_piece(std::uint64_t offset, std::size_t length) {
    const std::uint64_t alignment = offset % 8 == 0 ? 8 : offset & -offset;
    return static_cast<unsigned>(std::bit_floor(std::min<std::uint64_t>({alignment, length, 8})));
}

std::uint64_t load(std::span<const std::byte> data) {
    std::uint64_t value = 0;
    for (std::size_t i = data.size(); i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(data[i]);
    return value;
}

void store(std::span<std::byte> data, std::uint64_t value) {
    for (std::byte& b : data) {
        b = static_cast<std::byte>(value);
        value >>= 8;
    }
}

} // namespace

endpoint_function::endpoint_function(scheduler& clock, std::string name, const config_layout& layout,
                                     link_timing& wire, memory_port& memory)
    : component(clock, name), wire_(wire), config_(layout), vectors_(layout.msix_vectors),
      dma_(clock, name + ".dma", layout.function, {wire, config_, vectors_, memory, *this}) {}

void endpoint_function::set_interrupt_sink(interrupt_sink& sink) {
    dma_.set_interrupt_sink(&sink);
    vectors_.set_mode(msix_mode::external);
}

void endpoint_function::report(aer_error error, const tlp_header* header, bool advisory) {
    const error_message sent = config_.report(error, header, advisory);
    if (sent != error_message::none && listener_)
        listener_(sent);
}

// ----------------------------------------------------------------------------------------------------
// configuration

void endpoint_function::config_read(std::uint32_t offset, std::span<std::byte> data) {
    land_all_writes();
    config_.set_transactions_pending(dma_.reads_outstanding());
    config_.read(offset, data);
    dma_.land_posted();
}

void endpoint_function::config_write(std::uint32_t offset, std::span<const std::byte> data) {
    land_all_writes();
    const config_effects effects = config_.write(offset, data);
    if (effects.function_reset)
        return reset(reset_kind::function_level);
    if (effects.power && !config_.d3hot())
        return reset(reset_kind::d3_to_d0);
    dma_.land_posted();
    if (effects.device_control && config_.layout().function == 0)
        wire_.set_max_payload(config_.max_payload());
    if (effects.msix)
        vectors_.set_control(config_.msix_enabled(), config_.msix_masked());
    if (effects.command || effects.power)
        command_changed();
    dma_.release_interrupts();
}

void endpoint_function::command_changed() {
    const bool active = !config_.d3hot();
    const bool master = config_.bus_master() && active;
    vectors_.set_blocked(!master);
    if (!master)
        dma_.stop();
    if (target_ != nullptr)
        target_->command_changed(config_.memory_space() && active, master);
}

void endpoint_function::reset(reset_kind kind) {
    posted_.clear();
    config_.reset(kind);
    vectors_.reset();
    dma_.reset();
    if (config_.layout().function == 0)
        wire_.set_max_payload(config_.max_payload());
    if (target_ != nullptr) {
        target_->reset(kind);
        target_->command_changed(false, false);
    }
}

// ---------------------------------------------------------------------------------------------------- BARs

bool endpoint_function::decodes(unsigned bar, std::uint64_t offset, std::size_t length) const {
    const auto& bars = config_.layout().bars;
    if (bar % 2 != 0 || bar / 2 >= bars.size() || target_ == nullptr || !config_.memory_space() ||
        config_.d3hot())
        return false;
    const std::uint64_t size = bars[bar / 2].size;
    return offset < size && length <= size - offset;
}

completion_status endpoint_function::unsupported(bool writes, unsigned bar, std::uint64_t offset,
                                                 std::size_t length) {
    const std::uint64_t base = bar % 2 == 0 && bar < 6 ? config_.bar_address(bar) : 0;
    const tlp_header header =
        memory_request_header(writes, base + offset, static_cast<std::uint32_t>(length), 0, 0);
    report(aer_error::unsupported_request, &header, !writes); // 6.2.3.2.4.1: advisory for non-posted requests
    return completion_status::unsupported_request;
}

void endpoint_function::reject_poisoned(std::uint64_t address, std::size_t length) {
    land_all_writes();
    const tlp_header header = memory_request_header(true, address, static_cast<std::uint32_t>(length), 0, 0);
    config_.set_poisoned_received();
    report(aer_error::poisoned_tlp, &header, false);
}

bool endpoint_function::in_table(unsigned bar, std::uint64_t offset) const {
    const config_layout& l = config_.layout();
    return bar == l.msix_bar && offset >= l.msix_table_offset &&
           offset - l.msix_table_offset < vectors_.table_bytes();
}

bool endpoint_function::in_pending(unsigned bar, std::uint64_t offset) const {
    const config_layout& l = config_.layout();
    return bar == l.msix_bar && offset >= l.msix_pba_offset &&
           offset - l.msix_pba_offset < vectors_.pending_bytes();
}

completion_status endpoint_function::bar_read(unsigned bar, std::uint64_t offset, std::span<std::byte> data) {
    land_all_writes();
    if (!decodes(bar, offset, data.size())) {
        std::ranges::fill(data, std::byte{0xff});
        return unsupported(false, bar, offset, data.size());
    }
    const link_parameters& p = wire_.parameters();
    const std::uint32_t octets = padded(offset, static_cast<std::uint32_t>(data.size()));
    wire_.send_downstream(now(), static_cast<bytes>(p.read_overhead));
    wire_.send_upstream(now(), octets + static_cast<bytes>(p.completion_overhead));
    while (!data.empty()) {
        const unsigned n = aligned_piece(offset, data.size());
        store(data.first(n), read_piece(bar, offset, n));
        data = data.subspan(n);
        offset += n;
    }
    dma_.land_posted();
    return completion_status::success;
}

std::uint64_t endpoint_function::read_piece(unsigned bar, std::uint64_t offset, unsigned size) {
    if (in_table(bar, offset))
        return vectors_.read_table(offset - config_.layout().msix_table_offset, size);
    if (in_pending(bar, offset))
        return vectors_.read_pending(offset - config_.layout().msix_pba_offset, size);
    return target_->bar_read(static_cast<int>(bar), offset, size);
}

completion_status endpoint_function::bar_write(unsigned bar, std::uint64_t offset,
                                               std::span<const std::byte> data) {
    if (!decodes(bar, offset, data.size())) {
        land_all_writes();
        return unsupported(true, bar, offset, data.size());
    }
    const std::uint32_t octets = padded(offset, static_cast<std::uint32_t>(data.size()));
    const picoseconds sent =
        wire_.send_downstream(now(), octets + static_cast<bytes>(wire_.parameters().write_overhead));
    const std::uint64_t ticket = ++last_ticket_;
    while (!data.empty()) {
        const unsigned n = aligned_piece(offset, data.size());
        posted_.push({ticket, offset, load(data.first(n)), static_cast<std::uint8_t>(bar),
                      static_cast<std::uint8_t>(n)});
        data = data.subspan(n);
        offset += n;
    }
    if (wire_.to_registers() == picoseconds{})
        land_writes(ticket);
    else
        schedule<&endpoint_function::land_writes>(sent + wire_.to_registers(), this, ticket,
                                                  wire_.touch_latency());
    return completion_status::success;
}

/// Register writes up to `ticket` reach the card, those that a read has not pushed ahead already.
void endpoint_function::land_writes(std::uint64_t ticket) {
    while (!posted_.empty() && posted_.front().ticket <= ticket)
        write_piece(posted_.pop());
}

void endpoint_function::write_piece(const register_write& w) {
    if (in_table(w.bar, w.offset)) {
        vectors_.write_table(w.offset - config_.layout().msix_table_offset, w.size, w.value);
        return dma_.release_interrupts();
    }
    if (!in_pending(w.bar, w.offset))
        target_->bar_write(w.bar, w.offset, w.size, w.value);
}

} // namespace vg810::pcie
