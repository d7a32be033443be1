// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive: buffers from a page pool, completions to packets.
 *
 * Every buffer has headroom and room for skb_shared_info around its data, so that any of them can
 * become the head of a packet; a frame that is longer than one buffer takes the next ones as
 * fragments.
 */
#include <linux/dma-mapping.h>
#include <linux/prefetch.h>

#include "vg810_compat.h"
#include "vg810_nic.h"

#define VG810_RX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)
#define VG810_RX_SMALL_BUFFER	2048
#define VG810_RX_LARGE_BUFFER	4096
/* Descriptors for one doorbell. */
#define VG810_RX_POST_BATCH	32

static u32 vg810_rx_data_bytes(u32 buffer_bytes)
{
	return SKB_WITH_OVERHEAD(buffer_bytes) - VG810_RX_HEADROOM;
}

/**
 * vg810_rx_buffer_bytes() - the size of receive buffers for an MTU
 * @mtu: in octets
 *
 * Return: the small size if a frame fits into one such buffer, else the large one.
 */
u32 vg810_rx_buffer_bytes(unsigned int mtu)
{
	if (mtu + VLAN_ETH_HLEN <= vg810_rx_data_bytes(VG810_RX_SMALL_BUFFER))
		return VG810_RX_SMALL_BUFFER;
	return VG810_RX_LARGE_BUFFER;
}

static void vg810_rx_post(struct vg810_core *core, struct vg810_rx_ring *rx)
{
	rx->posted = rx->head;
	/* writel() orders the descriptors before the doorbell */
	writel(FIELD_PREP(VG810_DB_RX_INDEX, rx->head & VG810_DB_RX_INDEX) |
	       FIELD_PREP(VG810_DB_RX_QUEUE, rx->id), core->db + VG810_REG_DB_RX);
}

/* Fills the ring; posts what was filled if that is a batch or the card has few left. */
static void vg810_rx_refill(struct vg810_pair *pair)
{
	struct vg810_rx_ring *rx = &pair->rx;
	struct vg810_rx_stats *stats = &pair->nic->rx_stats[pair->index];
	u32 waiting;

	while (rx->head - rx->tail <= rx->mask) {
		u32 slot = rx->head & rx->mask;
		struct vg810_rx_buffer *buffer = &rx->buffers[slot];
		struct vg810_rx_descriptor *descriptor = &rx->ring[slot];

		buffer->page = page_pool_dev_alloc_frag(rx->pool, &buffer->offset,
							rx->buffer_bytes);
		if (unlikely(!buffer->page)) {
			u64_stats_update_begin(&stats->sync);
			u64_stats_inc(&stats->alloc_failed);
			u64_stats_update_end(&stats->sync);
			break;
		}
		descriptor->address = cpu_to_le64(page_pool_get_dma_addr(buffer->page) +
						  buffer->offset + VG810_RX_HEADROOM);
		descriptor->length = cpu_to_le32(rx->data_bytes);
		descriptor->reserved = 0;
		rx->head++;
	}

	waiting = rx->head - rx->posted;
	if (waiting >= VG810_RX_POST_BATCH ||
	    (waiting && rx->posted - rx->tail < VG810_RX_POST_BATCH))
		vg810_rx_post(pair->nic->core, rx);
}

/* Gives count buffers from tail on back to the pool. */
static void vg810_rx_release(struct vg810_rx_ring *rx, u32 count, bool in_napi)
{
	while (count--) {
		page_pool_put_full_page(rx->pool, rx->buffers[rx->tail & rx->mask].page, in_napi);
		rx->tail++;
	}
}

static void *vg810_rx_sync(struct device *dev, const struct vg810_rx_buffer *buffer, u32 length)
{
	dma_sync_single_range_for_cpu(dev, page_pool_get_dma_addr(buffer->page),
				      buffer->offset + VG810_RX_HEADROOM, length,
				      DMA_FROM_DEVICE);
	return page_address(buffer->page) + buffer->offset;
}

/* Makes a packet of count buffers from tail on. NULL: no memory, the buffers are still there. */
static struct sk_buff *vg810_rx_build(struct device *dev, struct vg810_rx_ring *rx, u32 count,
				      u32 length)
{
	u32 part = min(length, rx->data_bytes);
	struct vg810_rx_buffer *buffer;
	struct sk_buff *skb;
	void *data;
	u32 i;

	data = vg810_rx_sync(dev, &rx->buffers[rx->tail & rx->mask], part);
	net_prefetch(data + VG810_RX_HEADROOM);
	skb = napi_build_skb(data, rx->buffer_bytes);
	if (unlikely(!skb))
		return NULL;
	skb_mark_for_recycle(skb);
	skb_reserve(skb, VG810_RX_HEADROOM);
	__skb_put(skb, part);
	rx->tail++;

	for (i = 1; i < count; i++) {
		buffer = &rx->buffers[rx->tail & rx->mask];
		length -= part;
		part = min(length, rx->data_bytes);
		vg810_rx_sync(dev, buffer, part);
		skb_add_rx_frag(skb, i - 1, buffer->page, buffer->offset + VG810_RX_HEADROOM, part,
				rx->buffer_bytes);
		rx->tail++;
	}
	return skb;
}

