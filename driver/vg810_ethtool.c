// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool operations.
 */
#include <linux/ethtool.h>
#include <linux/log2.h>
#include <linux/rtnetlink.h>

#include "vg810_nic.h"

#define VG810_COMPAT_ETHTOOL
#include "vg810_compat.h"

#define VG810_REGS_VERSION	1
#define VG810_MAX_MODERATION_US	10000

static void vg810_get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	strscpy(info->driver, VG810_DRIVER_NAME, sizeof(info->driver));
	strscpy(info->bus_info, pci_name(nic->core->pdev), sizeof(info->bus_info));
	vg810_firmware_text(nic->core, info->fw_version, sizeof(info->fw_version));
}

/* What `ethtool -d` shows: each of these registers, in order. All are free of side effects. */
static const u32 vg810_dump_registers[] = {
	VG810_REG_MAGIC, VG810_REG_INTERFACE_VERSION, VG810_REG_HARDWARE_REVISION,
	VG810_REG_FIRMWARE_VERSION, VG810_REG_DEVICE_FEATURES, VG810_REG_DEVICE_FEATURES + 4,
	VG810_REG_DRIVER_FEATURES, VG810_REG_DRIVER_FEATURES + 4, VG810_REG_CONTROL,
	VG810_REG_STATUS, VG810_REG_ERROR_CODE, VG810_REG_ERROR_STATUS, VG810_REG_FUNCTION_INFO,
	VG810_REG_CLOCK, VG810_REG_CLOCK + 4, VG810_REG_SCRATCH,
	VG810_REG_ASQ_BASE, VG810_REG_ASQ_BASE + 4, VG810_REG_ACQ_BASE, VG810_REG_ACQ_BASE + 4,
	VG810_REG_ADMIN_SIZE, VG810_REG_ASQ_TAIL, VG810_REG_ASQ_HEAD, VG810_REG_ACQ_HEAD,
	VG810_REG_ADMIN_EQ,
	VG810_REG_IRQ_TEST_DELAY, VG810_REG_IRQ_TEST_VECTOR, VG810_REG_LOOPBACK,
	VG810_REG_STAMP_DOORBELL, VG810_REG_STAMP_DOORBELL + 4, VG810_REG_STAMP_FRAME_OUT,
	VG810_REG_STAMP_FRAME_OUT + 4, VG810_REG_STAMP_FRAME_IN, VG810_REG_STAMP_FRAME_IN + 4,
	VG810_REG_STAMP_INTERRUPT, VG810_REG_STAMP_INTERRUPT + 4,
	VG810_REG_PORT_STATUS, VG810_REG_PORT_SPEED, VG810_REG_PORT_MTU,
	VG810_REG_LINK_DOWN_COUNT, VG810_REG_MAC_ADDRESS, VG810_REG_MAC_ADDRESS + 4,
	VG810_REG_CURRENT_MAC, VG810_REG_CURRENT_MAC + 4,
};

static int vg810_get_regs_len(struct net_device *netdev)
{
	return sizeof(vg810_dump_registers);
}

static void vg810_get_regs(struct net_device *netdev, struct ethtool_regs *regs, void *data)
{
	const struct vg810_nic *nic = netdev_priv(netdev);
	u32 *values = data;
	unsigned int i;

	regs->version = VG810_REGS_VERSION;
	for (i = 0; i < ARRAY_SIZE(vg810_dump_registers); i++)
		values[i] = vg810_read(nic->core, vg810_dump_registers[i]);
}

static u32 vg810_get_msglevel(struct net_device *netdev)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	return nic->msg_enable;
}

static void vg810_set_msglevel(struct net_device *netdev, u32 value)
{
	struct vg810_nic *nic = netdev_priv(netdev);

	nic->msg_enable = value;
}

/* The port's rate is its profile's: nothing to negotiate. */
static int vg810_get_link_ksettings(struct net_device *netdev,
				    struct ethtool_link_ksettings *settings)
{
	const struct vg810_nic *nic = netdev_priv(netdev);
	u32 speed = vg810_read(nic->core, VG810_REG_PORT_SPEED);

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	ethtool_link_ksettings_add_link_mode(settings, supported, FIBRE);
	switch (speed) {
	case SPEED_10000:
		ethtool_link_ksettings_add_link_mode(settings, supported, 10000baseCR_Full);
		break;
	case SPEED_25000:
		ethtool_link_ksettings_add_link_mode(settings, supported, 25000baseCR_Full);
		ethtool_link_ksettings_add_link_mode(settings, supported, FEC_RS);
		break;
	case SPEED_100000:
		ethtool_link_ksettings_add_link_mode(settings, supported, 100000baseCR4_Full);
		ethtool_link_ksettings_add_link_mode(settings, supported, FEC_RS);
		break;
	default:
		break;
	}

	settings->base.autoneg = AUTONEG_DISABLE;
	settings->base.port = PORT_DA;
	settings->base.speed = netif_carrier_ok(netdev) ? speed : SPEED_UNKNOWN;
	settings->base.duplex = netif_carrier_ok(netdev) ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	return 0;
}

