// SPDX-License-Identifier: GPL-2.0-only
/*
 * The delayed-interrupt test: the card raises a vector of its own N nanoseconds after a register
 * write, and the CPU measures the whole way from the write to the handler.
 *
 * The measuring CPU spins in the tightest loop there is, so that the answer does not depend on N,
 * and chooses its start so that the interrupt comes halfway between two timer ticks.
 */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>

#include "vg810.h"

/* How long an interrupt may be late, and a bound on the turns of the loop in that time. */
#define VG810_IRQ_TEST_GRACE_NS		(20 * NSEC_PER_MSEC)
#define VG810_IRQ_TEST_TURNS_PER_NS	2

static irqreturn_t vg810_irq_test_handler(int irq, void *data)
{
	struct vg810_irq_test *test = data;

	/* Raw time: not steered while the test runs, so that delays of all lengths compare. */
	WRITE_ONCE(test->raised_at, ktime_get_raw_ns());
	return IRQ_HANDLED;
}

static unsigned int vg810_irq_test_vector(const struct vg810_core *core)
{
	return core->vectors - 1;
}

/**
 * vg810_irq_test_start() - get the test's interrupt, the last vector
 * @core: the function; with too few vectors for one to spare, the test is not available
 *
 * Return: 0 or the error of request_irq().
 */
int vg810_irq_test_start(struct vg810_core *core)
{
	struct vg810_irq_test *test = &core->irq_test;
	int err;

	if (core->vectors <= VG810_ADMIN_VECTOR + 2)
		return 0;
	err = request_irq(pci_irq_vector(core->pdev, vg810_irq_test_vector(core)),
			  vg810_irq_test_handler, 0, "vg810-irq-test", test);
	if (err)
		return err;

	vg810_write(core, VG810_REG_IRQ_TEST_VECTOR, vg810_irq_test_vector(core));
	mutex_lock(&test->lock);
	test->available = true;
	mutex_unlock(&test->lock);
	return 0;
}

/**
 * vg810_irq_test_stop() - undo vg810_irq_test_start()
 * @core: the function; nothing happens if the test is not available
 */
void vg810_irq_test_stop(struct vg810_core *core)
{
	struct vg810_irq_test *test = &core->irq_test;
	bool available;

	mutex_lock(&test->lock);
	available = test->available;
	test->available = false;
	mutex_unlock(&test->lock);
	if (available)
		free_irq(pci_irq_vector(core->pdev, vg810_irq_test_vector(core)), test);
}

/*
 * Waits until an interrupt after delay_ns will come halfway between two ticks: until just after a
 * tick, then for the rest. Two ticks at the most; without a tick on this CPU no harm is done.
 */
static void vg810_irq_test_align(u32 delay_ns)
{
	const u64 tick = TICK_NSEC;
	u64 now = get_jiffies_64();
	u64 start = ktime_get_raw_ns();
	u64 wait;
	u32 rest;

	while (get_jiffies_64() == now && ktime_get_raw_ns() - start < 2 * tick)
		cpu_relax();

	div_u64_rem(delay_ns, tick, &rest);
	wait = (rest <= tick / 2) ? tick / 2 - rest : tick + tick / 2 - rest;
	start = ktime_get_raw_ns();
	while (ktime_get_raw_ns() - start < wait)
		cpu_relax();
}

/* Returns when the test's interrupt has come or after a bounded number of turns. */
static noinline void vg810_irq_test_spin(const u64 *raised_at, unsigned long turns)
{
	while (!READ_ONCE(*raised_at) && --turns)
		;
}

/**
 * vg810_irq_test_run() - measure one delay
 * @core: the function
 * @delay_ns: what to ask the card for, 1 .. VG810_IRQ_TEST_MAX_NS
 * @result: filled in
 *
 * Context: process; the CPU spins for the delay, two ticks at the most before it, and, when the
 * interrupt does not come, some tens of milliseconds after it.
 * Return: 0, -ERANGE, -EOPNOTSUPP when no vector could be spared or the function is down,
 * -ETIMEDOUT when the interrupt did not come.
 */
int vg810_irq_test_run(struct vg810_core *core, u32 delay_ns,
		       struct vg810_irq_test_result *result)
{
	struct vg810_irq_test *test = &core->irq_test;
	unsigned long turns = (delay_ns + VG810_IRQ_TEST_GRACE_NS) * VG810_IRQ_TEST_TURNS_PER_NS;
	int err = 0;
	u64 written;

	if (!delay_ns || delay_ns > VG810_IRQ_TEST_MAX_NS)
		return -ERANGE;

	mutex_lock(&test->lock);
	if (!test->available) {
		err = -EOPNOTSUPP;
		goto unlock;
	}

	WRITE_ONCE(test->raised_at, 0);
	preempt_disable();
	vg810_irq_test_align(delay_ns);
	written = ktime_get_raw_ns();
	vg810_write(core, VG810_REG_IRQ_TEST_DELAY, delay_ns);
	vg810_irq_test_spin(&test->raised_at, turns);
	preempt_enable();

	if (!READ_ONCE(test->raised_at)) {
		err = -ETIMEDOUT;
		goto unlock;
	}
	result->asked = delay_ns;
	result->measured = READ_ONCE(test->raised_at) - written;
	result->raised = vg810_read64(core, VG810_REG_IRQ_TEST_RAISED) -
			 vg810_read64(core, VG810_REG_IRQ_TEST_WRITTEN);
unlock:
	mutex_unlock(&test->lock);
	return err;
}
