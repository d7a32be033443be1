// SPDX-License-Identifier: Apache-2.0
#include "scenarios/wire/wire_host.h"

#include "fabric/classifier.h"

#include <bit>
#include <stdexcept>

namespace vg810::scenarios {

void wire_host_parameters::describe(parameter_visitor& v) {
    v.visit_struct({"transport", "Reliable connections."}, transport);
    v.visit_struct({"notification", "Answers to congestion marks."}, notification);
    v.visit_struct({"queues", "Classes, flow control, the receive buffer."}, queues);
}

void wire_host_parameters::check() const {
    transport.check();
    queues.check();
}

namespace {

const wire_host_parameters& checked(const wire_host_parameters& p) {
    p.check();
    return p;
}

rdma::engine::configuration configure(const wire_host_parameters& p, bits_per_second rate) {
    return {p.transport, p.notification, rate, p.queues.class_of_dscp()};
}

} // namespace

wire_host::wire_host(scheduler& clock, const wire_identity& who, const wire_host_parameters& p,
                     frame_pool& frames, std::span<cc::algorithm* const> algorithms, std::size_t cc,
                     path_facts facts)
    : component(clock, who.name), who_(who), p_(checked(p)), configuration_(configure(p_, who.rate)),
      frames_(frames), algorithms_(algorithms.begin(), algorithms.end()), cc_(cc), facts_(std::move(facts)),
      engine_(configuration_, frames, *this), buffer_(p_.queues, who.rate), pause_(who.rate),
      ets_(p_.queues.ets()), line_(who.rate) {
    if (cc_ >= algorithms_.size())
        throw std::invalid_argument(who.name + ": no congestion-control profile " + std::to_string(cc_));
}

wire_host::~wire_host() = default;

// ------------------------------------------------------------------------------ connections

rdma::path_address wire_host::path_to(const wire_host& peer, const connection_options& o, qp_number peer_qp) {
    rdma::path_address a;
    a.own_mac = who_.mac;
    a.peer_mac = peer.who_.mac;
    a.own_ip = who_.ip;
    a.peer_ip = peer.who_.ip;
    a.udp_source = static_cast<std::uint16_t>(0xc000 | (o.flow_label_hash & 0x3fff));
    a.dscp = o.dscp;
    a.peer_qp = peer_qp;
    // A frame of this connection, looked at as a switch would: the labels of all.
    const frame_ptr probe = rdma::packet_builder(a).data(frames_, {}, 0, false);
    probe->labels = {};
    fabric::classify(*probe);
    a.labels = probe->labels;
    a.labels.station = peer.who_.station;
    return a;
}

message_port::pair wire_host::connect(message_port& other, const connection_options& o) {
    auto* const peer = dynamic_cast<wire_host*>(&other);
    if (!peer || peer == this || &peer->clock() != &clock())
        throw std::invalid_argument(name() + ": a wire host is connected with another one of its own run");
    const auto start = [&o](wire_host& here, wire_host& there, qp_number far) {
        const std::size_t which = o.cc < 0 ? here.cc_ : static_cast<std::size_t>(o.cc);
        cc::flow_facts facts = here.facts_ ? here.facts_(here, there) : cc::flow_facts{};
        facts.line_rate = here.who_.rate;
        facts.mtu = static_cast<std::uint32_t>(here.p_.transport.path_mtu);
        const qp_number q =
            here.engine_.connect(here.path_to(there, o, far), *here.algorithms_.at(which), facts, here.now());
        here.peers_.push_back({&there, far});
        here.arm_timer();
        return q;
    };
    const qp_number mine = engine_.next_number(), theirs = peer->engine_.next_number();
    start(*this, *peer, theirs);
    start(*peer, *this, mine);
    return {mine, theirs};
}

void wire_host::post(connection c, message_kind kind, bytes length, std::uint64_t cookie) {
    constexpr rdma::work_kind kinds[] = {rdma::work_kind::write_immediate, rdma::work_kind::send,
                                         rdma::work_kind::read};
    engine_.post(c, {kinds[static_cast<std::size_t>(kind)], length, cookie}, now());
    kick();
}

void wire_host::work_ended(qp_number q, const rdma::work_entry& e, rdma::work_status s) {
    if (listener_)
        listener_->message_ended(q, {e.request.cookie, e.posted, now(), e.request.length,
                                     s == rdma::work_status::success, e.retransmitted});
}

/// The immediate data of a real WRITE hold 32 bits; here the message's whole cookie is looked up at its
/// sender, who has it until the acknowledgement arrives.
void wire_host::message_complete(qp_number q, std::uint32_t number, bytes length) {
    if (!listener_)
        return;
    const far_end& far = peers_[q - rdma::engine::first_qp];
    const rdma::work_entry* e = far.host->engine_.connection(far.qp).sends.oldest();
    while (e && e->message != number)
        e = e->next;
    if (!e)
        throw std::logic_error(name() + ": message " + std::to_string(number) + " of QP " +
                               std::to_string(q) + " is complete but was not posted");
    listener_->message_arrived(q, e->request.cookie, length);
}

// ------------------------------------------------------------------------------ transmit

void wire_host::kick() {
    if (!link_up_)
        return;
    if (now() >= free_at_)
        transmit();
    else
        pull_at(free_at_);
}

void wire_host::pull_at(picoseconds t) {
    if (t >= pull_at_)
        return;
    if (pull_at_ != never)
        cancel(pull_event_);
    pull_at_ = t;
    pull_event_ = schedule<&wire_host::pull>(t, this);
}

void wire_host::pull(std::uint64_t) {
    pull_at_ = never;
    if (link_up_ && now() >= free_at_)
        transmit();
}

void wire_host::transmit() {
    if (to_say_.enabled != 0) {
        frame_ptr f = make_pfc_frame(frames_, who_.mac, std::exchange(to_say_, {}));
        send(std::move(f));
        return;
    }
    const priority_set ready = engine_.ready(now());
    const priority_set paused = pause_.paused(now());
    if (const auto eligible = static_cast<priority_set>(ready & ~paused)) {
        const auto head = [this](priority p) { return engine_.head_slot(p); };
        const priority p = std::has_single_bit(eligible) ? static_cast<priority>(std::countr_zero(eligible))
                                                         : ets_.choose(eligible, head);
        frame_ptr f = engine_.take(p, now());
        if (!std::has_single_bit(eligible))
            ets_.sent(p, f->slot_bytes());
        send(std::move(f));
        arm_timer();
        return;
    }
    picoseconds next = engine_.next_ready();
    for (priority_set left = ready & paused; left != 0; left = static_cast<priority_set>(left & (left - 1)))
        next = std::min(next, pause_.until(static_cast<priority>(std::countr_zero(left))));
    if (next != never)
        pull_at(std::max(next, now()));
}

void wire_host::send(frame_ptr f) {
    ++count_.tx_frames;
    count_.tx_octets += f->length() + fcs_bytes;
    const picoseconds last_bit = now() + line_.of(f->wire_bytes());
    free_at_ = now() + line_.of(f->slot_bytes());
    cable_->send(std::move(f), now(), last_bit);
    pull_at(free_at_);
}

// ------------------------------------------------------------------------------ receive

void wire_host::frame_arrived(frame_ptr f) {
    if (!link_up_)
        return;
    if (f->fcs_bad) {
        ++count_.rx_crc_errors;
        return;
    }
    ++count_.rx_frames;
    count_.rx_octets += f->length() + fcs_bytes;
    if (f->labels.control) {
        if (p_.queues.lossless.empty())
            return;
        if (p_.queues.response_delay == picoseconds{})
            paused_by(f.release());
        else
            schedule<&wire_host::paused_by>(now() + p_.queues.response_delay, this, f.release());
        return;
    }
    if (buffer_.transparent()) {
        deliver(std::move(f));
        return;
    }
    const std::uint8_t tos = fabric::dscp_of(*f);
    buffer_.put(std::move(f), configuration_.class_of_dscp[tos], now());
    flow_control();
    if (!draining_ && !buffer_.empty()) {
        draining_ = true;
        schedule<&wire_host::drain>(buffer_.next_taken(), this);
    }
}

void wire_host::deliver(frame_ptr f) {
    engine_.receive(*f, now());
    f = {};
    arm_timer();
    kick();
}

void wire_host::drain(std::uint64_t) {
    draining_ = false;
    frame_ptr f = buffer_.take(now());
    if (!buffer_.empty()) {
        draining_ = true;
        schedule<&wire_host::drain>(buffer_.next_taken(), this);
    }
    flow_control();
    deliver(std::move(f));
}

/// Says by PFC what the receive buffer asks for.
void wire_host::flow_control() {
    const auto say = buffer_.due(now());
    for (priority p = 0; p < priorities; ++p) {
        const auto bit = static_cast<priority_set>(1u << p);
        if (((say.xoff | say.xon) & bit) == 0)
            continue;
        to_say_.enabled |= bit;
        to_say_.time[p] =
            (say.xoff & bit) != 0 ? static_cast<std::uint16_t>(p_.queues.pause_quanta) : std::uint16_t{0};
        ++count_.tx_pause[p];
    }
    if (const picoseconds t = buffer_.next_refresh();
        t != never && (refresh_at_ <= now() || refresh_at_ == never)) {
        refresh_at_ = t;
        schedule<&wire_host::refresh>(t, this);
    } else if (t == never && refresh_at_ <= now()) {
        refresh_at_ = never;
    }
    if (to_say_.enabled != 0)
        kick();
}

void wire_host::paused_by(std::uint64_t released) {
    const frame_ptr f = frame_ptr::adopt(released);
    auto request = read_pause_frame(*f);
    if (!request)
        return;
    for (priority p = 0; p < priorities; ++p)
        count_.rx_pause[p] += request->enabled >> p & 1;
    request->enabled &= p_.queues.lossless_set();
    if (pause_.apply(*request, now()) != 0)
        kick();
}

void wire_host::signal_changed(bool present, bits_per_second rate) {
    link_up_ = present && rate == who_.rate;
    pause_.clear();
    if (link_up_)
        kick();
}

// ------------------------------------------------------------------------------ timers

void wire_host::arm_timer() {
    const picoseconds t = std::max(engine_.next_timer(), now());
    if (t >= timer_at_)
        return;
    if (timer_at_ != never)
        cancel(timer_event_);
    timer_at_ = t;
    timer_event_ = schedule<&wire_host::timer>(t, this);
}

void wire_host::timer(std::uint64_t) {
    timer_at_ = never;
    engine_.run_timers(now());
    arm_timer();
    kick();
}

} // namespace vg810::scenarios