static int vg810_get_fecparam(struct net_device *netdev, struct ethtool_fecparam *fec)
{
	const struct vg810_nic *nic = netdev_priv(netdev);
	u32 speed = vg810_read(nic->core, VG810_REG_PORT_SPEED);

	fec->active_fec = speed >= SPEED_25000 ? ETHTOOL_FEC_RS : ETHTOOL_FEC_OFF;
	fec->fec = fec->active_fec;
	return 0;
}

static int vg810_get_link_ext_state(struct net_device *netdev,
				    struct ethtool_link_ext_state_info *info)
{
	const struct vg810_nic *nic = netdev_priv(netdev);
	u32 status = vg810_read(nic->core, VG810_REG_PORT_STATUS);

	switch (FIELD_GET(VG810_PORT_STATUS_REASON, status)) {
	case VG810_LINK_REASON_NO_MODULE:
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_NO_CABLE;
		return 0;
	case VG810_LINK_REASON_NO_SIGNAL:
		/* no light, or too little of it: the far end is off, or the fibre is cut */
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY;
		info->bad_signal_integrity = ETHTOOL_LINK_EXT_SUBSTATE_BSI_SERDES_ALOS;
		return 0;
	case VG810_LINK_REASON_TRAINING:
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE;
		return 0;
	case VG810_LINK_REASON_RATE_MISMATCH:
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH;
		return 0;
	case VG810_LINK_REASON_FAULT:
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE;
		return 0;
	default:
		return -ENODATA;
	}
}

static void __maybe_unused vg810_get_link_ext_stats(struct net_device *netdev,
						    struct ethtool_link_ext_stats *stats)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	stats->link_down_events = vg810_read(nic->core, VG810_REG_LINK_DOWN_COUNT);
}

static void vg810_get_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
				struct kernel_ethtool_ringparam *kernel_ring,
				struct netlink_ext_ack *extack)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	ring->tx_max_pending = BIT(nic->core->limits.ring_log2 - VG810_CQ_EXTRA_LOG2);
	ring->rx_max_pending = ring->tx_max_pending;
	ring->tx_pending = BIT(nic->shape.tx_log2);
	ring->rx_pending = BIT(nic->shape.rx_log2);
}

static int vg810_set_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
			       struct kernel_ethtool_ringparam *kernel_ring,
			       struct netlink_ext_ack *extack)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	struct vg810_shape shape = nic->shape;
	const u32 least = BIT(VG810_MIN_NIC_RING_LOG2);

	if (ring->rx_mini_pending || ring->rx_jumbo_pending)
		return -EINVAL;
	if (ring->tx_pending < least || ring->rx_pending < least) {
		NL_SET_ERR_MSG_MOD(extack, "a ring has at least 64 entries");
		return -EINVAL;
	}
	/* Rings are powers of two: take the next one. The core has checked the upper limit. */
	shape.tx_log2 = order_base_2(ring->tx_pending);
	shape.rx_log2 = order_base_2(ring->rx_pending);
	if (shape.tx_log2 == nic->shape.tx_log2 && shape.rx_log2 == nic->shape.rx_log2)
		return 0;
	return vg810_nic_reshape(nic, &shape);
}

static void vg810_get_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	channels->max_combined = nic->max_pairs;
	channels->combined_count = nic->shape.pairs;
}

static int vg810_set_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	struct vg810_shape shape = nic->shape;

	if (!channels->combined_count)
		return -EINVAL;
	shape.pairs = channels->combined_count;
	if (shape.pairs == nic->shape.pairs)
		return 0;
	return vg810_nic_reshape(nic, &shape);
}

static int vg810_get_coalesce(struct net_device *netdev, struct ethtool_coalesce *coalesce,
			      struct kernel_ethtool_coalesce *kernel_coalesce,
			      struct netlink_ext_ack *extack)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	/* One event queue serves both directions of a pair. */
	coalesce->rx_coalesce_usecs = nic->moderation_ns / NSEC_PER_USEC;
	return 0;
}

static int vg810_set_coalesce(struct net_device *netdev, struct ethtool_coalesce *coalesce,
			      struct kernel_ethtool_coalesce *kernel_coalesce,
			      struct netlink_ext_ack *extack)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	u32 before = nic->moderation_ns;
	int err;

	if (coalesce->rx_coalesce_usecs > VG810_MAX_MODERATION_US) {
		NL_SET_ERR_MSG_MOD(extack, "rx-usecs is at most 10000");
		return -ERANGE;
	}
	if (coalesce->rx_coalesce_usecs &&
	    !(nic->core->features & VG810_DEVICE_FEATURES_MODERATION))
		return -EOPNOTSUPP;

	nic->moderation_ns = coalesce->rx_coalesce_usecs * NSEC_PER_USEC;
	if (!vg810_nic_is_up(nic))
		return 0;
	err = vg810_config_moderation(nic);
	if (err)
		nic->moderation_ns = before;
	return err;
}

static u32 vg810_get_rxfh_key_size(struct net_device *netdev)
{
	return VG810_RSS_KEY_BYTES;
}

static u32 vg810_get_rxfh_indir_size(struct net_device *netdev)
{
	return VG810_RSS_TABLE_ENTRIES;
}

