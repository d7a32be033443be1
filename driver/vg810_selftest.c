// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ethtool -t`: tests of the register path, the admin queue, the firmware's own test and the
 * interrupt path; offline, of the data path by frames through the card's loopback.
 */
#include <linux/ethtool.h>

#include "vg810_nic.h"

#define VG810_SELF_TEST_IRQ_NS	(10 * NSEC_PER_USEC)

/* Each test returns 0 or a negative error. */
static int vg810_test_registers(struct vg810_nic *nic)
{
	struct vg810_core *core = nic->core;
	u32 before = vg810_read(core, VG810_REG_SCRATCH);
	u32 pattern;
	int err = 0;
	int bit;

	if (!vg810_hw_present(core))
		return -ENODEV;
	for (bit = 0; bit < 32 && !err; bit++) {
		pattern = BIT(bit);
		vg810_write(core, VG810_REG_SCRATCH, pattern);
		if (vg810_read(core, VG810_REG_SCRATCH) != pattern)
			err = -EIO;
		vg810_write(core, VG810_REG_SCRATCH, ~pattern);
		if (vg810_read(core, VG810_REG_SCRATCH) != ~pattern)
			err = -EIO;
	}
	vg810_write(core, VG810_REG_SCRATCH, before);
	if (vg810_read(core, VG810_REG_STATUS) != VG810_STATUS_READY)
		err = -EIO;
	return err;
}

static int vg810_test_clock(struct vg810_nic *nic)
{
	u64 first = vg810_read64(nic->core, VG810_REG_CLOCK);
	u64 second = vg810_read64(nic->core, VG810_REG_CLOCK);

	return second > first && second - first < NSEC_PER_SEC ? 0 : -EIO;
}

static int vg810_test_admin(struct vg810_nic *nic)
{
	return vg810_admin_simple(nic->core, VG810_ADMIN_OPCODE_NOP, 0, 0);
}

static int vg810_test_firmware(struct vg810_nic *nic)
{
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_SELF_TEST,
	};
	int err;

	err = vg810_admin_exec(nic->core, &request);
	if (!err && request.param)
		err = -EIO;
	if (request.status == VG810_ADMIN_STATUS_SELF_TEST_FAILED || request.param)
		netdev_err(nic->netdev, "the card's self test found bad units: %#llx\n",
			   request.param);
	return err;
}

static int vg810_test_interrupt(struct vg810_nic *nic)
{
	struct vg810_irq_test_result result;
	int err;

	err = vg810_irq_test_run(nic->core, VG810_SELF_TEST_IRQ_NS, &result);
	if (err)
		return err;
	return result.raised >= VG810_SELF_TEST_IRQ_NS && result.measured >= result.raised ?
		       0 : -EIO;
}

static const struct {
	const char *name;
	int (*run)(struct vg810_nic *nic);
	bool offline;
} vg810_tests[] = {
	{ "registers (online)", vg810_test_registers },
	{ "clock (online)", vg810_test_clock },
	{ "admin queue (online)", vg810_test_admin },
	{ "firmware (online)", vg810_test_firmware },
	{ "interrupt (online)", vg810_test_interrupt },
	{ "loopback (offline)", vg810_loopback_run, true },
};

/**
 * vg810_self_test_count() - number of tests
 *
 * Return: that.
 */
int vg810_self_test_count(void)
{
	return ARRAY_SIZE(vg810_tests);
}

/**
 * vg810_self_test_strings() - names of the tests
 * @text: ETH_GSTRING_LEN octets for each
 */
void vg810_self_test_strings(u8 *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vg810_tests); i++)
		ethtool_sprintf(&text, "%s", vg810_tests[i].name);
}

/**
 * vg810_self_test() - run the tests
 * @netdev: the device
 * @test: says whether offline tests are wanted; told whether one failed
 * @results: for each test 0, or 1 when it failed
 */
void vg810_self_test(struct net_device *netdev, struct ethtool_test *test, u64 *results)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(vg810_tests); i++) {
		results[i] = 0;
		if (vg810_tests[i].offline && !(test->flags & ETH_TEST_FL_OFFLINE))
			continue;
		err = vg810_tests[i].run(nic);
		if (!err)
			continue;
		netdev_err(netdev, "self test: %s: %pe\n", vg810_tests[i].name, ERR_PTR(err));
		results[i] = 1;
		test->flags |= ETH_TEST_FL_FAILED;
	}
}
