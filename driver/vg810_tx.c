// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmit: descriptors, offloads, completion.
 *
 * head is the transmitter's, under the stack's queue lock; tail is NAPI's. A completion is asked
 * for on the last packet before each doorbell and stands for everything up to it.
 */
#include <linux/dma-mapping.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip6_checksum.h>

#include "vg810_nic.h"

static u32 vg810_tx_room(const struct vg810_tx_ring *tx)
{
	return tx->mask + 1 - (tx->head - READ_ONCE(tx->tail));
}

static void vg810_tx_unmap(struct device *dev, const struct vg810_tx_buffer *buffer)
{
	if (buffer->page)
		dma_unmap_page(dev, buffer->dma, buffer->length, DMA_TO_DEVICE);
	else
		dma_unmap_single(dev, buffer->dma, buffer->length, DMA_TO_DEVICE);
}

/* Shows the card what was queued since the last time, and asks for a completion of it. */
static void vg810_tx_kick(struct vg810_core *core, struct vg810_tx_ring *tx)
{
	struct vg810_tx_descriptor *last = &tx->ring[(tx->head - 1) & tx->mask];

	if (tx->head == tx->kicked)
		return;
	last->flags |= cpu_to_le16(VG810_TX_DESCRIPTOR_FLAGS_COMPLETION);
	tx->kicked = tx->head;
	/* writel() orders the descriptors before the doorbell */
	writel(FIELD_PREP(VG810_DB_TX_INDEX, tx->head & VG810_DB_TX_INDEX) |
	       FIELD_PREP(VG810_DB_TX_QUEUE, tx->id), core->db + VG810_REG_DB_TX);
}

static void vg810_tx_count(struct vg810_tx_stats *stats, enum vg810_tx_counter which)
{
	u64_stats_update_begin(&stats->xmit_sync);
	u64_stats_inc(&stats->xmit[which]);
	u64_stats_update_end(&stats->xmit_sync);
}

static int vg810_tx_prepare_tso(struct sk_buff *skb, struct vg810_tx_descriptor *first)
{
	u16 flags = VG810_TX_DESCRIPTOR_FLAGS_TSO | VG810_TX_DESCRIPTOR_FLAGS_L4_CHECKSUM;
	int err;

	err = skb_cow_head(skb, 0);
	if (err)
		return err;

	/* The card adds each segment's length to the pseudo-header's sum. */
	if (skb_shinfo(skb)->gso_type & SKB_GSO_TCPV4) {
		struct iphdr *ip = ip_hdr(skb);

		flags |= VG810_TX_DESCRIPTOR_FLAGS_L3_CHECKSUM;
		ip->tot_len = 0;
		ip->check = 0;
		tcp_hdr(skb)->check = ~csum_tcpudp_magic(ip->saddr, ip->daddr, 0, IPPROTO_TCP, 0);
	} else {
		tcp_v6_gso_csum_prep(skb);
	}

	first->flags |= cpu_to_le16(flags);
	first->l3_offset = skb_network_offset(skb);
	first->l4_offset = skb_transport_offset(skb);
	first->checksum_offset = offsetof(struct tcphdr, check);
	first->header_length = skb_tcp_all_headers(skb);
	first->mss = cpu_to_le16(skb_shinfo(skb)->gso_size);
	return 0;
}

static int vg810_tx_prepare_checksum(struct sk_buff *skb, struct vg810_tx_descriptor *first)
{
	if (skb->csum_offset != offsetof(struct tcphdr, check) &&
	    skb->csum_offset != offsetof(struct udphdr, check))
		return skb_checksum_help(skb);

	first->flags |= cpu_to_le16(VG810_TX_DESCRIPTOR_FLAGS_L4_CHECKSUM);
	first->l3_offset = skb_network_offset(skb);
	first->l4_offset = skb_checksum_start_offset(skb);
	first->checksum_offset = skb->csum_offset;
	return 0;
}

