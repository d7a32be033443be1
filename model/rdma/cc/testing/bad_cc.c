/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/* Shared objects that break the rules, one for each macro. */
#include "vg810_cc.h"

#include <string.h>

static int start(void *state, const struct vg810_cc_flow *flow, struct vg810_cc_action *action)
{
	(void)state, (void)flow, (void)action;
	return 0;
}

static void event(void *state, const struct vg810_cc_flow *flow, const struct vg810_cc_event *e,
		  struct vg810_cc_action *action)
{
	static const uint64_t rates[] = {0, UINT64_MAX, 1, 1ull << 63};
	uint64_t n = e->now / 1000000;

	(void)flow;
	action->rate = rates[n % 4];
	action->window = n % 3;
	action->set_timers = 1u << n % 32;
	if (n % 50 == 0)
		memset(state, 0xff, 24);
}

static const struct vg810_cc_algorithm table = {
#ifdef BAD_ABI
	.abi = VG810_CC_ABI + 1,
#else
	.abi = VG810_CC_ABI,
#endif
#ifdef BAD_SIZE
	.size = 8,
#else
	.size = sizeof(struct vg810_cc_algorithm),
#endif
	.name = "nonsense",
	.state_bytes = 16,
	.events = ~0u,
	.start = start,
	.event = event,
};

#ifdef BAD_SYMBOL
const struct vg810_cc_algorithm *vg810_cc_enter(void)
#else
const struct vg810_cc_algorithm *vg810_cc_entry(void)
#endif
{
#ifdef BAD_NULL
	return table.size == 0 ? &table : 0;
#else
	return &table;
#endif
}
