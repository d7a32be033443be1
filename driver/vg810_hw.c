// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starting, halting and resetting a function: the handshake over the GENERAL registers.
 */
#include <linux/iopoll.h>

#include "vg810.h"

#define VG810_READY_POLL_US	20
/* The card promises 10 * FW_READY_US; a busy host may look late. */
#define VG810_READY_TIMEOUT_US	(20 * VG810_FW_READY_US)

/* How long a function that has failed while nobody used it may go unnoticed. */
#define VG810_HEALTH_INTERVAL	(2 * HZ)

#define VG810_KNOWN_FEATURES \
	(VG810_DEVICE_FEATURES_TX_CHECKSUM | VG810_DEVICE_FEATURES_RX_CHECKSUM | \
	 VG810_DEVICE_FEATURES_TSO | VG810_DEVICE_FEATURES_RSS | \
	 VG810_DEVICE_FEATURES_VLAN_INSERT | VG810_DEVICE_FEATURES_VLAN_STRIP | \
	 VG810_DEVICE_FEATURES_VLAN_FILTER | VG810_DEVICE_FEATURES_MODERATION)

static const u32 vg810_stat_registers[VG810_STATS_COUNT] = {
#define VG810_STAT_REGISTER(name, offset) offset,
	VG810_STATS(VG810_STAT_REGISTER)
#undef VG810_STAT_REGISTER
};

/**
 * vg810_hw_present() - whether the function still answers
 * @core: the function
 *
 * Return: false when it reads all ones, as a function does that was unplugged or has lost its link.
 */
bool vg810_hw_present(const struct vg810_core *core)
{
	return vg810_read(core, VG810_REG_MAGIC) == VG810_MAGIC_VALUE;
}

/* A counter since the last reset; 0 when the function is gone. */
static u64 vg810_stat_now(const struct vg810_core *core, unsigned int index)
{
	u64 value = vg810_read64(core, vg810_stat_registers[index]);

	return value == U64_MAX ? 0 : value;
}

/**
 * vg810_stat() - one of the card's counters, resets of the function included
 * @core: the function
 * @index: which, in the order of VG810_STATS
 *
 * Context: any.
 * Return: its value since the driver was bound.
 */
u64 vg810_stat(struct vg810_core *core, unsigned int index)
{
	unsigned long flags;
	u64 value;

	spin_lock_irqsave(&core->stats_lock, flags);
	value = core->stats_before_reset[index];
	if (test_bit(VG810_STATE_ADMIN_UP, &core->state))
		value += vg810_stat_now(core, index);
	spin_unlock_irqrestore(&core->stats_lock, flags);
	return value;
}

/**
 * vg810_stat_by_register() - as vg810_stat(), by the counter's offset in BAR 0
 * @core: the function
 * @reg: a register of the STATS block
 *
 * Return: its value; 0 for a register that is not a counter.
 */
u64 vg810_stat_by_register(struct vg810_core *core, u32 reg)
{
	unsigned int i;

	for (i = 0; i < VG810_STATS_COUNT; i++)
		if (vg810_stat_registers[i] == reg)
			return vg810_stat(core, i);
	return 0;
}

/* Stops the admin queue for new commands and keeps the counters, which a reset clears. */
static void vg810_hw_leave_service(struct vg810_core *core)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&core->stats_lock, flags);
	if (test_and_clear_bit(VG810_STATE_ADMIN_UP, &core->state))
		for (i = 0; i < VG810_STATS_COUNT; i++)
			core->stats_before_reset[i] += vg810_stat_now(core, i);
	spin_unlock_irqrestore(&core->stats_lock, flags);
}

static int vg810_hw_wait_ready(const struct vg810_core *core)
{
	u32 status;
	int err;

	err = read_poll_timeout(vg810_read, status,
				status == U32_MAX || (status & VG810_STATUS_FAILED) ||
				((status & VG810_STATUS_READY) &&
				 !(status & VG810_STATUS_RESET_ACTIVE)),
				VG810_READY_POLL_US, VG810_READY_TIMEOUT_US, false, core,
				VG810_REG_STATUS);
	if (status == U32_MAX)
		return -ENODEV;
	if (status & VG810_STATUS_FAILED)
		return -EIO;
	return err;
}

static int vg810_hw_reset(struct vg810_core *core)
{
	struct device *dev = &core->pdev->dev;
	int err;

	if (!vg810_hw_present(core))
		return -ENODEV;
	vg810_write(core, VG810_REG_RESET, VG810_RESET_KEY);
	err = vg810_hw_wait_ready(core);
	if (err)
		dev_err(dev, "not ready after reset: status %#x, error code %u (%pe)\n",
			vg810_read(core, VG810_REG_STATUS), vg810_read(core, VG810_REG_ERROR_CODE),
			ERR_PTR(err));
	return err;
}

/**
 * vg810_hw_halt_locked() - stop the function at once
 * @core: the function, its admin lock held
 *
 * On return no queue exists and the function does no DMA and raises no interrupts: if the reset
 * does not work, then because it may not master the bus any more.
 *
 * Context: process; sleeps.
 */
void vg810_hw_halt_locked(struct vg810_core *core)
{
	lockdep_assert_held(&core->admin.lock);

	vg810_hw_leave_service(core);
	if (vg810_hw_reset(core))
		pci_clear_master(core->pdev);
}

/**
 * vg810_hw_halt() - as vg810_hw_halt_locked(), after the command that is running
 * @core: the function
 */
void vg810_hw_halt(struct vg810_core *core)
{
	mutex_lock(&core->admin.lock);
	vg810_hw_halt_locked(core);
	mutex_unlock(&core->admin.lock);
}

