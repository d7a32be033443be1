// SPDX-License-Identifier: Apache-2.0
#include "scenarios/run/native_machine.h"

#include "core/checksum.h"
#include "core/ethernet.h"
#include "scenarios/run/card_setup.h"

#include <algorithm>
#include <fmt/format.h>

namespace vg810::scenarios {
namespace {

using octets = std::vector<std::byte>;
using ethernet = ethernet_view<std::byte>;

octets answer_arp(octets frame, const parse_result& p, mac_address mac, ipv4_address ip) {
    const arp_view<std::byte> arp(frame.data() + p.l3_offset);
    if (!arp.is_ethernet_ipv4() || arp.operation() != arp.request || arp.target_ip() != ip)
        return {};
    arp.fill(arp.reply, mac, ip, arp.sender_mac(), arp.sender_ip());
    return frame;
}

octets answer_echo(octets frame, const parse_result& p, ipv4_address ip) {
    const ipv4_view<std::byte> header(frame.data() + p.l3_offset);
    if (p.protocol != ip_protocol::icmp || p.fragment || p.l4_bytes < 8 || header.destination() != ip ||
        frame[p.l4_offset] != std::byte{8} || p.l4_offset + std::size_t{p.l4_bytes} > frame.size())
        return {};
    header.set_destination(header.source());
    header.set_source(ip);
    header.set_ttl(64);
    fill_ipv4_checksum(frame, p);
    const std::span<std::byte> icmp(frame.data() + p.l4_offset, p.l4_bytes);
    icmp[0] = std::byte{0};
    store_be(icmp.data() + 2, std::uint16_t{0});
    store_be(icmp.data() + 2, internet_checksum(icmp));
    return frame;
}

} // namespace

octets answer(std::span<const std::byte> request, mac_address mac, ipv4_address ip) {
    const parse_result p = parse(request);
    if (request.size() < ethernet_header_bytes || p.malformed)
        return {};
    octets reply(request.begin(), request.end());
    if (p.l3 == l3_type::arp)
        reply = answer_arp(std::move(reply), p, mac, ip);
    else if (p.l3 == l3_type::ipv4)
        reply = answer_echo(std::move(reply), p, ip);
    else
        return {};
    if (reply.empty())
        return {};
    const ethernet header(reply.data());
    header.set_destination(header.source());
    header.set_source(mac);
    return reply;
}

native_machine::native_machine(scheduler& clock, const host_config& config, std::size_t card_index,
                               frame_pool& frames)
    : config_(config), card_(make_card(config, card_index, clock, frames)) {
    card_->set_observer(&pings_);
    native_driver_config driver;
    driver.mtu = 9000;
    host_ = std::make_unique<native_host>(config.name, clock, *card_, driver);
    for (unsigned port = 0; port < card_->ports(); ++port) {
        native_driver& d = host_->driver(port);
        const mac_address mac = *mac_address::parse(config.macs[port]);
        const std::string& address = config.addresses[port];
        const ipv4_address ip = *ipv4_address::parse(std::string_view(address).substr(0, address.find('/')));
        d.on_receive = [&d, mac, ip](std::span<const std::byte> frame, regs::completion_const_view) {
            if (const octets reply = answer(frame, mac, ip); !reply.empty())
                d.send(reply); // a full ring loses it, as a busy host would
        };
        d.on_failure = [this, port](const std::string& why) {
            failure_ = fmt::format("host {}, port {}: {}", config_.name, port, why);
        };
    }
}

native_machine::~native_machine() = default;

void native_machine::plug(fabric::network& network) {
    plug_card(network, config_.name, *card_);
}

void native_machine::add_counters(counter_sampler& sampler) {
    add_card_counters(sampler, config_.name, *card_);
}

void native_machine::start() {
    host_->power_on();
}

} // namespace vg810::scenarios