/**
 * vg810_rxfh_get() - what RSS is set to
 * @netdev: the device
 * @table: filled in unless NULL
 * @key: filled in unless NULL
 * @function: filled in unless NULL
 *
 * Return: 0.
 */
int vg810_rxfh_get(struct net_device *netdev, u32 *table, u8 *key, u8 *function)
{
	const struct vg810_nic *nic = netdev_priv(netdev);
	unsigned int i;

	if (function)
		*function = ETH_RSS_HASH_TOP;
	if (key)
		memcpy(key, nic->rss_key, sizeof(nic->rss_key));
	if (table)
		for (i = 0; i < VG810_RSS_TABLE_ENTRIES; i++)
			table[i] = nic->rss_table[i];
	return 0;
}

/**
 * vg810_rxfh_set() - set RSS
 * @netdev: the device
 * @table: indirection table or NULL to keep it
 * @key: hash key or NULL to keep it
 * @function: Toeplitz or no change
 *
 * Return: 0, -EOPNOTSUPP, or as vg810_admin_exec().
 */
int vg810_rxfh_set(struct net_device *netdev, const u32 *table, const u8 *key, u8 function)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	unsigned int i;

	if (!(nic->core->features & VG810_DEVICE_FEATURES_RSS) ||
	    (function != ETH_RSS_HASH_NO_CHANGE && function != ETH_RSS_HASH_TOP))
		return -EOPNOTSUPP;
	if (key)
		memcpy(nic->rss_key, key, sizeof(nic->rss_key));
	if (table)
		for (i = 0; i < VG810_RSS_TABLE_ENTRIES; i++)
			nic->rss_table[i] = table[i];
	return vg810_nic_is_up(nic) ? vg810_config_rss(nic) : 0;
}

/**
 * vg810_rxfh_fields() - what a flow type's hash is made of
 * @flow_type: one of ethtool's flow types
 *
 * Return: RXH_ flags, 0 when it is not hashed.
 */
u64 vg810_rxfh_fields(u32 flow_type)
{
	switch (flow_type) {
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
		return RXH_IP_SRC | RXH_IP_DST | RXH_L4_B_0_1 | RXH_L4_B_2_3;
	case SCTP_V4_FLOW:
	case AH_ESP_V4_FLOW:
	case AH_V4_FLOW:
	case ESP_V4_FLOW:
	case IPV4_FLOW:
	case SCTP_V6_FLOW:
	case AH_ESP_V6_FLOW:
	case AH_V6_FLOW:
	case ESP_V6_FLOW:
	case IPV6_FLOW:
		return RXH_IP_SRC | RXH_IP_DST;
	default:
		return 0;
	}
}

/**
 * vg810_rx_ring_count() - number of RX queues
 * @netdev: the device
 *
 * Return: that.
 */
u32 vg810_rx_ring_count(struct net_device *netdev)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	return nic->shape.pairs;
}

static int vg810_get_sset_count(struct net_device *netdev, int set)
{
	switch (set) {
	case ETH_SS_STATS:
		return vg810_stats_count(netdev_priv(netdev));
	case ETH_SS_TEST:
		return vg810_self_test_count();
	default:
		return -EOPNOTSUPP;
	}
}

static void vg810_get_strings(struct net_device *netdev, u32 set, u8 *text)
{
	switch (set) {
	case ETH_SS_STATS:
		vg810_stats_strings(netdev_priv(netdev), text);
		break;
	case ETH_SS_TEST:
		vg810_self_test_strings(text);
		break;
	}
}

static void vg810_get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats,
				    u64 *values)
{
	vg810_stats_values(netdev_priv(netdev), values);
}

const struct ethtool_ops vg810_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS,
	.get_drvinfo = vg810_get_drvinfo,
	.get_regs_len = vg810_get_regs_len,
	.get_regs = vg810_get_regs,
	.get_msglevel = vg810_get_msglevel,
	.set_msglevel = vg810_set_msglevel,
	.get_link = ethtool_op_get_link,
	.get_link_ext_state = vg810_get_link_ext_state,
	VG810_LINK_EXT_STATS_OP(vg810_get_link_ext_stats)
	.get_link_ksettings = vg810_get_link_ksettings,
	.get_fecparam = vg810_get_fecparam,
	.get_ringparam = vg810_get_ringparam,
	.set_ringparam = vg810_set_ringparam,
	.get_channels = vg810_get_channels,
	.set_channels = vg810_set_channels,
	.get_coalesce = vg810_get_coalesce,
	.set_coalesce = vg810_set_coalesce,
	.get_rxfh_key_size = vg810_get_rxfh_key_size,
	.get_rxfh_indir_size = vg810_get_rxfh_indir_size,
	VG810_RXFH_OPS
	.get_sset_count = vg810_get_sset_count,
	.get_strings = vg810_get_strings,
	.get_ethtool_stats = vg810_get_ethtool_stats,
	.get_eth_mac_stats = vg810_get_mac_stats,
	.get_rmon_stats = vg810_get_rmon_stats,
	.get_ts_info = ethtool_op_get_ts_info,
	.self_test = vg810_self_test,
};