/* Fills in the fields of a packet's first descriptor that say what to do with it. */
static int vg810_tx_prepare(struct sk_buff *skb, struct vg810_tx_descriptor *first)
{
	if (skb_vlan_tag_present(skb)) {
		first->flags |= cpu_to_le16(VG810_TX_DESCRIPTOR_FLAGS_VLAN_INSERT);
		first->vlan_tci = cpu_to_le16(skb_vlan_tag_get(skb));
	}
	if (skb_is_gso(skb))
		return vg810_tx_prepare_tso(skb, first);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return vg810_tx_prepare_checksum(skb, first);
	return 0;
}

/* Maps a packet and writes its descriptors from head on; head stays. */
static int vg810_tx_map(struct device *dev, struct vg810_tx_ring *tx, struct sk_buff *skb,
			const struct vg810_tx_descriptor *first)
{
	unsigned int segments = skb_shinfo(skb)->nr_frags + 1;
	unsigned int i;

	for (i = 0; i < segments; i++) {
		u32 slot = (tx->head + i) & tx->mask;
		struct vg810_tx_buffer *buffer = &tx->buffers[slot];
		struct vg810_tx_descriptor *descriptor = &tx->ring[slot];

		buffer->skb = NULL;
		buffer->page = i;
		if (i) {
			const skb_frag_t *frag = &skb_shinfo(skb)->frags[i - 1];

			buffer->length = skb_frag_size(frag);
			buffer->dma = skb_frag_dma_map(dev, frag, 0, buffer->length,
						       DMA_TO_DEVICE);
			memset(descriptor, 0, sizeof(*descriptor));
		} else {
			buffer->length = skb_headlen(skb);
			buffer->dma = dma_map_single(dev, skb->data, buffer->length,
						     DMA_TO_DEVICE);
			*descriptor = *first;
			descriptor->flags |= cpu_to_le16(VG810_TX_DESCRIPTOR_FLAGS_FIRST);
			descriptor->segments = segments;
		}
		if (dma_mapping_error(dev, buffer->dma))
			goto unmap;

		descriptor->address = cpu_to_le64(buffer->dma);
		descriptor->length = cpu_to_le32(buffer->length);
		if (i == segments - 1)
			descriptor->flags |= cpu_to_le16(VG810_TX_DESCRIPTOR_FLAGS_LAST);
	}
	return segments;

unmap:
	while (i--)
		vg810_tx_unmap(dev, &tx->buffers[(tx->head + i) & tx->mask]);
	return -ENOMEM;
}

static void vg810_tx_stop_if_full(struct vg810_nic *nic, struct vg810_pair *pair)
{
	struct vg810_tx_ring *tx = &pair->tx;

	if (likely(vg810_tx_room(tx) >= VG810_TX_STOP_ROOM))
		return;
	netif_tx_stop_queue(tx->txq);
	vg810_tx_count(&nic->tx_stats[pair->index], VG810_TX_STOPS);
	smp_mb(); /* pairs with vg810_tx_wake(): it sees the stop, or we see its tail */
	if (vg810_tx_room(tx) >= VG810_TX_STOP_ROOM)
		netif_tx_start_queue(tx->txq);
}

static bool vg810_tx_fits(struct vg810_nic *nic, struct vg810_pair *pair, struct sk_buff *skb)
{
	if (likely(skb_shinfo(skb)->nr_frags < nic->core->limits.tx_segments))
		return true;
	vg810_tx_count(&nic->tx_stats[pair->index], VG810_TX_LINEARISED);
	return !skb_linearize(skb);
}

/**
 * vg810_start_xmit() - ndo_start_xmit
 * @skb: the packet
 * @netdev: the device
 *
 * Return: NETDEV_TX_OK, the packet queued or dropped, or NETDEV_TX_BUSY.
 */
