/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Congestion control for the card's queue pairs: what an algorithm is told and what it decides. The built-in
 * algorithms use this interface, and so does a shared object named in a scenario (cc = "./my_cc.so"), which
 * exports one function, vg810_cc_entry(). Plain C99; nothing else of the simulator is needed to build one.
 *
 * An algorithm is a set of functions over a flow's state: no threads, no clock, no allocation, no files. The
 * same events give the same decisions, or runs are no longer repeatable. Times are simulated picoseconds,
 * rates bit/s on the wire, sizes octets.
 */
#ifndef VG810_CC_H
#define VG810_CC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a structure below changes its meaning; an object of another version is refused. */
#define VG810_CC_ABI 1

#define VG810_CC_MAX_HOPS 5   /* telemetry blocks a frame carries (HPCC, SIGCOMM 2019, section 4.1) */
#define VG810_CC_TIMERS 4     /* timers of a flow, numbered from 0 */
#define VG810_CC_NO_WINDOW UINT64_MAX
#define VG810_CC_STATE_LIMIT 512 /* octets of state a flow may ask for */
#define VG810_CC_LEAST_RATE 1000000 /* bit/s; a lower decision is raised to it (or to a slower line's rate) */
#define VG810_CC_LEAST_DELAY 100000 /* ps; timers cannot keep a simulation at one instant */
#define VG810_CC_LONGEST_DELAY 1000000000000000 /* ps: 1000 s */

enum vg810_cc_kind {
	VG810_CC_ACK = 0,     /* acknowledged progress */
	VG810_CC_NAK = 1,     /* the receiver asked for a retransmission (PSN sequence error) */
	VG810_CC_CNP = 2,     /* congestion notification packet */
	VG810_CC_TIMER = 3,   /* a timer that the algorithm set has run out */
	VG810_CC_SENT = 4,    /* a frame has been handed to the port */
	VG810_CC_TIMEOUT = 5, /* the transport's retransmission timer ran out */
};

/* One switch on the way, as in-band telemetry reports it. Counters wrap as told. */
struct vg810_cc_hop {
	uint64_t time;        /* when the frame left the egress port; the switch's clock, ps */
	uint64_t tx_bytes;    /* octets the port has sent so far, modulo 2^64 */
	uint64_t queue_bytes; /* octets left waiting in the egress queue */
	uint64_t rate;        /* of the port, bit/s */
};

struct vg810_cc_event {
	uint32_t kind;             /* enum vg810_cc_kind */
	uint32_t timer;            /* TIMER: which */
	uint64_t now;              /* ps */
	uint64_t bytes;            /* ACK: newly acknowledged payload; SENT: octets of the frame on the wire */
	uint64_t acknowledged;     /* payload acknowledged since the start of the flow */
	uint64_t sent;             /* payload sent for the first time since the start of the flow */
	uint64_t rtt;              /* ACK: last bit out to ACK in, hardware timestamps, ps; 0 when not measured */
	uint64_t remote_delay;     /* ACK: the part of rtt that passed in the far host, ps */
	uint32_t ecn_marked;       /* ACK: packets it covers that arrived marked CE; 0 where, as with RoCE, ACKs do not say */
	uint32_t hop_count;        /* ACK: entries of hop[] */
	const struct vg810_cc_hop *hop;
};

/* What stays the same for a flow. */
struct vg810_cc_flow {
	uint64_t line_rate;       /* of the port, bit/s */
	uint64_t base_rtt;        /* of the path when idle, ps; 0 when unknown */
	uint32_t mtu;             /* payload octets of a full packet */
	uint32_t hops;            /* switches on the path; 0 when unknown */
	const double *parameters; /* in the order of the algorithm's table, checked against its ranges */
};

/*
 * In and out: holds the present decision when a function is called, and the new one when it returns. Values
 * that make no sense (a rate of 0 or above the line's, a window below one packet, a timer of no length) are
 * clamped, counted and reported once by name. A flow that is to send less than one packet per round trip
 * keeps a window of one packet and says so with its rate.
 */
struct vg810_cc_action {
	uint64_t rate;                          /* bit/s on the wire, headers and gap included */
	uint64_t window;                        /* payload that may be unacknowledged, or VG810_CC_NO_WINDOW */
	uint32_t set_timers;                    /* bit i: timer i runs out timer_delay[i] from now, running or not */
	uint32_t stop_timers;                   /* bit i: timer i is stopped */
	uint64_t timer_delay[VG810_CC_TIMERS];  /* ps, LEAST_DELAY .. LONGEST_DELAY */
};

struct vg810_cc_parameter {
	const char *name; /* the key in a scenario */
	const char *unit; /* "ps", "bit/s", "octets", "" */
	const char *help; /* one sentence */
	double preset;
	double least;
	double most;
};

struct vg810_cc_algorithm {
	uint32_t abi;         /* VG810_CC_ABI */
	uint32_t size;        /* sizeof(struct vg810_cc_algorithm) */
	const char *name;
	uint32_t state_bytes; /* of one flow, zeroed before start(); at most VG810_CC_STATE_LIMIT */
	uint32_t events;      /* bit (1 << kind): the kinds it wants to hear of */
	uint32_t telemetry;   /* not 0: data packets carry in-band telemetry */
	uint32_t parameter_count;
	const struct vg810_cc_parameter *parameters;
	/* A flow starts; `action` holds line rate and no window. Returns 0, or a negative number to refuse it. */
	int (*start)(void *state, const struct vg810_cc_flow *flow, struct vg810_cc_action *action);
	void (*event)(void *state, const struct vg810_cc_flow *flow, const struct vg810_cc_event *event,
		      struct vg810_cc_action *action);
};

/* The one symbol of a shared object. The result must stay valid while the object is loaded. */
const struct vg810_cc_algorithm *vg810_cc_entry(void);

#ifdef __cplusplus
}
#endif

#endif
