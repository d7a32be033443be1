/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vg810 network card: what the parts of the network device share.
 */
#ifndef VG810_NIC_H
#define VG810_NIC_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/u64_stats_sync.h>

#include "vg810.h"

#define VG810_DEFAULT_RING_LOG2	10
#define VG810_MIN_NIC_RING_LOG2	6
/* A CQ has twice its queue's entries (see vg810_cq_advance()), so a queue has half of the limit. */
#define VG810_CQ_EXTRA_LOG2	1
#define VG810_VLAN_MAP_BYTES	(VLAN_N_VID / 8)

/* A queue stops with less room than the largest packet and starts again with twice that. */
#define VG810_TX_STOP_ROOM	(VG810_MAX_TX_SEGMENTS + 1)
#define VG810_TX_WAKE_ROOM	(2 * VG810_TX_STOP_ROOM)

enum vg810_nic_flag {
	VG810_NIC_UP,		/* queues exist; changed under RTNL */
	VG810_NIC_QUIET,	/* the stack's queues stay stopped */
};

/* Counters of one TX queue; they outlive it. The first group is NAPI's, the second the sender's. */
enum vg810_tx_counter { VG810_TX_STOPS, VG810_TX_TSO, VG810_TX_LINEARISED, VG810_TX_DROPPED,
			VG810_TX_COUNTERS };

struct vg810_tx_stats {
	struct u64_stats_sync sync;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t errors;

	struct u64_stats_sync xmit_sync;
	u64_stats_t xmit[VG810_TX_COUNTERS];
};

/* Counters of one RX queue; they outlive it. All are NAPI's. */
struct vg810_rx_stats {
	struct u64_stats_sync sync;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t errors;
	u64_stats_t dropped;
	u64_stats_t csum_ok;
	u64_stats_t csum_bad;
	u64_stats_t alloc_failed;
};

/* What one TX descriptor points to; skb and wire_* are set on a packet's last one only. */
struct vg810_tx_buffer {
	struct sk_buff *skb;
	dma_addr_t dma;
	u32 length;
	u32 wire_bytes;
	u16 wire_packets;
	bool page;
};

struct vg810_tx_ring {
	struct vg810_tx_descriptor *ring;
	struct vg810_tx_buffer *buffers;
	struct netdev_queue *txq;
	u32 head;		/* free-running: next descriptor to fill; the transmitter's */
	u32 kicked;		/* what the card has been told of head */
	u32 mask;
	u32 id;
	bool created;
	dma_addr_t dma;

	u32 tail ____cacheline_aligned_in_smp;	/* free-running: next to complete; NAPI's */
	struct vg810_cq cq;
};

struct vg810_rx_buffer {
	struct page *page;
	u32 offset;
};

struct vg810_rx_ring {
	struct vg810_rx_descriptor *ring;
	struct vg810_rx_buffer *buffers;
	struct page_pool *pool;
	u32 head;		/* free-running: next descriptor to fill */
	u32 tail;		/* free-running: next the card completes */
	u32 posted;		/* what the card has been told of head */
	u32 mask;
	u32 buffer_bytes;	/* headroom, data and skb_shared_info */
	u32 data_bytes;		/* what the card may write */
	u32 id;
	bool created;
	dma_addr_t dma;
	struct vg810_cq cq;
};

/* A TX queue, an RX queue, their completion queues, event queue, interrupt and NAPI. */
struct vg810_pair {
	struct napi_struct napi;
	struct vg810_nic *nic;
	unsigned int index;
	int irq;
	bool has_irq;
	bool broken;			/* a completion made no sense: wait for the reset */
	spinlock_t doorbell_lock;	/* CQ and EQ doorbells against a busy poller's */
	struct vg810_eq eq;
	struct vg810_tx_ring tx;
	struct vg810_rx_ring rx;
	char name[IFNAMSIZ + 16];
};

/* What ethtool can change only with the queues gone. */
struct vg810_shape {
	unsigned int pairs;
	u8 tx_log2;
	u8 rx_log2;
};

struct vg810_loopback;

struct vg810_nic {
	struct vg810_core *core;
	struct net_device *netdev;
	unsigned long flags;
	unsigned int max_pairs;
	struct vg810_shape shape;
	struct vg810_pair **pairs;	/* shape.pairs of them while VG810_NIC_UP */
	u32 moderation_ns;
	u32 msg_enable;
	u8 rss_key[VG810_RSS_KEY_BYTES];
	u16 rss_table[VG810_RSS_TABLE_ENTRIES];
	struct mutex filter_lock;	/* address and VLAN filters, set from work and under RTNL */
	bool vlan_filter;		/* what the stack wants */
	bool vlan_filter_on;		/* what the card has: off in promiscuous mode, too */
	u8 vlans[VG810_VLAN_MAP_BYTES];	/* bit n % 8 of byte n / 8: VLAN n is wanted */
	struct work_struct rx_mode_work;
	struct work_struct link_work;
	struct notifier_block events;
	struct vg810_loopback *loopback;	/* takes all received frames while set */
	struct vg810_tx_stats tx_stats[VG810_MAX_QUEUES];
	struct vg810_rx_stats rx_stats[VG810_MAX_QUEUES];
};

