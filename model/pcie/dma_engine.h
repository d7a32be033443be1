// SPDX-License-Identifier: Apache-2.0
// A function's requests to the host: split into TLPs, timed on the card's link, carried out in order.
//
// All requests of one instant (within link_parameters::touch_grouping of link time) reach the root complex in
// one event, in the order of request: that is the only kind of event here that touches the host. Read data
// are taken from memory then and delivered when their completions have come down the link.
//
// A processor's read from the card takes no simulated time, though in a machine it would push posted writes
// ahead of its completion (PCI Express Base 4.0 2.4.1). `land_posted` keeps that promise: what was posted
// before takes effect at once.
#pragma once

#include "core/scheduler.h"
#include "model/pcie/config_space.h"
#include "model/pcie/function.h"
#include "model/pcie/host_port.h"
#include "model/pcie/link.h"
#include "model/pcie/msix.h"
#include "model/pcie/slots.h"
#include "model/pcie/tag_set.h"
#include "model/pcie/tlp_extension.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vg810::pcie {

/// Where a function's TLPs go. Takes no simulated time. The completer sets the payload's response: OK;
/// address error for a bus address that it does not claim; generic error with tlp_extension::status for a
/// completer abort; incomplete if it never answers.
class memory_port {
  public:
    virtual ~memory_port() = default;
    virtual void transport(tlm::tlm_generic_payload& tlp) = 0;
};

/// Where errors are logged that a request meets.
class error_log {
  public:
    virtual ~error_log() = default;
    virtual void report(aer_error error, const tlp_header* header, bool advisory) = 0;
};

class dma_engine final : public component, public dma_port {
  public:
    /// The rest of the function; outlives the engine.
    struct surroundings {
        link_timing& wire;
        config_space& config;
        msix& vectors;
        memory_port& memory;
        error_log& errors;
    };

    dma_engine(scheduler& clock, std::string name, unsigned function, const surroundings& s);

    /// Throws std::length_error for a transfer of 0 or more than 64 KiB octets.
    void read(std::uint64_t address, std::span<std::byte> target, dma_client& client,
              std::uint64_t cookie) override;
    void write(std::span<const dma_piece> pieces, dma_client* client, std::uint64_t cookie) override;
    void interrupt(std::uint16_t vector) override;
    picoseconds touch_latency() const override { return around_.wire.touch_latency(); }
    dma_counters counters() const override { return counters_; }

    /// Where vectors go in msix_mode::external; must be set before the first one is raised in that mode.
    void set_interrupt_sink(interrupt_sink* sink) { sink_ = sink; }
    /// Bus, device and function numbers in this function's requests.
    void set_requester(std::uint16_t id) { requester_ = id; }

    /// Every write and interrupt requested so far takes effect now.
    void land_posted();
    /// Sends the vectors that were pending and are no longer held back.
    void release_interrupts();
    /// Requests may no longer be made: reads under way end with bus_master_disabled. Call land_posted()
    /// before.
    void stop();
    /// A reset: everything requested ends now with `aborted`, and nothing of it touches the host any more.
    void reset();

    /// Read requests on the link or at the host (Device Status, Transactions Pending).
    bool reads_outstanding() const { return bursts_.in_use() > 0; }
    std::size_t requests_in_flight() const { return requests_.in_use(); }

  private:
    enum class kind : std::uint8_t { read, write, interrupt };
    using handle = std::uint64_t;

    struct write_part {
        std::uint64_t address;
        std::uint32_t length;
    };
    struct request {
        kind what;
        std::uint64_t number; // order of request
        dma_client* client;
        std::uint64_t cookie;
        dma_status status;
        std::uint64_t address; // read
        std::span<std::byte> target;
        std::size_t issued;
        std::size_t delivered;
        bool landing;                // write, interrupt: being carried out
        std::uint32_t packet_limit;  // MPS when issued
        std::vector<std::byte> data; // all parts one after the other
        std::vector<write_part> parts;
        std::uint16_t vector; // interrupt
    };
    /// As much of a read as found tags: sampled in one event, delivered in one event.
    struct burst {
        handle owner;
        std::size_t begin;
        std::size_t length;
        std::uint32_t packet_limit; // MRRS when issued
        dma_status status;
        std::vector<std::uint8_t> tags;
    };
    /// A request, or a burst of a read, on its way to the root complex.
    struct traveller {
        kind what;
        handle id; // of a burst for reads, else of a request
        std::uint64_t group;
    };

    handle new_request(kind what, dma_client* client, std::uint64_t cookie);
    bool may_request() const { return around_.config.bus_master() && !around_.config.d3hot(); }
    void refuse(handle h, dma_status status);
    void refused(std::uint64_t h);

    void issue_reads();
    void issue_burst(handle owner, request& r);
    void send_message(std::uint16_t vector);
    void post(handle h, request& r);
    unsigned tag_limit() const;

    void depart(traveller t, picoseconds leaves);
    void close_group();
    void launch(std::uint64_t group);
    void arrive(std::uint64_t group);

    void sample(handle h);
    void land(handle h);
    dma_status transfer(tlm::tlm_command command, std::uint64_t address, std::byte* data,
                        std::uint32_t length, std::uint8_t tag);
    void log_error(const tlm::tlm_generic_payload& tlp, dma_status status);
    void deliver(std::uint64_t h);
    void finish(handle h, dma_status status);
    void forget();

    surroundings around_;
    unsigned function_;
    std::uint16_t requester_;
    interrupt_sink* sink_ = nullptr;
    dma_counters counters_;

    slot_pool<request> requests_;
    slot_pool<burst> bursts_;
    ring<handle> waiting_; // reads not fully issued, for want of tags
    ring<traveller> travelling_;
    tag_set tags_;
    std::uint64_t next_number_ = 0;

    std::uint64_t group_ = 0;
    bool group_open_ = false;
    picoseconds group_began_;
    picoseconds group_first_leaves_;
    picoseconds group_arrives_;

    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_; // one for each depth of nested calls
    std::size_t depth_ = 0;
};

} // namespace vg810::pcie
