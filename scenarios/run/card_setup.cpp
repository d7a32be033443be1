// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/card_setup.h"

#include "model/regs/vg810_regs.h"

#include <fmt/format.h>

namespace vg810::scenarios {

std::unique_ptr<card> make_card(const host_config& host, std::size_t index, scheduler& clock,
                                frame_pool& frames) {
    const card_parameters parameters{host.card.pcie, host.card.host_if, host.card.mac, host.card.fault};
    card_identity identity;
    identity.serial_number += index;
    for (const std::string& mac : host.macs)
        identity.addresses.push_back(*mac_address::parse(mac)); // scenario_rules has seen it
    return std::make_unique<card>(fmt::format("card_{}", host.name).c_str(), clock, identity, parameters,
                                  frames);
}

std::vector<qemu::function_shape> shapes_of(const card& c) {
    std::vector<qemu::function_shape> shapes(c.ports());
    for (unsigned f = 0; f < c.ports(); ++f) {
        const pcie::config_layout& layout = c.layout(f);
        for (std::size_t bar = 0; bar < layout.bars.size(); ++bar)
            shapes[f].bar_sizes[2 * bar] = layout.bars[bar].size; // each is 64 bits wide
        shapes[f].msix_vectors = layout.msix_vectors;
    }
    return shapes;
}

void plug_card(fabric::network& network, const std::string& host, card& c) {
    for (unsigned f = 0; f < c.ports(); ++f)
        c.attach(f, network.plug(host, f, c.receiver(f)));
}

void add_card_counters(counter_sampler& sampler, const std::string& host, card& c) {
    sampler.add([host, &c](counter_sampler::counter_list& list) {
        for (unsigned f = 0; f < c.ports(); ++f)
            for (const regs::register_info& info : regs::register_table)
                if (info.access == regs::access::counter)
                    list.emplace_back(fmt::format("{}.port{}.{}", host, f, info.name),
                                      c.function(f).bar_read(info.bar, info.offset, info.bytes));
    });
}

} // namespace vg810::scenarios
