// SPDX-License-Identifier: Apache-2.0
// One receive queue: descriptors read ahead of need, and frames that wait for them.
#pragma once

#include "core/frame.h"
#include "model/host_if/completion_queue.h"
#include "model/host_if/descriptor_ring.h"
#include "model/host_if/rss.h"

namespace vg810 {

struct rx_queue_config {
    std::uint16_t id = 0;
    std::uint64_t base = 0;
    unsigned log2 = 0;
    std::uint32_t page = 0;
    completion_queue* cq = nullptr;
};

/// A frame for a queue, classified.
struct received_frame {
    frame_ptr data;
    picoseconds complete; ///< last bit in
    rss_result rss;
    std::uint8_t flags = 0;     ///< regs::completion_flags
    std::uint16_t vlan_tci = 0; ///< when stripped
    bool strip_vlan = false;
    std::uint32_t next = 0; ///< list link

    bytes length() const { return data->length() - (strip_vlan ? vlan_tag_bytes : 0); }
};

/// What a queue can offer a frame.
enum class rx_claim : std::uint8_t {
    fits,           ///< the buffers of the next `count` descriptors take it
    wait,           ///< descriptors are posted but not on the card yet
    out_of_buffer,  ///< the driver has posted too few
    too_long,       ///< it would take more than max_chain buffers
    bad_descriptor, ///< the last of the next `count` is garbage
};

class rx_queue final : public descriptor_ring_owner {
  public:
    /// Most buffers that one frame may be spread over.
    static constexpr std::uint16_t max_chain = 16;
    static constexpr std::uint32_t none = ~0u;
    struct buffer {
        std::uint64_t address;
        std::uint32_t bytes;
    };
    struct claim {
        rx_claim verdict;
        std::uint16_t count = 0;
        std::array<buffer, max_chain> buffers;
    };
    using listener = descriptor_ring_owner;

    rx_queue(const services& s, class rx_path& path) : ring_(s, *this), path_(path) {}

    void create(const rx_queue_config& config);
    void destroy();
    bool exists() const { return exists_; }
    /// Takes frames.
    bool running() const { return exists_ && !stopped_; }
    void stop() { stopped_ = true; }
    /// Nothing of it is under way to or from the host.
    bool idle() const { return writes_ == 0 && !ring_.fetching(); }
    const rx_queue_config& config() const { return config_; }

    bool post(std::uint16_t index) { return ring_.post(index); }
    /// Keeps the cache filled; waits until it is half empty so that reads are few and long.
    void read_ahead();
    claim offer(bytes length) const;
    /// Uses up `count` descriptors; the index of the first.
    std::uint16_t use(std::uint16_t count);

    /// Frames waiting, as a list in rx_path's store.
    std::uint32_t first_waiting = none;
    std::uint32_t last_waiting = none;
    void write_started() { ++writes_; }
    void write_ended() { --writes_; }

    void descriptors_arrived() override;
    void fetch_failed() override;

  private:
    static constexpr std::size_t batch = 32;
    descriptor_ring<regs::rx_descriptor_view::bytes, batch> ring_;
    class rx_path& path_;
    rx_queue_config config_;
    bool exists_ = false;
    bool stopped_ = false;
    std::size_t writes_ = 0;
};

} // namespace vg810
