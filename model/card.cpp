// SPDX-License-Identifier: Apache-2.0
#include "model/card.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace vg810 {

namespace {

std::vector<pcie::config_layout> make_layouts(const card_identity& identity) {
    const std::size_t ports = identity.addresses.size();
    if (ports < 1 || ports > 8)
        throw std::invalid_argument("a card has 1 to 8 ports, not " + std::to_string(ports));
    std::vector<pcie::config_layout> layouts(ports);
    for (unsigned i = 0; i < ports; ++i) {
        pcie::config_layout& l = layouts[i];
        l.vendor = l.subsystem_vendor = regs::vendor_id;
        l.device = regs::device_id;
        l.subsystem = regs::subsystem_id;
        l.class_code = regs::class_code;
        l.revision = regs::revision;
        l.function = i;
        l.multi_function = ports > 1;
        l.bars = {pcie::bar_layout{regs::bar0_size, regs::bar0_prefetchable},
                  pcie::bar_layout{regs::bar2_size, regs::bar2_prefetchable}, pcie::bar_layout{}};
        l.msix_vectors = regs::msix_vectors;
        l.msix_bar = regs::msix_table_bar;
        l.msix_table_offset = regs::msix_table_offset;
        l.msix_pba_offset = regs::msix_pba_offset;
        l.serial_number = identity.serial_number;
    }
    return layouts;
}

host_path_minima minima_of(const pcie::link_timing& link) {
    return {link.touch_latency(), link.touch_latency() + link.from_memory()};
}

} // namespace

card::card(sc_core::sc_module_name name, scheduler& clock, const card_identity& identity,
           const card_parameters& parameters, frame_pool& frames)
    : sc_module(name), layouts_(make_layouts(identity)), endpoint_("pcie", clock, parameters.pcie, layouts_) {
    for (unsigned i = 0; i < layouts_.size(); ++i) {
        const network_function::configuration c{
            {i, static_cast<unsigned>(layouts_.size()), identity.addresses[i], identity.serial_number},
            parameters.host_if,
            parameters.mac,
            parameters.fault,
            minima_of(endpoint_.wire())};
        functions_.push_back(std::make_unique<network_function>(
            clock, std::string(this->name()) + ".function" + std::to_string(i), c, endpoint_.dma(i), frames));
        endpoint_.set_target(i, *functions_.back());
    }
}

card::~card() = default;

void card::set_observer(card_observer* observer) {
    for (auto& f : functions_)
        f->set_observer(observer);
}

picoseconds card::access_lookahead() const {
    picoseconds least = never;
    for (const auto& f : functions_)
        least = std::min(least, f->access_lookahead());
    return least;
}

} // namespace vg810