static void vg810_rx_hash(struct sk_buff *skb, const struct vg810_completion *entry)
{
	switch (entry->hash_type) {
	case VG810_RSS_HASH_TYPE_IPV4:
	case VG810_RSS_HASH_TYPE_IPV6:
		skb_set_hash(skb, le32_to_cpu(entry->rss_hash), PKT_HASH_TYPE_L3);
		break;
	case VG810_RSS_HASH_TYPE_IPV4_L4:
	case VG810_RSS_HASH_TYPE_IPV6_L4:
		skb_set_hash(skb, le32_to_cpu(entry->rss_hash), PKT_HASH_TYPE_L4);
		break;
	default:
		break;
	}
}

/* What one pass of NAPI received. */
struct vg810_rx_done {
	u32 packets;
	u32 bytes;
	u32 errors;
	u32 dropped;
	u32 csum_ok;
	u32 csum_bad;
};

static void vg810_rx_deliver(struct vg810_pair *pair, struct sk_buff *skb,
			     const struct vg810_completion *entry, struct vg810_rx_done *done)
{
	struct vg810_nic *nic = pair->nic;
	struct net_device *netdev = nic->netdev;
	struct vg810_loopback *loopback = READ_ONCE(nic->loopback);

	done->packets++;
	done->bytes += skb->len;
	skb_record_rx_queue(skb, pair->index);
	if (netdev->features & NETIF_F_RXHASH)
		vg810_rx_hash(skb, entry);
	if (netdev->features & NETIF_F_RXCSUM) {
		if (entry->flags & VG810_COMPLETION_FLAGS_L4_OK) {
			skb->ip_summed = CHECKSUM_UNNECESSARY;
			done->csum_ok++;
		} else if (entry->flags & VG810_COMPLETION_FLAGS_CSUM_BAD) {
			done->csum_bad++;
		}
	}
	if (entry->flags & VG810_COMPLETION_FLAGS_VLAN_STRIPPED)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), le16_to_cpu(entry->vlan_tci));

	skb->protocol = eth_type_trans(skb, netdev);
	if (unlikely(loopback))
		vg810_loopback_receive(loopback, skb);
	else
		napi_gro_receive(&pair->napi, skb);
}

/* Whether a completion can be true; if not, card and driver disagree about the ring. */
static bool vg810_rx_plausible(const struct vg810_rx_ring *rx,
			       const struct vg810_completion *entry)
{
	u32 count = entry->descriptors;
	u32 length = le32_to_cpu(entry->length);

	if (!count) /* a frame that found no buffer */
		return entry->status != VG810_COMPLETION_STATUS_OK;
	if (count > rx->posted - rx->tail || le16_to_cpu(entry->index) != (u16)rx->tail)
		return false;
	if (entry->status != VG810_COMPLETION_STATUS_OK)
		return true;
	return count <= MAX_SKB_FRAGS + 1 && length >= ETH_HLEN &&
	       length <= count * rx->data_bytes && length > (count - 1) * rx->data_bytes;
}

static void vg810_rx_frame(struct vg810_pair *pair, const struct vg810_completion *entry,
			   struct vg810_rx_done *done)
{
	struct vg810_rx_ring *rx = &pair->rx;
	struct sk_buff *skb;

	if (unlikely(entry->status != VG810_COMPLETION_STATUS_OK)) {
		done->errors++;
		vg810_rx_release(rx, entry->descriptors, true);
		return;
	}
	skb = vg810_rx_build(&pair->nic->core->pdev->dev, rx, entry->descriptors,
			     le32_to_cpu(entry->length));
	if (unlikely(!skb)) {
		done->dropped++;
		vg810_rx_release(rx, entry->descriptors, true);
		return;
	}
	vg810_rx_deliver(pair, skb, entry, done);
}

static void vg810_rx_count(struct vg810_rx_stats *stats, const struct vg810_rx_done *done)
{
	u64_stats_update_begin(&stats->sync);
	u64_stats_add(&stats->packets, done->packets);
	u64_stats_add(&stats->bytes, done->bytes);
	u64_stats_add(&stats->errors, done->errors);
	u64_stats_add(&stats->dropped, done->dropped);
	u64_stats_add(&stats->csum_ok, done->csum_ok);
	u64_stats_add(&stats->csum_bad, done->csum_bad);
	u64_stats_update_end(&stats->sync);
}

/**
 * vg810_rx_poll() - receive
 * @pair: the queue pair, its NAPI owned
 * @budget: frames at the most, more than 0
 *
 * Return: frames taken; @budget also when the card is out of buffers and there is no memory now,
 * as only polling again can help then.
 */
