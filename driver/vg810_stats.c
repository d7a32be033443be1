// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics: the driver's, one set for each queue, and the card's, one set for each function.
 */
#include <linux/ethtool.h>

#include "vg810_nic.h"

static const char * const vg810_card_stat_names[VG810_STATS_COUNT] = {
#define VG810_STAT_NAME(name, offset) "port_" #name,
	VG810_STATS(VG810_STAT_NAME)
#undef VG810_STAT_NAME
};

static const char * const vg810_tx_stat_names[] = {
	"packets", "bytes", "errors", "stops", "tso", "linearised", "dropped",
};

static const char * const vg810_rx_stat_names[] = {
	"packets", "bytes", "errors", "dropped", "csum_ok", "csum_bad", "alloc_failed",
};

#define VG810_TX_STATS	ARRAY_SIZE(vg810_tx_stat_names)
#define VG810_RX_STATS	ARRAY_SIZE(vg810_rx_stat_names)

/* In the order of vg810_tx_stat_names. */
static void vg810_tx_stats_read(const struct vg810_tx_stats *stats, u64 *values)
{
	unsigned int start, i;

	do {
		start = u64_stats_fetch_begin(&stats->sync);
		values[0] = u64_stats_read(&stats->packets);
		values[1] = u64_stats_read(&stats->bytes);
		values[2] = u64_stats_read(&stats->errors);
	} while (u64_stats_fetch_retry(&stats->sync, start));
	do {
		start = u64_stats_fetch_begin(&stats->xmit_sync);
		for (i = 0; i < VG810_TX_COUNTERS; i++)
			values[3 + i] = u64_stats_read(&stats->xmit[i]);
	} while (u64_stats_fetch_retry(&stats->xmit_sync, start));
}

/* In the order of vg810_rx_stat_names. */
static void vg810_rx_stats_read(const struct vg810_rx_stats *stats, u64 *values)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&stats->sync);
		values[0] = u64_stats_read(&stats->packets);
		values[1] = u64_stats_read(&stats->bytes);
		values[2] = u64_stats_read(&stats->errors);
		values[3] = u64_stats_read(&stats->dropped);
		values[4] = u64_stats_read(&stats->csum_ok);
		values[5] = u64_stats_read(&stats->csum_bad);
		values[6] = u64_stats_read(&stats->alloc_failed);
	} while (u64_stats_fetch_retry(&stats->sync, start));
}

/**
 * vg810_get_stats64() - ndo_get_stats64
 * @netdev: the device
 * @stats: filled in: traffic by the driver's count, losses by the card's as well
 */
void vg810_get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *stats)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	struct vg810_core *core = nic->core;
	u64 tx[VG810_TX_STATS], rx[VG810_RX_STATS];
	unsigned int i;

	static_assert(VG810_TX_STATS == 3 + VG810_TX_COUNTERS);
	for (i = 0; i < nic->max_pairs; i++) {
		vg810_tx_stats_read(&nic->tx_stats[i], tx);
		stats->tx_packets += tx[0];
		stats->tx_bytes += tx[1];
		stats->tx_dropped += tx[3 + VG810_TX_DROPPED];
		vg810_rx_stats_read(&nic->rx_stats[i], rx);
		stats->rx_packets += rx[0];
		stats->rx_bytes += rx[1];
		stats->rx_dropped += rx[3];
	}

	stats->tx_errors = vg810_stat_by_register(core, VG810_REG_TX_ERRORS);
	stats->tx_carrier_errors = vg810_stat_by_register(core, VG810_REG_TX_DROPPED_LINK_DOWN);
	stats->multicast = vg810_stat_by_register(core, VG810_REG_RX_MULTICAST);
	stats->rx_crc_errors = vg810_stat_by_register(core, VG810_REG_RX_CRC_ERRORS);
	stats->rx_length_errors = vg810_stat_by_register(core, VG810_REG_RX_UNDERSIZE) +
				  vg810_stat_by_register(core, VG810_REG_RX_OVERSIZE);
	stats->rx_fifo_errors = vg810_stat_by_register(core, VG810_REG_RX_FIFO_DROPPED);
	stats->rx_missed_errors = vg810_stat_by_register(core, VG810_REG_RX_OUT_OF_BUFFER);
	stats->rx_errors = stats->rx_crc_errors + stats->rx_length_errors +
			   vg810_stat_by_register(core, VG810_REG_RX_DMA_ERRORS);
}

/**
 * vg810_stats_count() - number of values of `ethtool -S`
 * @nic: the network device
 *
 * Return: that.
 */
int vg810_stats_count(const struct vg810_nic *nic)
{
	return VG810_STATS_COUNT + nic->max_pairs * (VG810_TX_STATS + VG810_RX_STATS);
}

/**
 * vg810_stats_strings() - names of the values of `ethtool -S`
 * @nic: the network device
 * @text: ETH_GSTRING_LEN octets for each
 */
