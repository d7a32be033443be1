// SPDX-License-Identifier: GPL-2.0-only
/*
 * The network device of a function: its operations, making and registering it.
 */
#include <linux/ethtool.h>

#include "vg810_nic.h"

static int vg810_open(struct net_device *netdev)
{
	return vg810_nic_up(netdev_priv(netdev));
}

static int vg810_stop(struct net_device *netdev)
{
	struct vg810_nic *nic = netdev_priv(netdev);

	if (vg810_nic_is_up(nic))
		vg810_nic_down(nic);
	return 0;
}

static int vg810_set_mac_address(struct net_device *netdev, void *address)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	const struct sockaddr *wanted = address;
	int err;

	err = eth_prepare_mac_addr_change(netdev, address);
	if (!err && vg810_nic_is_up(nic))
		err = vg810_config_mac(nic, wanted->sa_data);
	if (!err)
		eth_commit_mac_addr_change(netdev, address);
	return err;
}

static void vg810_set_rx_mode(struct net_device *netdev)
{
	struct vg810_nic *nic = netdev_priv(netdev);

	/* Called with a spinlock held, and admin commands sleep. */
	if (vg810_nic_is_up(nic))
		schedule_work(&nic->rx_mode_work);
}

static int vg810_restart(struct vg810_nic *nic)
{
	vg810_nic_down(nic);
	return vg810_nic_up(nic);
}

static int vg810_change_mtu(struct net_device *netdev, int mtu)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	unsigned int before = netdev->mtu;
	bool same = vg810_rx_buffer_bytes(mtu) == vg810_rx_buffer_bytes(before);
	int err;

	WRITE_ONCE(netdev->mtu, mtu);
	if (!vg810_nic_is_up(nic))
		return 0;
	err = same ? vg810_config_mtu(nic, mtu) : vg810_restart(nic);
	if (!err)
		return 0;

	WRITE_ONCE(netdev->mtu, before);
	if (!vg810_nic_is_up(nic) && vg810_nic_up(nic))
		netdev_err(netdev, "is out of service: take it down and up again\n");
	return err;
}

static int vg810_set_features(struct net_device *netdev, netdev_features_t features)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	netdev_features_t changed = netdev->features ^ features;
	int err = 0;

	if (!vg810_nic_is_up(nic))
		return 0;
	if (changed & (NETIF_F_RXCSUM | NETIF_F_HW_VLAN_CTAG_RX))
		err = vg810_config_offloads(nic, features);
	if (!err && (changed & NETIF_F_HW_VLAN_CTAG_FILTER))
		err = vg810_config_vlans(nic, features & NETIF_F_HW_VLAN_CTAG_FILTER);
	return err;
}

static void vg810_vlan_mark(struct vg810_nic *nic, u16 vid, bool wanted)
{
	u8 bit = BIT(vid % 8);

	mutex_lock(&nic->filter_lock);
	if (wanted)
		nic->vlans[vid / 8] |= bit;
	else
		nic->vlans[vid / 8] &= ~bit;
	mutex_unlock(&nic->filter_lock);
}

static int vg810_vlan_change(struct net_device *netdev, u16 vid, bool wanted)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	int err;

	vg810_vlan_mark(nic, vid, wanted);
	if (!vg810_nic_is_up(nic))
		return 0;
	/* Not netdev->features: they are old while the stack takes its VLANs off the filter. */
	err = vg810_config_vlans(nic, nic->vlan_filter);
	if (err)
		vg810_vlan_mark(nic, vid, !wanted);
	return err;
}

static int vg810_vlan_add(struct net_device *netdev, __be16 protocol, u16 vid)
{
	return vg810_vlan_change(netdev, vid, true);
}

static int vg810_vlan_kill(struct net_device *netdev, __be16 protocol, u16 vid)
{
	return vg810_vlan_change(netdev, vid, false);
}

