// SPDX-License-Identifier: Apache-2.0
// A host for tests without PCIe: memory behind a dma_port with fixed latencies, addresses that fail on
// demand, and a record of interrupts. Touches are counted, and checked against the quiet promises of whoever
// caused them.
#pragma once

#include "core/scheduler.h"
#include "model/pcie/function.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

namespace vg810::testing {

class fake_host final : public component, public pcie::dma_port {
  public:
    static constexpr std::uint64_t base = 0x1'0000'0000;

    explicit fake_host(scheduler& clock, std::size_t bytes = 8 << 20)
        : component(clock, "fake_host"), memory_(bytes) {}

    picoseconds read_latency = 700_ns; ///< request to data sampled is touch, to dma_done this
    picoseconds touch = 250_ns;
    bool bus_master = true;
    /// Every second read ends before the one in front of it.
    bool reorder_reads = false;
    std::function<void(std::uint16_t)> on_interrupt;
    /// Memory is about to be read or written, or an interrupt comes.
    std::function<void()> on_touch;

    std::span<std::byte> memory(std::uint64_t address, std::size_t n) {
        return std::span(memory_).subspan(address - base, n);
    }
    /// Accesses that touch the page of `address` fail.
    void poison(std::uint64_t address) { bad_pages_.push_back(address / 4096); }
    void heal() { bad_pages_.clear(); }

    std::vector<std::uint16_t> interrupts;
    std::uint64_t reads = 0, writes = 0, write_batches = 0;

    void read(std::uint64_t address, std::span<std::byte> target, pcie::dma_client& client,
              std::uint64_t cookie) override {
        if (target.empty() || target.size() > 65536)
            throw std::length_error("fake_host: read of " + std::to_string(target.size()));
        ++reads;
        const bool early = reorder_reads && reads % 2 == 0;
        queue({kind::sample, address, target, {}, &client, cookie, 0}, early ? touch + 1_ns : touch + 40_ns);
    }
    void write(std::span<const pcie::dma_piece> pieces, pcie::dma_client* client,
               std::uint64_t cookie) override {
        ++write_batches;
        writes += pieces.size();
        operation op{kind::write, 0, {}, {}, client, cookie, 0};
        for (const auto& p : pieces)
            op.pieces.emplace_back(p.address, std::vector<std::byte>(p.data.begin(), p.data.end()));
        queue(std::move(op), touch);
    }
    void interrupt(std::uint16_t vector) override {
        queue({kind::interrupt, 0, {}, {}, nullptr, 0, vector}, touch);
    }
    picoseconds touch_latency() const override { return touch; }
    pcie::dma_counters counters() const override { return {reads, writes, 0, 0, interrupts.size()}; }

    /// What PCIe does at a reset: everything pending ends with `aborted`, now.
    void abort_all() {
        for (auto& [id, op] : std::exchange(pending_, {}))
            if (op.client != nullptr)
                op.client->dma_done(op.cookie, pcie::dma_status::aborted);
    }
    std::size_t pending() const { return pending_.size(); }

  private:
    enum class kind { sample, deliver, write, interrupt };
    struct operation {
        kind what;
        std::uint64_t address;
        std::span<std::byte> target;
        std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> pieces;
        pcie::dma_client* client;
        std::uint64_t cookie;
        std::uint16_t vector;
        pcie::dma_status status = pcie::dma_status::ok;
    };

    void queue(operation op, picoseconds delay) {
        const std::uint64_t id = next_++;
        if (!bus_master)
            op.status = pcie::dma_status::bus_master_disabled;
        pending_.emplace(id, std::move(op));
        schedule<&fake_host::run>(now() + delay, this, id);
    }
    bool reachable(std::uint64_t address, std::size_t n) const {
        if (address < base || n > memory_.size() || address - base > memory_.size() - n)
            return false;
        return std::none_of(bad_pages_.begin(), bad_pages_.end(), [&](std::uint64_t page) {
            return page >= address / 4096 && page <= (address + n - 1) / 4096;
        });
    }
    void run(std::uint64_t id) {
        const auto found = pending_.find(id);
        if (found == pending_.end())
            return;
        operation op = std::move(found->second);
        pending_.erase(found);
        if (op.what != kind::deliver && on_touch)
            on_touch();
        if (op.what == kind::sample) {
            if (op.status == pcie::dma_status::ok && !reachable(op.address, op.target.size()))
                op.status = pcie::dma_status::unsupported_request;
            if (op.status == pcie::dma_status::ok)
                std::memcpy(op.target.data(), memory(op.address, op.target.size()).data(), op.target.size());
            op.what = kind::deliver;
            const std::uint64_t next = next_++;
            pending_.emplace(next, std::move(op));
            schedule<&fake_host::run>(now() + (read_latency - touch), this, next, touch);
            return;
        }
        if (op.what == kind::write && op.status == pcie::dma_status::ok)
            for (const auto& [address, data] : op.pieces) {
                if (!reachable(address, data.size()))
                    op.status = pcie::dma_status::unsupported_request;
                else
                    std::memcpy(memory(address, data.size()).data(), data.data(), data.size());
            }
        if (op.what == kind::interrupt && op.status == pcie::dma_status::ok) {
            interrupts.push_back(op.vector);
            if (on_interrupt)
                on_interrupt(op.vector);
        }
        if (op.client != nullptr)
            op.client->dma_done(op.cookie, op.status);
    }

    std::vector<std::byte> memory_;
    std::vector<std::uint64_t> bad_pages_;
    std::map<std::uint64_t, operation> pending_;
    std::uint64_t next_ = 0;
};

} // namespace vg810::testing
