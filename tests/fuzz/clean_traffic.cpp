// SPDX-License-Identifier: Apache-2.0
#include "fuzz/clean_traffic.h"

#include "core/checksum.h"
#include "fuzz/packets.h"

#include <algorithm>

namespace vg810::fuzz {

native_driver_config clean_traffic::configuration() {
    native_driver_config c;
    c.ring_log2 = 6;
    return c;
}

clean_traffic::clean_traffic(scheduler& clock, const std::string& name, native_platform& platform,
                             std::uint64_t base, mac_address own)
    : name_(name), own_(own), driver_(clock, name, configuration(), platform, base) {
    driver_.on_up = [this] { running_ = true; };
    driver_.on_failure = [this](const std::string& why) { complain(why); };
    driver_.on_receive = [this](auto octets, auto completion) { received(octets, completion); };
    driver_.on_sent = [this](auto completion) { sent(completion); };
    driver_.on_queue_error = [this](regs::event_const_view e) {
        complain("queue error " + std::to_string(e.data()) + " on queue " + std::to_string(e.id()));
    };
}

void clean_traffic::complain(const std::string& what) const {
    throw violation(name_ + ": " + what);
}

void clean_traffic::start() {
    stop();
    driver_.bring_up();
}

void clean_traffic::stop() {
    running_ = false;
    expected_.clear();
}

clean_traffic::expectation clean_traffic::make(dice& d) {
    const std::size_t length = d.one_in(3) ? d.between(60, 1514) : d.between(60, 200);
    if (d.one_in(2))
        return {make_plain(own_, own_, length, ++number_), false};
    return {make_udp(own_, own_, length, ++number_), true};
}

void clean_traffic::send(dice& d) {
    if (!ready() || expected_.size() >= window)
        return;
    expectation e = make(d);
    std::vector<std::byte> octets = e.octets;
    send_options o;
    o.descriptors = static_cast<unsigned>(d.between(1, 4));
    if (e.checksummed)
        leave_checksum_to_card(octets, o);
    expected_.push_back(std::move(e));
    if (!driver_.send(octets, o))
        complain("the ring is full though few frames are under way");
}

void clean_traffic::received(std::span<const std::byte> octets, regs::completion_const_view c) {
    if (expected_.empty())
        complain("a frame of " + std::to_string(octets.size()) + " octets that nobody sent");
    const expectation& e = expected_.front();
    if (!std::equal(octets.begin(), octets.end(), e.octets.begin(), e.octets.end()))
        complain("a frame came back wrong, " + std::to_string(octets.size()) + " octets for " +
                 std::to_string(e.octets.size()));
    if (e.checksummed != regs::completion_flags::l4_ok::get(c.flags()))
        complain("the receive checksum verdict is wrong");
    expected_.pop_front();
    ++verified_;
}

void clean_traffic::sent(regs::completion_const_view c) {
    if (c.status() != regs::completion_status::ok)
        complain("a good packet ended with status " + std::to_string(static_cast<unsigned>(c.status())));
}

} // namespace vg810::fuzz