static void vg810_tx_timeout(struct net_device *netdev, unsigned int queue)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	const struct vg810_tx_ring *tx = &nic->pairs[queue]->tx;

	netdev_err(netdev, "TX queue %u: no progress, head %u, told %u, tail %u, completions %u\n",
		   queue, tx->head, tx->kicked, tx->tail, tx->cq.ci);
	vg810_schedule_reset(nic->core, "a TX queue does not move");
}

static const struct net_device_ops vg810_netdev_ops = {
	.ndo_open = vg810_open,
	.ndo_stop = vg810_stop,
	.ndo_start_xmit = vg810_start_xmit,
	.ndo_features_check = vg810_features_check,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = vg810_set_mac_address,
	.ndo_set_rx_mode = vg810_set_rx_mode,
	.ndo_change_mtu = vg810_change_mtu,
	.ndo_set_features = vg810_set_features,
	.ndo_vlan_rx_add_vid = vg810_vlan_add,
	.ndo_vlan_rx_kill_vid = vg810_vlan_kill,
	.ndo_get_stats64 = vg810_get_stats64,
	.ndo_tx_timeout = vg810_tx_timeout,
};

static void vg810_set_features_offered(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;
	u64 card = nic->core->features;

	netdev->hw_features = NETIF_F_SG;
	if (card & VG810_DEVICE_FEATURES_TX_CHECKSUM)
		netdev->hw_features |= NETIF_F_IP_CSUM | NETIF_F_IPV6_CSUM;
	if (card & VG810_DEVICE_FEATURES_TSO)
		netdev->hw_features |= NETIF_F_TSO | NETIF_F_TSO6;
	netdev->vlan_features = netdev->hw_features | NETIF_F_HIGHDMA;

	if (card & VG810_DEVICE_FEATURES_RX_CHECKSUM)
		netdev->hw_features |= NETIF_F_RXCSUM;
	if (card & VG810_DEVICE_FEATURES_RSS)
		netdev->hw_features |= NETIF_F_RXHASH;
	if (card & VG810_DEVICE_FEATURES_VLAN_INSERT)
		netdev->hw_features |= NETIF_F_HW_VLAN_CTAG_TX;
	if (card & VG810_DEVICE_FEATURES_VLAN_STRIP)
		netdev->hw_features |= NETIF_F_HW_VLAN_CTAG_RX;
	if (card & VG810_DEVICE_FEATURES_VLAN_FILTER)
		netdev->hw_features |= NETIF_F_HW_VLAN_CTAG_FILTER;

	netdev->features |= netdev->hw_features | NETIF_F_HIGHDMA;
	netif_set_tso_max_size(netdev, VG810_MAX_TSO_BYTES);
}

static void vg810_set_permanent_mac(struct vg810_nic *nic)
{
	u8 address[ETH_ALEN];
	u64 value = nic->core->limits.mac;
	int i;

	for (i = 0; i < ETH_ALEN; i++, value >>= 8)
		address[i] = value & 0xff;
	if (is_valid_ether_addr(address)) {
		eth_hw_addr_set(nic->netdev, address);
		return;
	}
	eth_hw_addr_random(nic->netdev);
	dev_warn(&nic->core->pdev->dev, "the card has no address, using %pM\n",
		 nic->netdev->dev_addr);
}

static unsigned int vg810_max_pairs(const struct vg810_core *core)
{
	const struct vg810_limits *limits = &core->limits;
	/* One vector is the admin's and, if there is one to spare, one the interrupt test's. */
	u32 vectors = core->vectors > 2 ? core->vectors - 2 : 1;

	return min3(min_t(u32, vectors, VG810_MAX_QUEUES),
		    min(limits->tx_queues, limits->rx_queues),
		    min(limits->cqs / 2, limits->eqs - 1));
}

static void vg810_init_nic(struct vg810_nic *nic, struct vg810_core *core,
			   struct net_device *netdev, unsigned int max_pairs)
{
	unsigned int i;