static int vg810_hw_check_version(struct vg810_core *core)
{
	u32 version = vg810_read(core, VG810_REG_INTERFACE_VERSION);
	u32 major = FIELD_GET(VG810_INTERFACE_VERSION_MAJOR, version);

	if (major == VG810_INTERFACE_MAJOR)
		return 0;
	dev_err(&core->pdev->dev, "the card's interface is version %u.%u, this driver's is %u\n",
		major, (u32)FIELD_GET(VG810_INTERFACE_VERSION_MINOR, version),
		VG810_INTERFACE_MAJOR);
	return -EPROTONOSUPPORT;
}

static int vg810_hw_negotiate(struct vg810_core *core)
{
	core->features = vg810_read64(core, VG810_REG_DEVICE_FEATURES) & VG810_KNOWN_FEATURES;
	vg810_write64(core, VG810_REG_DRIVER_FEATURES, core->features);
	vg810_write(core, VG810_REG_CONTROL, VG810_CONTROL_FEATURES_OK);
	if (vg810_read(core, VG810_REG_CONTROL) & VG810_CONTROL_FEATURES_OK)
		return 0;
	dev_err(&core->pdev->dev, "the card refuses features %#llx\n", core->features);
	return -EIO;
}

static int vg810_hw_enable(struct vg810_core *core)
{
	const u32 wanted = VG810_CONTROL_FEATURES_OK | VG810_CONTROL_ENABLE;

	vg810_admin_program(core);
	vg810_write(core, VG810_REG_CONTROL, wanted);
	if ((vg810_read(core, VG810_REG_CONTROL) & wanted) != wanted) {
		dev_err(&core->pdev->dev, "the card does not enable its admin queue\n");
		return -EIO;
	}
	set_bit(VG810_STATE_ADMIN_UP, &core->state);
	return 0;
}

static int vg810_hw_identify(struct vg810_core *core)
{
	struct vg810_limits *limits = &core->limits;
	struct vg810_identify_data data = {};
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_IDENTIFY,
		.out = &data,
		.out_bytes = sizeof(data),
	};
	int err;

	err = vg810_admin_exec(core, &request);
	if (err) {
		dev_err(&core->pdev->dev, "cannot identify the card: %pe\n", ERR_PTR(err));
		return err;
	}

	limits->tx_queues = le32_to_cpu(data.max_tx_queues);
	limits->rx_queues = le32_to_cpu(data.max_rx_queues);
	limits->cqs = le32_to_cpu(data.max_cqs);
	limits->eqs = le32_to_cpu(data.max_eqs);
	limits->ring_log2 = min_t(u32, le32_to_cpu(data.max_ring_log2), VG810_MAX_RING_LOG2);
	limits->mtu = min_t(u32, le32_to_cpu(data.max_mtu), VG810_MAX_MTU);
	limits->filters = min_t(u32, le32_to_cpu(data.max_filters), VG810_MAX_FILTERS);
	limits->tx_segments = min_t(u32, le32_to_cpu(data.max_tx_segments),
				    VG810_MAX_TX_SEGMENTS);
	limits->speed_mbps = le32_to_cpu(data.port_speed_mbps);
	limits->serial = le64_to_cpu(data.serial_number);
	limits->mac = le64_to_cpu(data.permanent_mac);
	core->firmware = le32_to_cpu(data.firmware_version);
	return 0;
}

/* A function that fails says so in a register and nowhere else: its queues are gone. */
static void vg810_health_work(struct work_struct *work)
{
	struct vg810_core *core = container_of(to_delayed_work(work), struct vg810_core,
					       health_work);
	u32 status = vg810_read(core, VG810_REG_STATUS);

	if (status != U32_MAX && (status & VG810_STATUS_FAILED) &&
	    test_bit(VG810_STATE_ADMIN_UP, &core->state)) {
		dev_err(&core->pdev->dev, "the card has failed, error code %u\n",
			vg810_read(core, VG810_REG_ERROR_CODE));
		vg810_schedule_reset(core, "the card has failed");
	}
	queue_delayed_work(vg810_workqueue, &core->health_work,
			   round_jiffies_relative(VG810_HEALTH_INTERVAL));
}

/**
 * vg810_hw_init() - prepare a function's state; no access to the card yet
 * @core: the function
 */
void vg810_hw_init(struct vg810_core *core)
{
	INIT_DELAYED_WORK(&core->health_work, vg810_health_work);
}

/**
 * vg810_hw_start() - bring a function from any state to a working admin queue
 * @core: the function
 *
 * Return: 0; -ENODEV when it does not answer, -EPROTONOSUPPORT for another interface version,
 * or the error of the step that failed, after which the function is halted.
 */
int vg810_hw_start(struct vg810_core *core)
{
	int err;

	pci_set_master(core->pdev);
	err = vg810_hw_reset(core);
	if (!err)
		err = vg810_hw_check_version(core);
	if (!err)
		err = vg810_hw_negotiate(core);
	if (!err)
		err = vg810_hw_enable(core);
	if (!err)
		err = vg810_hw_identify(core);
	if (!err)
		err = vg810_admin_eq_start(core);
	if (!err)
		err = vg810_irq_test_start(core);
	if (err) {
		vg810_hw_stop(core);
		return err;
	}
	queue_delayed_work(vg810_workqueue, &core->health_work,
			   round_jiffies_relative(VG810_HEALTH_INTERVAL));
	return 0;
}

/**
 * vg810_hw_stop() - undo vg810_hw_start()
 * @core: the function; works on a halted one too
 */
void vg810_hw_stop(struct vg810_core *core)
{
	cancel_delayed_work_sync(&core->health_work);
	vg810_hw_halt(core);
	vg810_irq_test_stop(core);
	vg810_admin_eq_stop(core);
}
