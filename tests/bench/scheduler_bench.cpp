// SPDX-License-Identifier: Apache-2.0
// How many events a scheduler runs a CPU second, for numbers of events pending: each event schedules the next
// one, as far ahead as a fabric's events are. Beside it the same with a std::priority_queue of whole events.
//
// usage: scheduler_bench [million events a figure]
#include "core/random.h"
#include "core/scheduler.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

using namespace vg810;

namespace {

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Delays drawn beforehand, so that drawing them is not what is measured.
class delays {
  public:
    explicit delays(int kind) {
        random_stream random(1, "delays");
        for (picoseconds& d : table_) {
            const std::uint64_t timer = random.below(1000);
            const auto uniform = [&](std::uint64_t low, std::uint64_t high) {
                return picoseconds(static_cast<std::int64_t>(low + random.below(high - low)));
            };
            if (kind == 0)
                d = uniform(40'000, 10'000'000); // 40 ns .. 10 us
            else if (timer == 0)
                d = 67_ms;
            else if (timer < 10)
                d = 55_us;
            else
                d = timer & 1 ? 337'920_ps : 1'400_ns; // a frame's slot, a link: many at the same instant
        }
    }
    picoseconds operator[](std::size_t i) const { return table_[i % size]; }

  private:
    static constexpr std::size_t size = 4096;
    picoseconds table_[size];
};

struct bouncer : component {
    bouncer(scheduler& s, std::string name, const delays& d) : component(s, std::move(name)), ahead(d) {}
    void bounce(std::uint64_t n) { schedule<&bouncer::bounce>(now() + ahead[n], this, n + 1); }
    const delays& ahead;
};

double ours(std::size_t pending, std::uint64_t events, const delays& d) {
    scheduler s("s");
    std::vector<std::unique_ptr<bouncer>> all;
    for (std::size_t i = 0; i < std::min<std::size_t>(pending, 2000); ++i)
        all.push_back(std::make_unique<bouncer>(s, "component" + std::to_string(i), d));
    for (std::size_t i = 0; i < pending; ++i) {
        bouncer& b = *all[i % all.size()];
        b.schedule<&bouncer::bounce>(d[i], &b, i * 7);
    }
    while (s.events_run() < events / 10)
        s.run_before(s.next_time() + 1_us);
    const double began = cpu_seconds();
    while (s.events_run() < events + events / 10)
        s.run_before(s.next_time() + 1_us);
    return static_cast<double>(events) / (cpu_seconds() - began) / 1e6;
}

double plain(std::size_t pending, std::uint64_t events, const delays& d) {
    const auto later = [](const pending_event& a, const pending_event& b) {
        return std::tie(a.at, a.source, a.sequence) > std::tie(b.at, b.source, b.sequence);
    };
    std::priority_queue<pending_event, std::vector<pending_event>, decltype(later)> q(later);
    for (std::size_t i = 0; i < pending; ++i)
        q.push({d[i], d[i], i, i * 0x9e3779b97f4a7c15u, nullptr, nullptr, i * 7});
    const double began = cpu_seconds();
    for (std::uint64_t i = 0; i < events; ++i) {
        pending_event e = q.top();
        q.pop();
        e.at = e.at + d[e.argument++];
        e.sequence += pending;
        q.push(e);
    }
    return static_cast<double>(events) / (cpu_seconds() - began) / 1e6;
}

} // namespace

int main(int argc, char** argv) {
    const auto events = static_cast<std::uint64_t>((argc > 1 ? std::atof(argv[1]) : 10) * 1e6);
    const delays uniform(0), fabric(1);
    std::printf("M events/s              uniform 40 ns .. 10 us      fabric-like, with timers\n"
                "   pending        scheduler  std::priority_queue   scheduler  std::priority_queue\n");
    for (std::size_t pending : {10, 100, 1'000, 10'000, 20'000, 100'000})
        std::printf("%10zu %16.1f %20.1f %11.1f %20.1f\n", pending, ours(pending, events, uniform),
                    plain(pending, events, uniform), ours(pending, events, fabric),
                    plain(pending, events, fabric));
}
