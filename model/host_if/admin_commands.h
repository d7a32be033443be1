// SPDX-License-Identifier: Apache-2.0
// What each admin command does: checks every field, then changes the function. Commands run one at a time.
#pragma once

#include "model/host_if/admin_queue.h"
#include "model/host_if/completion_queue.h"
#include "model/host_if/rx_path.h"
#include "model/host_if/tx_engine.h"
#include "model/mac/mac.h"

#include <memory>
#include <optional>
#include <vector>

namespace vg810 {

/// The function's objects.
struct function_blocks {
    std::vector<std::unique_ptr<event_queue>> eqs;
    std::vector<std::unique_ptr<completion_queue>> cqs;
    tx_engine& tx;
    rx_path& rx;
    mac& port;
};

/// What tells one card and port from another.
struct function_identity {
    unsigned port = 0;
    unsigned ports = 1;
    mac_address address; ///< permanent
    std::uint64_t serial_number = 0;
};

class admin_commands final : public admin_executor, public dma_receiver {
  public:
    admin_commands(const services& s, function_blocks& blocks, const function_identity& identity,
                   const card_faults& faults)
        : s_(s), blocks_(blocks), identity_(identity), faults_(faults) {}
    /// Before the first command; the two know each other.
    void attach(admin_queue& queue) { queue_ = &queue; }

    void execute(regs::admin_command_const_view command) override;
    event_queue* admin_events() override;
    /// Something ended that a command may be waiting for.
    void poll();
    /// Function reset: forgets the command being executed.
    void reset();

    void dma_ended(std::uint64_t cookie, bool ok) override;

    /// Largest data structure a command reads or writes.
    static constexpr std::size_t max_data = 512;

  private:
    using command = regs::admin_command_const_view;
    using answer = std::optional<admin_result>; ///< empty: comes later

    answer dispatch(const command& c);
    answer create_eq(const command& c);
    answer create_cq(const command& c);
    answer create_txq(const command& c);
    answer create_rxq(const command& c);
    answer destroy(const command& c);
    answer destroy_eq(std::uint32_t id);
    answer destroy_cq(std::uint32_t id);
    answer destroy_txq(std::uint32_t id);
    answer destroy_rxq(std::uint32_t id);
    answer modify_eq(const command& c);
    answer identify(const command& c);
    answer set_mac(const command& c);
    answer set_mtu(const command& c);
    answer set_offloads(const command& c);
    answer set_port(const command& c);
    answer read_then(const command& c, std::size_t least, std::size_t octets);
    answer start_rss(const command& c);
    answer start_rx_mode(const command& c);
    answer start_vlan_filter(const command& c);
    answer start_self_test();

    admin_result apply_data();
    admin_result apply_rss();
    admin_result apply_rx_mode();
    admin_result check_ring(const command& c) const;
    admin_result check_moderation(const command& c) const;
    admin_result check_cq(const command& c) const;
    bool drained() const;
    void self_test_over(std::uint64_t generation);

    const services& s_;
    function_blocks& blocks_;
    const function_identity& identity_;
    const card_faults& faults_;
    admin_queue* queue_ = nullptr;
    regs::admin_opcode opcode_{};
    std::uint32_t queue_id_ = 0;
    std::uint32_t param_ = 0;
    std::uint32_t count_ = 0;
    bool draining_ = false;
    std::uint64_t generation_ = 0;
    std::array<std::byte, max_data> data_{};
};

} // namespace vg810