static inline bool vg810_nic_is_up(const struct vg810_nic *nic)
{
	return test_bit(VG810_NIC_UP, &nic->flags);
}

/* Moves on in a CQ; tells the card in time that it never sees the queue fuller than it is. */
static inline void vg810_cq_advance(struct vg810_pair *pair, struct vg810_cq *cq)
{
	WRITE_ONCE(cq->ci, cq->ci + 1);
	if (unlikely(cq->ci - READ_ONCE(cq->freed) >= BIT(cq->log2) / 4)) {
		spin_lock(&pair->doorbell_lock);
		vg810_cq_doorbell(pair->nic->core, cq, false);
		spin_unlock(&pair->doorbell_lock);
	}
}

/* vg810_nic.c */
void vg810_nic_init_events(struct vg810_nic *nic);
int vg810_nic_up(struct vg810_nic *nic);
void vg810_nic_down(struct vg810_nic *nic);
int vg810_nic_reshape(struct vg810_nic *nic, const struct vg810_shape *shape);
void vg810_nic_update_link(struct vg810_nic *nic);

/* vg810_config.c */
int vg810_config_apply(struct vg810_nic *nic);
int vg810_config_mac(struct vg810_nic *nic, const u8 *address);
int vg810_config_mtu(struct vg810_nic *nic, unsigned int mtu);
int vg810_config_offloads(struct vg810_nic *nic, netdev_features_t features);
int vg810_config_rss(struct vg810_nic *nic);
void vg810_config_default_rss(struct vg810_nic *nic, unsigned int pairs);
int vg810_config_vlans(struct vg810_nic *nic, bool filter);
int vg810_config_rx_mode(struct vg810_nic *nic);
int vg810_config_moderation(struct vg810_nic *nic);
int vg810_config_port(struct vg810_nic *nic, bool enable);

/* vg810_pair.c */
int vg810_pairs_create(struct vg810_nic *nic);
void vg810_pairs_destroy(struct vg810_nic *nic);
void vg810_pairs_enable(struct vg810_nic *nic);
void vg810_pairs_disable(struct vg810_nic *nic);

/* vg810_tx.c */
int vg810_tx_create(struct vg810_pair *pair);
void vg810_tx_destroy(struct vg810_pair *pair);
void vg810_tx_clean(struct vg810_pair *pair, int budget);
netdev_tx_t vg810_start_xmit(struct sk_buff *skb, struct net_device *netdev);
netdev_features_t vg810_features_check(struct sk_buff *skb, struct net_device *netdev,
				       netdev_features_t features);

/* vg810_rx.c */
int vg810_rx_create(struct vg810_pair *pair);
void vg810_rx_destroy(struct vg810_pair *pair);
int vg810_rx_poll(struct vg810_pair *pair, int budget);
u32 vg810_rx_buffer_bytes(unsigned int mtu);

/* vg810_stats.c */
void vg810_get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *stats);
int vg810_stats_count(const struct vg810_nic *nic);
void vg810_stats_strings(const struct vg810_nic *nic, u8 *text);
void vg810_stats_values(struct vg810_nic *nic, u64 *values);
void vg810_get_mac_stats(struct net_device *netdev, struct ethtool_eth_mac_stats *stats);
void vg810_get_rmon_stats(struct net_device *netdev, struct ethtool_rmon_stats *stats,
			  const struct ethtool_rmon_hist_range **ranges);

/* vg810_selftest.c */
int vg810_self_test_count(void);
void vg810_self_test_strings(u8 *text);
void vg810_self_test(struct net_device *netdev, struct ethtool_test *test, u64 *results);

/* vg810_loopback.c */
int vg810_loopback_run(struct vg810_nic *nic);
void vg810_loopback_receive(struct vg810_loopback *loopback, struct sk_buff *skb);

/* vg810_ethtool.c */
extern const struct ethtool_ops vg810_ethtool_ops;
int vg810_rxfh_get(struct net_device *netdev, u32 *table, u8 *key, u8 *function);
int vg810_rxfh_set(struct net_device *netdev, const u32 *table, const u8 *key, u8 function);
u64 vg810_rxfh_fields(u32 flow_type);
u32 vg810_rx_ring_count(struct net_device *netdev);

#endif /* VG810_NIC_H */
