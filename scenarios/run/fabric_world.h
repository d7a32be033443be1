// SPDX-License-Identifier: Apache-2.0
// A run without guests: switches, wire hosts and workloads in one domain, and what is measured of them.
#pragma once

#include "core/frame.h"
#include "core/scheduler.h"
#include "fabric/capture.h"
#include "fabric/deadlock.h"
#include "fabric/network.h"
#include "scenarios/config/scenario.h"
#include "scenarios/report/run_directory.h"
#include "scenarios/report/traffic_report.h"
#include "scenarios/run/counter_sampler.h"
#include "scenarios/run/pause_log.h"
#include "scenarios/run/series_sampler.h"
#include "scenarios/run/wire_hosts.h"
#include "scenarios/workload/traffic.h"
#include "scenarios/workload/workload.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vg810::scenarios {

/// Why a fabric gets nowhere.
struct stuck_fabric {
    std::string verdict; ///< "deadlock", "livelock", "broken" or "stalled"
    std::string what;    ///< the cycle of queues, the messages that wait
};

class fabric_world {
  public:
    /// Throws bad_input, output_error and environment_error.
    fabric_world(const scenario& s, const run_directory& directory, const wire_host_maker& make_hosts);
    ~fabric_world();

    /// Powers the fabric on and lets the workloads begin.
    void start();
    scheduler& clock() { return *clock_; }
    const scheduler& clock() const { return *clock_; }

    /// All workloads that the run waits for are over.
    bool over() const;
    /// Bounded work is left that does not go on: see `progress`.
    bool has_outstanding() const { return messages_->outstanding() > 0; }
    /// Grows whenever some message gets on.
    std::uint64_t progress() const;
    /// Frames that hosts have sent: grows when something is on the wire.
    std::uint64_t frames_sent() const;

    const traffic& messages() const { return *messages_; }
    const fabric::network& network() const { return *network_; }
    fabric::network& network() { return *network_; }
    const wire_hosts& hosts() const { return *hosts_; }
    const series_sampler& series() const { return *series_; }
    pause_log& pauses() { return pauses_; }
    const pause_log& pauses() const { return pauses_; }
    std::string activity() const;
    /// Why nothing gets on; `sent`: frames that hosts have sent meanwhile.
    stuck_fabric find_stuck(std::uint64_t sent) const;
    /// The circle of queues that was there at the last call, too, and has not moved since; empty when there
    /// is none. For calls some milliseconds apart.
    std::string lasting_deadlock();

    /// All counters, now.
    counter_sampler::counter_list counters() const;
    /// What the messages' report needs; for after the run.
    traffic_facts facts() const;
    picoseconds ideal(const message_record& r) const;

    void finish_captures();
    const std::string& output_failure() const { return output_failure_; }

  private:
    void build_network(const wire_host_maker& make_hosts);
    void build_workloads();
    void build_series();
    void build_captures();
    void watch_pauses();
    std::string waiting_messages() const;
    fabric::network::path_latency path(const message_record& r, bytes frame_bytes) const;

    scenario scenario_;
    const run_directory& directory_;
    frame_pool frames_;
    fabric::topology topology_;
    pause_log pauses_; ///< outlives the cables
    std::unique_ptr<fabric::network> network_;
    scheduler* clock_ = nullptr;
    std::unique_ptr<wire_hosts> hosts_;
    std::unique_ptr<traffic> messages_;
    std::vector<std::unique_ptr<workload>> workloads_;
    std::unique_ptr<series_sampler> series_;
    std::vector<std::unique_ptr<fabric::capture>> captures_;
    std::optional<fabric::deadlock_detector> deadlocks_;
    std::string output_failure_;
    mutable std::vector<std::string> place_of_host_; ///< its switch, rate and cable, for remembered paths
    mutable std::map<std::pair<std::string, bytes>, fabric::network::path_latency> paths_;
};

} // namespace vg810::scenarios
