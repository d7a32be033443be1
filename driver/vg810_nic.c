// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a function's network device: up and down, detached and attached, and the events
 * that it follows.
 */
#include <linux/rtnetlink.h>

#include "vg810_nic.h"

static const char * const vg810_link_reasons[] = {
	[VG810_LINK_REASON_NONE] = "no reason given",
	[VG810_LINK_REASON_ADMIN_DOWN] = "switched off",
	[VG810_LINK_REASON_NO_MODULE] = "no module",
	[VG810_LINK_REASON_NO_SIGNAL] = "no signal",
	[VG810_LINK_REASON_TRAINING] = "training",
	[VG810_LINK_REASON_RATE_MISMATCH] = "rates differ",
	[VG810_LINK_REASON_FAULT] = "fault",
};

/**
 * vg810_nic_update_link() - tell the stack of the link's state
 * @nic: the network device
 */
void vg810_nic_update_link(struct vg810_nic *nic)
{
	u32 status = vg810_read(nic->core, VG810_REG_PORT_STATUS);
	u32 reason = FIELD_GET(VG810_PORT_STATUS_REASON, status);
	bool up = status != U32_MAX && (status & VG810_PORT_STATUS_LINK_UP);

	if (up == netif_carrier_ok(nic->netdev))
		return;
	if (up) {
		netdev_info(nic->netdev, "link up, %u Mb/s\n",
			    vg810_read(nic->core, VG810_REG_PORT_SPEED));
		netif_carrier_on(nic->netdev);
	} else {
		netif_carrier_off(nic->netdev);
		netdev_info(nic->netdev, "link down: %s\n",
			    reason < ARRAY_SIZE(vg810_link_reasons) ? vg810_link_reasons[reason] :
								      "unknown reason");
	}
}

static void vg810_link_work(struct work_struct *work)
{
	struct vg810_nic *nic = container_of(work, struct vg810_nic, link_work);

	if (vg810_nic_is_up(nic))
		vg810_nic_update_link(nic);
}

static void vg810_rx_mode_work(struct work_struct *work)
{
	struct vg810_nic *nic = container_of(work, struct vg810_nic, rx_mode_work);
	int err;

	if (!vg810_nic_is_up(nic))
		return;
	err = vg810_config_rx_mode(nic);
	if (err)
		netdev_err(nic->netdev, "cannot set the receive filter: %pe\n", ERR_PTR(err));
}

/* Called in the admin event queue's interrupt. */
static int vg810_nic_event(struct notifier_block *block, unsigned long type, void *data)
{
	struct vg810_nic *nic = container_of(block, struct vg810_nic, events);
	const struct vg810_event *event = data;

	switch (type) {
	case VG810_EVENT_TYPE_PORT:
		schedule_work(&nic->link_work);
		return NOTIFY_OK;
	case VG810_EVENT_TYPE_QUEUE_ERROR:
		netdev_err(nic->netdev, "queue %u of kind %u stopped, error %llu\n",
			   le32_to_cpu(event->id), event->kind, le64_to_cpu(event->data));
		vg810_schedule_reset(nic->core, "a queue stopped");
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

/**
 * vg810_nic_init_events() - prepare what follows the card's events; they are not wanted yet
 * @nic: the network device
 */
void vg810_nic_init_events(struct vg810_nic *nic)
{
	set_bit(VG810_NIC_QUIET, &nic->flags);
	nic->events.notifier_call = vg810_nic_event;
	INIT_WORK(&nic->rx_mode_work, vg810_rx_mode_work);
	INIT_WORK(&nic->link_work, vg810_link_work);
}

/**
 * vg810_nic_up() - make queues, apply the settings, switch the port on
 * @nic: the network device; RTNL is held
 *
 * Return: 0 or a negative error, with nothing made.
 */
int vg810_nic_up(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;
	int err;

	ASSERT_RTNL();
	err = vg810_pairs_create(nic);
	if (err) {
		netdev_err(netdev, "cannot make the queues: %pe\n", ERR_PTR(err));
		return err;
	}
	err = netif_set_real_num_queues(netdev, nic->shape.pairs, nic->shape.pairs);
	if (!err)
		err = vg810_config_apply(nic);
	if (!err)
		err = vg810_config_port(nic, true);
	if (err) {
		vg810_pairs_destroy(nic);
		return err;
	}

	vg810_pairs_enable(nic);
	clear_bit(VG810_NIC_QUIET, &nic->flags);
	set_bit(VG810_NIC_UP, &nic->flags);
	netif_tx_start_all_queues(netdev);
	vg810_nic_update_link(nic);
	/* An event between the last update and the flag was ignored; filters may have changed. */
	schedule_work(&nic->link_work);
	schedule_work(&nic->rx_mode_work);
	return 0;
}

/**
 * vg810_nic_down() - undo vg810_nic_up()
 * @nic: the network device, up; RTNL is held; the function may be halted
 */
void vg810_nic_down(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;

	ASSERT_RTNL();
	clear_bit(VG810_NIC_UP, &nic->flags);
	set_bit(VG810_NIC_QUIET, &nic->flags);
	cancel_work_sync(&nic->rx_mode_work);
	cancel_work_sync(&nic->link_work);
	netif_carrier_off(netdev);

	vg810_config_port(nic, false); /* fails on a halted function only, whose port is off */
	/* First NAPI, which wakes queues, then the queues, which then stay stopped. */
	vg810_pairs_disable(nic);
	netif_tx_disable(netdev);
	vg810_pairs_destroy(nic);
}

/**
 * vg810_nic_reshape() - change the number and size of queues
 * @nic: the network device; RTNL is held
 * @shape: as it is to be
 *
 * Return: 0, or a negative error after which it is as before: up, unless that failed too.
 */
int vg810_nic_reshape(struct vg810_nic *nic, const struct vg810_shape *shape)
{
	struct vg810_shape before = nic->shape;
	bool up = vg810_nic_is_up(nic);
	int err = 0;

	if (up)
		vg810_nic_down(nic);
	nic->shape = *shape;
	if (!netif_is_rxfh_configured(nic->netdev))
		vg810_config_default_rss(nic, shape->pairs);
	if (up)
		err = vg810_nic_up(nic);
	if (!err)
		return 0;

	nic->shape = before;
	if (!netif_is_rxfh_configured(nic->netdev))
		vg810_config_default_rss(nic, before.pairs);
	if (vg810_nic_up(nic))
		netdev_err(nic->netdev, "is out of service: take it down and up again\n");
	return err;
}

/**
 * vg810_nic_detach() - take the network device out of service; it stays registered
 * @core: the function; nothing happens if that is so already
 */
void vg810_nic_detach(struct vg810_core *core)
{
	struct vg810_nic *nic = core->nic;

	rtnl_lock();
	netif_device_detach(nic->netdev);
	if (vg810_nic_is_up(nic))
		vg810_nic_down(nic);
	rtnl_unlock();
}

/**
 * vg810_nic_attach() - undo vg810_nic_detach()
 * @core: the function, started
 *
 * Return: 0, or a negative error, the device still detached.
 */
int vg810_nic_attach(struct vg810_core *core)
{
	struct vg810_nic *nic = core->nic;
	int err = 0;

	rtnl_lock();
	if (netif_running(nic->netdev))
		err = vg810_nic_up(nic);
	if (!err)
		netif_device_attach(nic->netdev);
	rtnl_unlock();
	return err;
}
