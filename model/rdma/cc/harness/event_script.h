// SPDX-License-Identifier: Apache-2.0
// Events of one flow from a text file, played to an algorithm. A line is a time in us, the event, its fields:
//
//     9    ack bytes=1024 sent=10240 rtt_us=8 remote_us=2 ecn=1 hop=7.5,100000,3000,25e9
//
// Events: ack, nak, cnp, sent, timeout, and end, at which timers stop. Fields: bytes, sent (payload sent so
// far), rtt_us, remote_us, ecn, hop (time in us, octets sent, octets queued, bit/s; once for each hop). Times
// do not go back; '#' begins a comment. Acknowledged octets are added up from the lines.
#pragma once

#include "model/rdma/cc/flow_control.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace vg810::cc {

struct scripted_event {
    vg810_cc_event event; ///< `hop` is not set
    std::vector<vg810_cc_hop> hops;
    std::string name;
};

/// Throws std::runtime_error that begins with "FILE:LINE: ".
std::vector<scripted_event> read_events(std::istream& in, const std::string& file);

/// Plays `events` to a flow of `a`, its timers between them: a row to `csv` for each, with the decision after
/// it.
void play(algorithm& a, const flow_facts& facts, const std::vector<scripted_event>& events,
          std::ostream& csv);

} // namespace vg810::cc
