// SPDX-License-Identifier: Apache-2.0
// What can be set about a port.
#pragma once

#include "core/parameters.h"
#include "core/units.h"

namespace vg810 {

struct mac_parameters {
    bits_per_second rate = 25_gbps;
    /// From the host interface's handing a frame over to its first preamble bit, and from the last FCS bit to
    /// the host interface. PCS and FEC latency belong to the cable's ends.
    picoseconds transmit_pipeline = 60_ns;
    picoseconds receive_pipeline = 60_ns;
    /// From a good signal at the right rate to link up: PCS and FEC lock, 802.3 clause 73 / 72 style
    /// training.
    picoseconds training_time = 5_ms;
    /// SFF-8419 t_on / t_off: the module's TX_DISABLE reaction. Its upper limits are 2 ms and 100 us.
    picoseconds transmitter_on = 100_us;
    picoseconds transmitter_off = 20_us;
    /// From a transmitted last bit to the own receiver in loopback.
    picoseconds loopback_delay = 50_ns;

    void describe(parameter_visitor& v) {
        v.visit({"rate", "line rate, bit/s"}, rate, any_rate);
        v.visit({"transmit_pipeline", "host interface to first preamble bit"}, transmit_pipeline, any_time);
        v.visit({"receive_pipeline", "last FCS bit to host interface"}, receive_pipeline, any_time);
        v.visit({"training_time", "good signal to link up"}, training_time, any_time);
        v.visit({"transmitter_on", "port enabled to light on the cable (SFF-8419 t_on)"}, transmitter_on,
                any_time);
        v.visit({"transmitter_off", "port disabled to darkness on the cable (SFF-8419 t_off)"},
                transmitter_off, any_time);
        v.visit({"loopback_delay", "last bit out to last bit in when looped back"}, loopback_delay, any_time);
    }
};

} // namespace vg810
