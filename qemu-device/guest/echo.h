// SPDX-License-Identifier: Apache-2.0
// A ping that tells the time twice: by the guest's own clock, and by the model's.
#ifndef VG810_GUEST_ECHO_H
#define VG810_GUEST_ECHO_H

#include <stdint.h>

// Usage: echo ADDRESS COUNT. Sends COUNT ICMP echo requests (RFC 792, 56 octets of data), one after the other, and prints
// {"echoes": [{"sequence": 1, "rtt_ns": ..., "before_ns": ..., "after_ns": ...}, ...]}: the round trip by CLOCK_MONOTONIC_RAW,
// and model_time() just before the request is sent and just after the reply is there. Returns 0 if every echo came back
// within a second.
int echo_main(int argc, char **argv, uint64_t (*model_time)(void));

#endif
