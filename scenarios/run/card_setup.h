// SPDX-License-Identifier: Apache-2.0
// What guests and native hosts do with a card alike.
#pragma once

#include "fabric/network.h"
#include "model/card.h"
#include "qemu-device/card_slot.h"
#include "scenarios/config/scenario.h"
#include "scenarios/run/counter_sampler.h"

#include <memory>
#include <vector>

namespace vg810::scenarios {

/// The card of `host`, in its domain; `index`, of the host in the scenario, makes the serial number.
std::unique_ptr<card> make_card(const host_config& host, std::size_t index, scheduler& clock,
                                frame_pool& frames);
std::vector<qemu::function_shape> shapes_of(const card& c);
void plug_card(fabric::network& network, const std::string& host, card& c);
/// All STATS registers, as "left.port0.tx_packets".
void add_card_counters(counter_sampler& sampler, const std::string& host, card& c);

} // namespace vg810::scenarios
