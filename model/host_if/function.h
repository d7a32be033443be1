// SPDX-License-Identifier: Apache-2.0
// One network function: what its registers do, from reset and negotiation to doorbells, and the blocks behind
// them. docs/programming.md tells the same story for driver authors.
#pragma once

#include "model/host_if/admin_commands.h"
#include "model/host_if/observer.h"

namespace vg810 {

class network_function final : public component,
                               public pcie::function_target,
                               public mac_client,
                               private regs::register_listener,
                               private dma_progress_listener,
                               private error_reporter {
  public:
    struct configuration {
        function_identity identity;
        host_if_parameters host_if;
        mac_parameters port;
        card_faults faults;
        host_path_minima minima;
    };

    network_function(scheduler& clock, const std::string& name, const configuration& c, pcie::dma_port& dma,
                     frame_pool& frames);

    /// For the cable: plug in, and the receiver to feed.
    mac& port() { return port_; }
    const mac& port() const { return port_; }
    /// May be null.
    void set_observer(card_observer* observer) { observer_ = observer; }

    /// After an access now, no bit that it causes leaves on the cable, and no light changes there, sooner
    /// than this. What is already under way is not its business: that is in the scheduler's heap.
    picoseconds access_lookahead() const;
    /// From a frame's arrival to the first touch of host memory that it can cause.
    picoseconds rx_quiet() const;
    /// From any input on the cable to the first bit on the cable that it can cause, the host reacting at
    /// once.
    picoseconds pass_through() const;

    // What PCIe says.
    std::uint64_t bar_read(int bar, std::uint64_t offset, unsigned size) override;
    void bar_write(int bar, std::uint64_t offset, unsigned size, std::uint64_t value) override;
    void reset(pcie::reset_kind kind) override;
    void command_changed(bool memory_space, bool bus_master) override;

    // What the port says.
    outgoing_frame next_frame() override { return tx_.next_frame(); }
    void frame_started(const frame& f, picoseconds first_bit) override;
    void frame_sent(std::uint64_t token) override { tx_.frame_sent(token); }
    void frame_received(frame_ptr f) override;
    void link_changed() override;

  private:
    /// A doorbell between its arrival and its effect, packed into an event's argument.
    struct doorbell {
        std::uint32_t page;
        std::uint32_t queue;
        std::uint32_t index;
        bool arm;
        std::uint64_t pack() const;
        static doorbell unpack(std::uint64_t v);
    };
    /// The time of something that is known before it happens.
    struct stamp {
        picoseconds before;
        picoseconds latest;
        void set(picoseconds at) {
            before = latest;
            latest = at;
        }
        picoseconds at(picoseconds now) const { return latest <= now ? latest : before; }
    };

    void on_write(regs::reg which, std::uint32_t copy, std::uint64_t old, std::uint64_t value) override;
    void on_read(regs::reg which, std::uint32_t copy) override;
    void write_control(std::uint64_t old, std::uint64_t value);
    bool rings_valid() const;
    void ring_bell(regs::reg which, std::uint32_t page, std::uint64_t value);
    template <auto Method> void ring_later(std::uint64_t argument);
    void admin_tail(std::uint64_t index);
    void admin_head(std::uint64_t index);
    void tx_bell(std::uint64_t packed);
    void rx_bell(std::uint64_t packed);
    void cq_bell(std::uint64_t packed);
    void eq_bell(std::uint64_t packed);
    void start_irq_test(std::uint64_t delay_ns);
    void irq_test_due(std::uint64_t attempt);
    void refresh_dma_counters();

    void begin_reset();
    void quiesce();
    void firmware_started(std::uint64_t generation);
    void finish_reset();
    void halt(std::uint64_t generation);
    void fail_as_asked(std::uint64_t) { fatal(regs::fatal_error::injected); }
    void stick_as_asked(std::uint64_t) { tx_.stick(); }
    /// Ready and not failed: the function works.
    bool operational() const;
    void show_port_status();
    void announce(const event& e);
    std::uint64_t clock_ns() const { return static_cast<std::uint64_t>(now().floor_ns()); }

    void dma_progressed() override;
    void dma_failed() override;
    void interrupt_sent(std::uint16_t vector) override;
    void queue_stopped(regs::queue_kind kind, std::uint32_t id, regs::queue_error error) override;
    void bad_doorbell() override;
    void queue_drained() override { commands_.poll(); }
    void fatal(regs::fatal_error error) override;

    configuration config_;
    pcie::dma_port& dma_port_;
    regs::register_file registers_;
    dma_engine dma_;
    services services_;
    mac port_;
    tx_engine tx_;
    rx_path rx_;
    function_blocks blocks_;
    admin_commands commands_;
    admin_queue admin_;
    card_observer* observer_ = nullptr;

    std::uint64_t generation_ = 0; ///< counts resets
    bool firmware_up_ = false;
    bool resetting_ = true;
    std::uint64_t irq_test_attempt_ = 0;
    pcie::dma_counters counted_before_; ///< at the last reset
    stamp frame_out_;
};

} // namespace vg810