	nic->core = core;
	nic->netdev = netdev;
	nic->max_pairs = max_pairs;
	nic->msg_enable = NETIF_MSG_DRV | NETIF_MSG_PROBE | NETIF_MSG_LINK;
	nic->shape.pairs = min_t(unsigned int, max_pairs, netif_get_num_default_rss_queues());
	nic->shape.tx_log2 = min_t(u32, VG810_DEFAULT_RING_LOG2,
				   core->limits.ring_log2 - VG810_CQ_EXTRA_LOG2);
	nic->shape.rx_log2 = nic->shape.tx_log2;
	mutex_init(&nic->filter_lock);
	vg810_nic_init_events(nic);
	netdev_rss_key_fill(nic->rss_key, sizeof(nic->rss_key));
	vg810_config_default_rss(nic, nic->shape.pairs);
	for (i = 0; i < VG810_MAX_QUEUES; i++) {
		u64_stats_init(&nic->tx_stats[i].sync);
		u64_stats_init(&nic->tx_stats[i].xmit_sync);
		u64_stats_init(&nic->rx_stats[i].sync);
	}
}

/**
 * vg810_nic_register() - make and register a function's network device
 * @core: the function, started
 *
 * Return: 0 or a negative error, with nothing registered.
 */
int vg810_nic_register(struct vg810_core *core)
{
	unsigned int max_pairs = vg810_max_pairs(core);
	struct net_device *netdev;
	struct vg810_nic *nic;
	int err;

	if (!max_pairs || core->limits.ring_log2 < VG810_MIN_NIC_RING_LOG2 + VG810_CQ_EXTRA_LOG2 ||
	    !core->limits.tx_segments) {
		dev_err(&core->pdev->dev, "the card's limits are too small for a network device\n");
		return -ENODEV;
	}
	netdev = alloc_etherdev_mqs(sizeof(*nic), max_pairs, max_pairs);
	if (!netdev)
		return -ENOMEM;
	nic = netdev_priv(netdev);
	vg810_init_nic(nic, core, netdev, max_pairs);
	nic->pairs = kcalloc(max_pairs, sizeof(*nic->pairs), GFP_KERNEL);
	if (!nic->pairs) {
		err = -ENOMEM;
		goto free_netdev;
	}

	SET_NETDEV_DEV(netdev, &core->pdev->dev);
	netdev->dev_port = FIELD_GET(VG810_FUNCTION_INFO_PORT,
				     vg810_read(core, VG810_REG_FUNCTION_INFO));
	netdev->netdev_ops = &vg810_netdev_ops;
	netdev->ethtool_ops = &vg810_ethtool_ops;
	netdev->priv_flags |= IFF_UNICAST_FLT | IFF_LIVE_ADDR_CHANGE;
	netdev->min_mtu = VG810_MIN_MTU;
	netdev->max_mtu = core->limits.mtu;
	vg810_set_features_offered(nic);
	vg810_set_permanent_mac(nic);
	netif_carrier_off(netdev);

	core->nic = nic;
	atomic_notifier_chain_register(&core->events, &nic->events);
	err = register_netdev(netdev);
	if (err)
		goto unregister_events;
	return 0;

unregister_events:
	atomic_notifier_chain_unregister(&core->events, &nic->events);
	core->nic = NULL;
	kfree(nic->pairs);
free_netdev:
	free_netdev(netdev);
	return err;
}

/**
 * vg810_nic_unregister() - undo vg810_nic_register()
 * @core: the function
 */
void vg810_nic_unregister(struct vg810_core *core)
{
	struct vg810_nic *nic = core->nic;

	unregister_netdev(nic->netdev);
	atomic_notifier_chain_unregister(&core->events, &nic->events);
	cancel_work_sync(&nic->link_work);
	cancel_work_sync(&nic->rx_mode_work);
	core->nic = NULL;
	kfree(nic->pairs);
	free_netdev(nic->netdev);
}
