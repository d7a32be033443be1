// SPDX-License-Identifier: Apache-2.0
// Clients that read from and write to servers: each keeps so many requests under way, every one to a server
// drawn anew. A READ's data flow from the server, a WRITE's to it.
#pragma once

#include "scenarios/workload/flow_sizes.h"
#include "scenarios/workload/workload.h"

#include <optional>
#include <vector>

namespace vg810::scenarios {

struct storage_plan {
    std::vector<host_index> clients;
    std::vector<host_index> servers; ///< no client among them
    double read_share = 0.7;         ///< of the requests. Range: 0 .. 1
    bytes length = 0;                ///< of each request, when there are no `sizes`
    std::optional<flow_sizes> sizes;
    std::uint32_t outstanding = 1; ///< requests that each client keeps under way
    std::uint64_t requests = 0;    ///< of each client; 0: no limit
    picoseconds duration = never;  ///< nothing new after it, counted from the start
};

class storage_workload final : public workload {
  public:
    storage_workload(scheduler& clock, traffic& messages, const workload_basis& basis, storage_plan plan);

    void begin() override;
    bool over() const override { return begun_ && active_ == 0; }
    void message_arrived(std::uint64_t, const message_record&) override {}
    void message_over(std::uint64_t tag, const message_record& r) override;

  private:
    struct client {
        random_stream random;
        std::uint64_t posted = 0;
        std::vector<traffic::line> lines; ///< of its requests under way, by place
    };
    void start(std::uint64_t);
    void request(std::uint64_t client, std::uint64_t place);

    storage_plan plan_;
    std::vector<client> clients_;
    picoseconds end_ = never;
    bool begun_ = false;
    std::uint64_t active_ = 0;
};

} // namespace vg810::scenarios