void vg810_stats_strings(const struct vg810_nic *nic, u8 *text)
{
	unsigned int i, j;

	for (i = 0; i < VG810_STATS_COUNT; i++)
		ethtool_sprintf(&text, "%s", vg810_card_stat_names[i]);
	for (i = 0; i < nic->max_pairs; i++) {
		for (j = 0; j < VG810_TX_STATS; j++)
			ethtool_sprintf(&text, "tx%u_%s", i, vg810_tx_stat_names[j]);
		for (j = 0; j < VG810_RX_STATS; j++)
			ethtool_sprintf(&text, "rx%u_%s", i, vg810_rx_stat_names[j]);
	}
}

/**
 * vg810_stats_values() - the values of `ethtool -S`
 * @nic: the network device
 * @values: vg810_stats_count() of them
 */
void vg810_stats_values(struct vg810_nic *nic, u64 *values)
{
	unsigned int i;

	for (i = 0; i < VG810_STATS_COUNT; i++)
		*values++ = vg810_stat(nic->core, i);
	for (i = 0; i < nic->max_pairs; i++) {
		vg810_tx_stats_read(&nic->tx_stats[i], values);
		values += VG810_TX_STATS;
		vg810_rx_stats_read(&nic->rx_stats[i], values);
		values += VG810_RX_STATS;
	}
}

static u64 vg810_netdev_stat(struct net_device *netdev, u32 reg)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	return vg810_stat_by_register(nic->core, reg);
}

/**
 * vg810_get_mac_stats() - IEEE 802.3 counters, clause 30.3.1
 * @netdev: the device
 * @stats: those of them that the card counts are filled in
 */
void vg810_get_mac_stats(struct net_device *netdev, struct ethtool_eth_mac_stats *stats)
{
	stats->FramesTransmittedOK = vg810_netdev_stat(netdev, VG810_REG_TX_PACKETS);
	stats->OctetsTransmittedOK = vg810_netdev_stat(netdev, VG810_REG_TX_BYTES);
	stats->MulticastFramesXmittedOK = vg810_netdev_stat(netdev, VG810_REG_TX_MULTICAST);
	stats->BroadcastFramesXmittedOK = vg810_netdev_stat(netdev, VG810_REG_TX_BROADCAST);
	stats->FramesReceivedOK = vg810_netdev_stat(netdev, VG810_REG_RX_PACKETS);
	stats->OctetsReceivedOK = vg810_netdev_stat(netdev, VG810_REG_RX_BYTES);
	stats->MulticastFramesReceivedOK = vg810_netdev_stat(netdev, VG810_REG_RX_MULTICAST);
	stats->BroadcastFramesReceivedOK = vg810_netdev_stat(netdev, VG810_REG_RX_BROADCAST);
	stats->FrameCheckSequenceErrors = vg810_netdev_stat(netdev, VG810_REG_RX_CRC_ERRORS);
	stats->FrameTooLongErrors = vg810_netdev_stat(netdev, VG810_REG_RX_OVERSIZE);
}

static const struct ethtool_rmon_hist_range vg810_rmon_ranges[] = {
	{ 64, 64 }, { 65, 127 }, { 128, 255 }, { 256, 511 }, { 512, 1023 }, { 1024, 1518 },
	{ 1519, VG810_MAX_MTU + VLAN_ETH_HLEN + ETH_FCS_LEN }, { }
};

/**
 * vg810_get_rmon_stats() - RFC 2819 counters
 * @netdev: the device
 * @stats: filled in
 * @ranges: set to the histogram's ranges
 */
void vg810_get_rmon_stats(struct net_device *netdev, struct ethtool_rmon_stats *stats,
			  const struct ethtool_rmon_hist_range **ranges)
{
	static const u32 rx[] = {
		VG810_REG_RX_64_BYTES, VG810_REG_RX_65_TO_127_BYTES,
		VG810_REG_RX_128_TO_255_BYTES, VG810_REG_RX_256_TO_511_BYTES,
		VG810_REG_RX_512_TO_1023_BYTES, VG810_REG_RX_1024_TO_1518_BYTES,
		VG810_REG_RX_OVER_1518_BYTES,
	};
	static const u32 tx[] = {
		VG810_REG_TX_64_BYTES, VG810_REG_TX_65_TO_127_BYTES,
		VG810_REG_TX_128_TO_255_BYTES, VG810_REG_TX_256_TO_511_BYTES,
		VG810_REG_TX_512_TO_1023_BYTES, VG810_REG_TX_1024_TO_1518_BYTES,
		VG810_REG_TX_OVER_1518_BYTES,
	};
	unsigned int i;

	static_assert(ARRAY_SIZE(rx) == ARRAY_SIZE(vg810_rmon_ranges) - 1);
	static_assert(ARRAY_SIZE(tx) == ARRAY_SIZE(rx));
	for (i = 0; i < ARRAY_SIZE(rx); i++) {
		stats->hist[i] = vg810_netdev_stat(netdev, rx[i]);
		stats->hist_tx[i] = vg810_netdev_stat(netdev, tx[i]);
	}
	stats->undersize_pkts = vg810_netdev_stat(netdev, VG810_REG_RX_UNDERSIZE);
	stats->oversize_pkts = vg810_netdev_stat(netdev, VG810_REG_RX_OVERSIZE);
	*ranges = vg810_rmon_ranges;
}