netdev_tx_t vg810_start_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct vg810_nic *nic = netdev_priv(netdev);
	struct vg810_pair *pair = nic->pairs[skb_get_queue_mapping(skb)];
	struct vg810_tx_stats *stats = &nic->tx_stats[pair->index];
	struct vg810_tx_ring *tx = &pair->tx;
	struct vg810_tx_descriptor first = {};
	struct vg810_tx_buffer *last;
	u32 header = 0;
	int segments;

	if (unlikely(vg810_tx_room(tx) < VG810_TX_STOP_ROOM)) {
		netif_tx_stop_queue(tx->txq);
		vg810_tx_kick(nic->core, tx);
		return NETDEV_TX_BUSY;
	}

	if (unlikely(eth_skb_pad(skb))) {
		skb = NULL; /* freed */
		goto drop;
	}
	if (unlikely(!vg810_tx_fits(nic, pair, skb)))
		goto drop;
	if (unlikely(vg810_tx_prepare(skb, &first)))
		goto drop;
	segments = vg810_tx_map(&nic->core->pdev->dev, tx, skb, &first);
	if (unlikely(segments < 0))
		goto drop;

	last = &tx->buffers[(tx->head + segments - 1) & tx->mask];
	last->skb = skb;
	last->wire_packets = 1;
	if (skb_is_gso(skb)) {
		last->wire_packets = skb_shinfo(skb)->gso_segs;
		header = skb_tcp_all_headers(skb);
		vg810_tx_count(stats, VG810_TX_TSO);
	}
	last->wire_bytes = skb->len + (last->wire_packets - 1) * header;

	skb_tx_timestamp(skb);
	WRITE_ONCE(tx->head, tx->head + segments);
	vg810_tx_stop_if_full(nic, pair);
	if (__netdev_tx_sent_queue(tx->txq, last->wire_bytes, netdev_xmit_more()))
		vg810_tx_kick(nic->core, tx);
	return NETDEV_TX_OK;

drop:
	dev_kfree_skb_any(skb);
	vg810_tx_count(stats, VG810_TX_DROPPED);
	if (!netdev_xmit_more())
		vg810_tx_kick(nic->core, tx);
	return NETDEV_TX_OK;
}

/**
 * vg810_features_check() - ndo_features_check
 * @skb: a packet about to be sent
 * @netdev: the device
 * @features: what the device could do for it
 *
 * Return: less what does not fit into the descriptor's 8-bit offsets or its number of segments.
 */
netdev_features_t vg810_features_check(struct sk_buff *skb, struct net_device *netdev,
				       netdev_features_t features)
{
	const struct vg810_nic *nic = netdev_priv(netdev);

	features = vlan_features_check(skb, features);
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return features;
	if (unlikely(skb_checksum_start_offset(skb) > U8_MAX))
		features &= ~(NETIF_F_CSUM_MASK | NETIF_F_GSO_MASK);
	if (skb_is_gso(skb) && unlikely(skb_tcp_all_headers(skb) > U8_MAX))
		features &= ~NETIF_F_GSO_MASK;
	if (unlikely(skb_shinfo(skb)->nr_frags >= nic->core->limits.tx_segments))
		features &= ~(NETIF_F_SG | NETIF_F_GSO_MASK);
	return features;
}

static void vg810_tx_wake(struct vg810_nic *nic, struct vg810_tx_ring *tx)
{
	smp_mb(); /* pairs with vg810_tx_stop_if_full() */
	if (unlikely(netif_tx_queue_stopped(tx->txq)) &&
	    tx->mask + 1 - (READ_ONCE(tx->head) - tx->tail) >= VG810_TX_WAKE_ROOM &&
	    !test_bit(VG810_NIC_QUIET, &nic->flags))
		netif_tx_wake_queue(tx->txq);
}

/* What one pass of NAPI completed. */
struct vg810_tx_done {
	u32 packets;
	u32 wire_packets;
	u32 bytes;
	u32 errors;
};

/* Frees count descriptors from tail on. */
static void vg810_tx_free(struct device *dev, struct vg810_tx_ring *tx, u32 count, int budget,
			  struct vg810_tx_done *done)
{
	while (count--) {
		struct vg810_tx_buffer *buffer = &tx->buffers[tx->tail & tx->mask];

		vg810_tx_unmap(dev, buffer);
		if (buffer->skb) {
			done->packets++;
			done->wire_packets += buffer->wire_packets;
			done->bytes += buffer->wire_bytes;
			napi_consume_skb(buffer->skb, budget);
			buffer->skb = NULL;
		}
		WRITE_ONCE(tx->tail, tx->tail + 1);
	}
}

/**
 * vg810_tx_clean() - take the TX completions there are
 * @pair: the queue pair, its NAPI owned
 * @budget: NAPI's, 0 from netpoll
 */
