/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A congestion control of one's own, as small as it gets: additive increase, multiplicative decrease on ECN marks and CNPs,
 * once a round trip. Build and try it, without a network:
 *
 *     cc -O2 -Wall -shared -fPIC -I model/rdma/cc model/rdma/cc/example/my_cc.c -o my_cc.so
 *     vg810-cc-harness ./my_cc.so --flows 4 --check
 *
 * docs/congestion-control.md tells the rest.
 */
#include "vg810_cc.h"

enum { INCREASE, DECREASE, PARAMETERS };

static const struct vg810_cc_parameter parameters[PARAMETERS] = {
	[INCREASE] = {"increase", "bit/s", "added to the rate in a round trip without a mark", 200e6, 1e3, 1e12},
	[DECREASE] = {"decrease", "", "part taken off the rate in a round trip with a mark", 0.1, 0.01, 0.99},
};

struct state {
	double rate;
	uint64_t round_end; /* the round trip is over when this much is acknowledged */
	uint32_t marked;    /* in the present round trip */
};

static int start(void *memory, const struct vg810_cc_flow *flow, struct vg810_cc_action *action)
{
	struct state *s = memory;

	s->rate = (double)flow->line_rate;
	action->rate = flow->line_rate;
	return 0;
}

static void event(void *memory, const struct vg810_cc_flow *flow, const struct vg810_cc_event *e,
		  struct vg810_cc_action *action)
{
	struct state *s = memory;
	double line = (double)flow->line_rate;

	if (e->kind == VG810_CC_CNP) {
		s->marked++;
		return;
	}
	s->marked += e->ecn_marked;
	if (e->acknowledged < s->round_end)
		return;
	if (s->marked > 0)
		s->rate *= 1 - flow->parameters[DECREASE];
	else
		s->rate += flow->parameters[INCREASE];
	if (s->rate > line)
		s->rate = line;
	if (s->rate < VG810_CC_LEAST_RATE)
		s->rate = VG810_CC_LEAST_RATE;
	s->marked = 0;
	s->round_end = e->sent;
	action->rate = (uint64_t)s->rate;
}

static const struct vg810_cc_algorithm my_cc = {
	.abi = VG810_CC_ABI,
	.size = sizeof(struct vg810_cc_algorithm),
	.name = "my_cc",
	.state_bytes = sizeof(struct state),
	.events = 1u << VG810_CC_ACK | 1u << VG810_CC_CNP,
	.parameter_count = PARAMETERS,
	.parameters = parameters,
	.start = start,
	.event = event,
};

const struct vg810_cc_algorithm *vg810_cc_entry(void)
{
	return &my_cc;
}