int vg810_rx_poll(struct vg810_pair *pair, int budget)
{
	struct vg810_nic *nic = pair->nic;
	struct vg810_rx_ring *rx = &pair->rx;
	struct vg810_rx_done done = {};
	struct vg810_completion *entry;
	int frames = 0;

	while (frames < budget && (entry = vg810_cq_peek(&rx->cq))) {
		if (unlikely(!vg810_rx_plausible(rx, entry))) {
			netdev_err(nic->netdev,
				   "RX queue %u: completion of %u descriptors from %u, %u octets, tail %u\n",
				   pair->index, entry->descriptors, le16_to_cpu(entry->index),
				   le32_to_cpu(entry->length), (u16)rx->tail);
			pair->broken = true;
			vg810_schedule_reset(nic->core, "bad RX completion");
			break;
		}
		vg810_rx_frame(pair, entry, &done);
		vg810_cq_advance(pair, &rx->cq);
		frames++;
	}
	if (frames)
		vg810_rx_count(&nic->rx_stats[pair->index], &done);

	vg810_rx_refill(pair);
	return rx->posted == rx->tail ? budget : frames;
}

static int vg810_rx_create_pool(struct vg810_pair *pair)
{
	struct vg810_rx_ring *rx = &pair->rx;
	struct device *dev = &pair->nic->core->pdev->dev;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV | VG810_PP_FLAG_FRAG,
		.pool_size = DIV_ROUND_UP((rx->mask + 1) * rx->buffer_bytes, PAGE_SIZE),
		.nid = dev_to_node(dev),
		.dev = dev,
		.dma_dir = DMA_FROM_DEVICE,
		.max_len = PAGE_SIZE,
	};

	vg810_page_pool_bind(&params, pair->nic->netdev, &pair->napi, pair->index);
	rx->pool = page_pool_create(&params);
	if (!IS_ERR(rx->pool))
		return 0;
	rx->pool = NULL;
	return -ENOMEM;
}

/**
 * vg810_rx_create() - make a pair's RX queue and its completion queue, and post buffers
 * @pair: the queue pair, its event queue made
 *
 * Return: 0 or a negative error; vg810_rx_destroy() cleans up in either case.
 */
int vg810_rx_create(struct vg810_pair *pair)
{
	struct vg810_nic *nic = pair->nic;
	struct vg810_core *core = nic->core;
	struct vg810_rx_ring *rx = &pair->rx;
	u8 log2 = nic->shape.rx_log2;
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_CREATE_RXQ,
		.cmd.queue_id = cpu_to_le32(pair->index),
		.cmd.ring_log2 = log2,
		.cmd.cq_id = cpu_to_le32(2 * pair->index + 1),
		.cmd.doorbell_page = cpu_to_le32(VG810_KERNEL_DB_PAGE),
	};
	int err;

	rx->id = pair->index;
	rx->mask = BIT(log2) - 1;
	rx->buffer_bytes = vg810_rx_buffer_bytes(nic->netdev->mtu);
	rx->data_bytes = vg810_rx_data_bytes(rx->buffer_bytes);
	rx->buffers = kvcalloc(BIT(log2), sizeof(*rx->buffers), GFP_KERNEL);
	rx->ring = dma_alloc_coherent(&core->pdev->dev, sizeof(*rx->ring) << log2, &rx->dma,
				      GFP_KERNEL);
	if (!rx->buffers || !rx->ring)
		return -ENOMEM;
	err = vg810_rx_create_pool(pair);
	if (err)
		return err;

	err = vg810_cq_create(core, &rx->cq, 2 * pair->index + 1, pair->eq.id,
			      log2 + VG810_CQ_EXTRA_LOG2);
	if (err)
		return err;
	request.cmd.buffer = cpu_to_le64(rx->dma);
	err = vg810_admin_exec(core, &request);
	if (err)
		return err;
	rx->created = true;

	local_bh_disable(); /* as in NAPI, which the counters and the pool expect */
	vg810_rx_refill(pair);
	local_bh_enable();
	return rx->head ? 0 : -ENOMEM;
}

/**
 * vg810_rx_destroy() - undo vg810_rx_create(), also one that stopped halfway
 * @pair: the queue pair, its NAPI disabled
 */
void vg810_rx_destroy(struct vg810_pair *pair)
{
	struct vg810_core *core = pair->nic->core;
	struct vg810_rx_ring *rx = &pair->rx;

	if (rx->created)
		vg810_admin_destroy(core, VG810_ADMIN_OPCODE_DESTROY_RXQ, rx->id);
	vg810_cq_destroy(core, &rx->cq);
	if (rx->pool) {
		vg810_rx_release(rx, rx->head - rx->tail, false);
		page_pool_destroy(rx->pool);
	}
	if (rx->ring)
		dma_free_coherent(&core->pdev->dev, sizeof(*rx->ring) * (rx->mask + 1), rx->ring,
				  rx->dma);
	kvfree(rx->buffers);
}