void vg810_tx_clean(struct vg810_pair *pair, int budget)
{
	struct vg810_nic *nic = pair->nic;
	struct vg810_tx_stats *stats = &nic->tx_stats[pair->index];
	struct device *dev = &nic->core->pdev->dev;
	struct vg810_tx_ring *tx = &pair->tx;
	struct vg810_tx_done done = {};
	struct vg810_completion *entry;

	while ((entry = vg810_cq_peek(&tx->cq))) {
		/* 16-bit indices wrap; the ring is smaller than that. */
		u16 count = le16_to_cpu(entry->index) - (u16)tx->tail + 1;

		if (unlikely(!count || count > READ_ONCE(tx->head) - tx->tail)) {
			netdev_err(nic->netdev, "TX queue %u: completion of descriptor %u, tail %u\n",
				   pair->index, le16_to_cpu(entry->index), (u16)tx->tail);
			pair->broken = true;
			vg810_schedule_reset(nic->core, "bad TX completion");
			break;
		}
		if (unlikely(entry->status != VG810_COMPLETION_STATUS_OK))
			done.errors++;
		vg810_tx_free(dev, tx, count, budget, &done);
		vg810_cq_advance(pair, &tx->cq);
	}
	if (!done.packets)
		return;

	u64_stats_update_begin(&stats->sync);
	u64_stats_add(&stats->packets, done.wire_packets);
	u64_stats_add(&stats->bytes, done.bytes);
	u64_stats_add(&stats->errors, done.errors);
	u64_stats_update_end(&stats->sync);

	netdev_tx_completed_queue(tx->txq, done.packets, done.bytes);
	vg810_tx_wake(nic, tx);
}

/**
 * vg810_tx_create() - make a pair's TX queue and its completion queue
 * @pair: the queue pair, its event queue made
 *
 * Return: 0 or a negative error; vg810_tx_destroy() cleans up in either case.
 */
int vg810_tx_create(struct vg810_pair *pair)
{
	struct vg810_nic *nic = pair->nic;
	struct vg810_core *core = nic->core;
	struct vg810_tx_ring *tx = &pair->tx;
	u8 log2 = nic->shape.tx_log2;
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_CREATE_TXQ,
		.cmd.queue_id = cpu_to_le32(pair->index),
		.cmd.ring_log2 = log2,
		.cmd.cq_id = cpu_to_le32(2 * pair->index),
		.cmd.doorbell_page = cpu_to_le32(VG810_KERNEL_DB_PAGE),
	};
	int err;

	tx->id = pair->index;
	tx->mask = BIT(log2) - 1;
	tx->txq = netdev_get_tx_queue(nic->netdev, pair->index);
	tx->buffers = kvcalloc(BIT(log2), sizeof(*tx->buffers), GFP_KERNEL);
	tx->ring = dma_alloc_coherent(&core->pdev->dev, sizeof(*tx->ring) << log2, &tx->dma,
				      GFP_KERNEL);
	if (!tx->buffers || !tx->ring)
		return -ENOMEM;

	err = vg810_cq_create(core, &tx->cq, 2 * pair->index, pair->eq.id,
			      log2 + VG810_CQ_EXTRA_LOG2);
	if (err)
		return err;

	request.cmd.buffer = cpu_to_le64(tx->dma);
	err = vg810_admin_exec(core, &request);
	tx->created = !err;
	return err;
}

/**
 * vg810_tx_destroy() - undo vg810_tx_create(), also one that stopped halfway
 * @pair: the queue pair; nobody transmits and its NAPI is disabled
 */
void vg810_tx_destroy(struct vg810_pair *pair)
{
	struct vg810_core *core = pair->nic->core;
	struct vg810_tx_ring *tx = &pair->tx;
	struct vg810_tx_done done = {};

	if (tx->created) {
		vg810_admin_destroy(core, VG810_ADMIN_OPCODE_DESTROY_TXQ, tx->id);
		vg810_tx_free(&core->pdev->dev, tx, tx->head - tx->tail, 0, &done);
		netdev_tx_reset_queue(tx->txq);
	}
	vg810_cq_destroy(core, &tx->cq);
	if (tx->ring)
		dma_free_coherent(&core->pdev->dev, sizeof(*tx->ring) * (tx->mask + 1), tx->ring,
				  tx->dma);
	kvfree(tx->buffers);
}
