// SPDX-License-Identifier: Apache-2.0
// A host without PCIe and descriptors: the card's transport, congestion control and queues right behind one
// port, for fabrics of a thousand of them. Left out against a card: the pipelines between memory and port.
#pragma once

#include "core/scheduler.h"
#include "core/wire.h"
#include "model/queues/parameters.h"
#include "model/queues/receive_buffer.h"
#include "model/rdma/engine.h"
#include "scenarios/workload/message_port.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace vg810::scenarios {

struct wire_host_parameters {
    rdma::transport_parameters transport;
    rdma::notification_parameters notification;
    queues::parameters queues;

    void describe(parameter_visitor& v);
    /// Throws std::invalid_argument that names key and values.
    void check() const;
};

/// What tells one host from another.
struct wire_identity {
    std::string name;
    mac_address mac;
    ipv4_address ip;
    std::uint32_t station = frame_labels::unknown_station; ///< the network's number of its port
    bits_per_second rate{25'000'000'000};
};

class wire_host final : public component, public wire_receiver, public message_port, rdma::engine_client {
  public:
    /// What the scenario knows of the way to another host. May be empty.
    using path_facts = std::function<cc::flow_facts(const wire_host& from, const wire_host& to)>;

    /// `algorithms`: one for each congestion-control profile, of this domain; `cc` is the one of connections
    /// that name none. Throws std::invalid_argument for bad parameters.
    wire_host(scheduler& clock, const wire_identity& who, const wire_host_parameters& p, frame_pool& frames,
              std::span<cc::algorithm* const> algorithms, std::size_t cc, path_facts facts = {});
    ~wire_host() override;

    void attach(cable_end& cable) { cable_ = &cable; }
    /// Turns its transmitter on.
    void power_on() { cable_->set_signal(true, who_.rate); }
    const wire_identity& identity() const { return who_; }

    void listen(message_listener& l) override { listener_ = &l; }
    pair connect(message_port& peer, const connection_options& o) override;
    void post(connection c, message_kind kind, bytes length, std::uint64_t cookie) override;

    void frame_arrived(frame_ptr f) override;
    void signal_changed(bool present, bits_per_second rate) override;
    void line_rate_changed(bits_per_second r) override { line_.set(r.count()); }

    struct counters {
        std::uint64_t tx_frames = 0;
        std::uint64_t tx_octets = 0; ///< of frames with FCS
        std::uint64_t rx_frames = 0;
        std::uint64_t rx_octets = 0;
        std::uint64_t rx_crc_errors = 0;
        per_priority<std::uint64_t> tx_pause{};
        per_priority<std::uint64_t> rx_pause{};
    };
    const counters& count() const { return count_; }
    const rdma::engine& transport() const { return engine_; }
    const queues::receive_buffer& buffer() const { return buffer_; }
    /// Priorities that its peer has stopped.
    priority_set paused() const { return pause_.paused(now()); }
    bool link_up() const { return link_up_; }

  private:
    void work_ended(qp_number q, const rdma::work_entry& e, rdma::work_status s) override;
    void message_complete(qp_number q, std::uint32_t number, bytes length) override;

    void kick();
    void pull(std::uint64_t);
    void transmit();
    void send(frame_ptr f);
    void pull_at(picoseconds t);
    void timer(std::uint64_t);
    void arm_timer();
    void deliver(frame_ptr f);
    void drain(std::uint64_t);
    void flow_control();
    void refresh(std::uint64_t) { flow_control(); }
    void paused_by(std::uint64_t released);
    rdma::path_address path_to(const wire_host& peer, const connection_options& o, qp_number peer_qp);

    wire_identity who_;
    wire_host_parameters p_;
    rdma::engine::configuration configuration_;
    frame_pool& frames_;
    std::vector<cc::algorithm*> algorithms_;
    std::size_t cc_;
    path_facts facts_;
    rdma::engine engine_;
    queues::receive_buffer buffer_;
    pause_timers pause_;
    ets_scheduler ets_;
    byte_time line_;
    cable_end* cable_ = nullptr;
    message_listener* listener_ = nullptr;
    bool link_up_ = false;

    struct far_end {
        wire_host* host;
        qp_number qp;
    };
    std::vector<far_end> peers_; ///< by connection

    picoseconds free_at_;
    picoseconds pull_at_ = never;
    event_handle pull_event_;
    picoseconds timer_at_ = never;
    event_handle timer_event_;
    picoseconds refresh_at_ = never;
    bool draining_ = false;
    pfc_request to_say_;
    counters count_;
};

} // namespace vg810::scenarios
