// SPDX-License-Identifier: Apache-2.0
// The embedded driver of hosts that run no guest: it does with registers and rings what the Linux driver
// does, with callbacks instead of a network stack. One queue pair, one event queue; software costs one fixed
// delay.
#pragma once

#include "core/parameters.h"
#include "core/scheduler.h"
#include "model/regs/vg810_regs.h"

#include <array>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vg810 {

/// The driver's machine: the card's registers and the host's memory. Accesses take no time of their own.
class native_platform {
  public:
    virtual ~native_platform() = default;
    virtual std::uint64_t read_register(unsigned bar, std::uint64_t offset, unsigned size) = 0;
    virtual void write_register(unsigned bar, std::uint64_t offset, unsigned size, std::uint64_t value) = 0;
    /// By bus address, within what the driver was given.
    virtual void read_memory(std::uint64_t address, std::span<std::byte> data) = 0;
    virtual void write_memory(std::uint64_t address, std::span<const std::byte> data) = 0;
};

struct native_driver_config {
    std::int64_t mtu = 1500;
    std::int64_t ring_log2 = 9; ///< entries of TX and RX ring
    bool promiscuous = false;
    bool checksum_offload = true;
    /// From an interrupt to the driver's reaction, and from a full ring's end to the next send.
    picoseconds software_latency = 1_us;
    picoseconds moderation{};

    void describe(parameter_visitor& v) {
        v.visit({"mtu", "octets"}, mtu, {regs::min_mtu, regs::max_mtu});
        v.visit({"ring_log2", "log2 of the entries of TX and RX ring"}, ring_log2,
                {regs::min_ring_log2, regs::max_ring_log2 - 1});
        v.visit({"promiscuous", "take every frame"}, promiscuous);
        v.visit({"checksum_offload", "let the card check received checksums"}, checksum_offload);
        v.visit({"software_latency", "interrupt to the driver's reaction"}, software_latency, any_time);
        v.visit({"moderation", "least time between two interrupts"}, moderation,
                {picoseconds{}, picoseconds::from_ns(10'000'000)});
    }
};

/// Offloads wanted for one packet; offsets as in tx_descriptor.
struct send_options {
    bool l3_checksum = false;
    bool l4_checksum = false;
    std::uint8_t l3_offset = 0;
    std::uint8_t l4_offset = 0;
    std::uint8_t checksum_offset = 0;
    bool tso = false;
    std::uint8_t header_length = 0;
    std::uint16_t mss = 0;
    bool insert_vlan = false;
    std::uint16_t vlan_tci = 0;
    /// Spread over this many descriptors, 1 .. 20 and not more than octets.
    unsigned descriptors = 1;
};

class native_driver final : public component {
  public:
    /// Uses memory_needed() octets of host memory from bus address `base` (4 KiB aligned) on.
    native_driver(scheduler& clock, const std::string& name, const native_driver_config& config,
                  native_platform& platform, std::uint64_t base);
    static std::size_t memory_needed(const native_driver_config& config);

    /// Resets the function, negotiates, creates the queues, turns the port on. Ends in on_up, or in
    /// on_failure.
    void bring_up();
    bool link_up() const { return link_up_; }
    const std::string& failure() const { return failure_; }
    std::uint64_t features() const { return features_; }

    /// False if the ring is full or the driver is not up; on_space tells when it is worth trying again.
    /// Throws std::length_error for more octets than packet_bytes().
    bool send(std::span<const std::byte> packet, const send_options& options = {});
    std::size_t packet_bytes() const { return packet_bytes_; }
    std::size_t sends_pending() const { return tx_head_ - tx_tail_; }

    /// The machine's MSI-X message `vector` has arrived.
    void interrupt(std::uint16_t vector);

    /// Runs one admin command of the caller's; `buffer` is filled in when `data` is not empty. The
    /// completion's status and param go to `done`.
    using command_done = std::function<void(regs::admin_status, std::uint64_t)>;
    using command_fill = std::function<void(regs::admin_command_view)>;
    void command(command_fill fill, std::vector<std::byte> data, command_done done);

    std::function<void()> on_up; ///< queues work; the link may still be down
    std::function<void(bool)> on_link;
    std::function<void(const std::string&)> on_failure;
    std::function<void()> on_space;
    /// A received frame and its completion, valid during the call.
    std::function<void(std::span<const std::byte>, regs::completion_const_view)> on_receive;
    std::function<void(regs::completion_const_view)> on_sent;
    std::function<void(regs::event_const_view)> on_queue_error;

    struct counters {
        std::uint64_t sent = 0, received = 0, send_errors = 0, receive_errors = 0, interrupts = 0;
    };
    const counters& counts() const { return counts_; }

  private:
    enum class state : std::uint8_t { down, resetting, starting, up, failed };
    struct area {
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };
    struct layout {
        area asq, acq, eq, tx_cq, rx_cq, tx_ring, rx_ring, tx_buffers, rx_buffers, data;
        std::size_t total = 0;
    };
    struct pending_command {
        command_fill fill;
        std::vector<std::byte> data;
        command_done done;
    };

    static layout plan(const native_driver_config& config);
    static std::size_t buffer_bytes(const native_driver_config& config);
    std::uint64_t bus(const area& a) const { return base_ + a.offset; }
    template <std::size_t N> using entry = std::array<std::byte, N>;
    template <std::size_t N> entry<N> load(const area& a, std::size_t index) {
        entry<N> e;
        platform_.read_memory(bus(a) + index * N, e);
        return e;
    }
    template <std::size_t N> void store(const area& a, std::size_t index, const entry<N>& e) {
        platform_.write_memory(bus(a) + index * N, e);
    }
    std::uint32_t read32(regs::reg r);
    void write32(regs::reg r, std::uint32_t value);
    void write64(regs::reg r, std::uint64_t value);

    void poll_ready(std::uint64_t attempt);
    void negotiate();
    void create_queues();
    void start_next_command();
    void reap_admin();
    void poll_admin(std::uint64_t attempt);
    void post_receive_buffers();
    void finish_bring_up();
    void fail(const std::string& why);
    void simple(regs::admin_opcode opcode, command_fill fill, std::vector<std::byte> data = {});
    void handle(std::uint64_t attempt);
    void handle_event(regs::event_const_view e);
    void reap_transmit();
    void reap_receive();
    void arm_eq();
    void show_link(std::uint32_t status);

    native_driver_config config_;
    native_platform& platform_;
    std::uint64_t base_;
    layout layout_;
    std::size_t packet_bytes_;
    std::size_t receive_bytes_;
    std::vector<std::byte> received_; ///< the frame shown to on_receive

    state state_ = state::down;
    std::uint64_t attempt_ = 0; ///< counts bring-ups, so that old timers know
    std::string failure_;
    picoseconds give_up_at_;
    std::uint64_t features_ = 0;
    bool link_up_ = false;
    bool handling_ = false;

    std::deque<pending_command> commands_;
    bool command_running_ = false;
    std::uint32_t asq_tail_ = 0, acq_head_ = 0; // free-running
    std::uint32_t eq_head_ = 0, tx_cq_head_ = 0, rx_cq_head_ = 0;
    std::uint32_t tx_head_ = 0, tx_tail_ = 0;
    std::uint32_t rx_posted_ = 0;
    counters counts_;
};

} // namespace vg810
