// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loopback test: frames of several lengths through every TX queue, back through the card's
 * loopback and the RX path, compared octet by octet. One kind of frame is raw, the other is a UDP
 * packet whose checksum the card has to insert and to check.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>

#include "vg810_nic.h"

#define VG810_LOOPBACK_PROTOCOL		0x88b5	/* IEEE 802, local experimental */
#define VG810_LOOPBACK_FRAME_TIMEOUT	msecs_to_jiffies(100)
#define VG810_LOOPBACK_LINK_TRIES	100	/* of 1 ms */
/* RFC 5737: addresses for documentation; RFC 863: the discard port */
#define VG810_LOOPBACK_SOURCE		0xc0000201
#define VG810_LOOPBACK_TARGET		0xc0000202
#define VG810_LOOPBACK_PORT		9

struct vg810_loopback {
	struct net_device *netdev;
	struct completion received;
	u32 length;		/* of the frame, Ethernet header included */
	bool udp;
	u8 seed;		/* first octet of the payload */
	int result;
};

static struct sk_buff *vg810_loopback_alloc(struct vg810_nic *nic,
					    const struct vg810_loopback *loopback, u32 payload)
{
	struct net_device *netdev = nic->netdev;
	struct sk_buff *skb;
	u32 i;

	skb = netdev_alloc_skb(netdev, NET_SKB_PAD + loopback->length);
	if (!skb)
		return NULL;
	skb_reserve(skb, loopback->length - payload);
	for (i = 0; i < payload; i++)
		skb_put_u8(skb, loopback->seed + i);
	return skb;
}

static void vg810_loopback_push_udp(struct sk_buff *skb)
{
	struct udphdr *udp;
	struct iphdr *ip;
	u16 length;

	udp = skb_push(skb, sizeof(*udp));
	skb_reset_transport_header(skb);
	length = skb->len;
	udp->source = htons(VG810_LOOPBACK_PORT);
	udp->dest = htons(VG810_LOOPBACK_PORT);
	udp->len = htons(length);

	ip = skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(ip, 0, sizeof(*ip));
	ip->version = IPVERSION;
	ip->ihl = sizeof(*ip) / 4;
	ip->tot_len = htons(skb->len);
	ip->ttl = 1;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = htonl(VG810_LOOPBACK_SOURCE);
	ip->daddr = htonl(VG810_LOOPBACK_TARGET);
	ip_send_check(ip);

	udp->check = ~csum_tcpudp_magic(ip->saddr, ip->daddr, length, IPPROTO_UDP, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

static u32 vg810_loopback_headers(const struct vg810_loopback *loopback)
{
	return ETH_HLEN + (loopback->udp ? sizeof(struct iphdr) + sizeof(struct udphdr) : 0);
}

static struct sk_buff *vg810_loopback_frame(struct vg810_nic *nic,
					    const struct vg810_loopback *loopback)
{
	u32 payload = loopback->length - vg810_loopback_headers(loopback);
	u16 protocol = loopback->udp ? ETH_P_IP : VG810_LOOPBACK_PROTOCOL;
	struct sk_buff *skb = vg810_loopback_alloc(nic, loopback, payload);
	struct ethhdr *eth;

	if (!skb)
		return NULL;
	if (loopback->udp)
		vg810_loopback_push_udp(skb);
	eth = skb_push(skb, ETH_HLEN);
	skb_reset_mac_header(skb);
	ether_addr_copy(eth->h_dest, nic->netdev->dev_addr);
	ether_addr_copy(eth->h_source, nic->netdev->dev_addr);
	eth->h_proto = htons(protocol);
	skb->protocol = htons(protocol);
	return skb;
}

/* skb starts after the Ethernet header. */
static int vg810_loopback_compare(const struct vg810_loopback *loopback, struct sk_buff *skb)
{
	u32 first = vg810_loopback_headers(loopback) - ETH_HLEN;
	u8 octet;
	u32 at;

	if (skb->len != loopback->length - ETH_HLEN)
		return -EMSGSIZE;
	for (at = first; at < skb->len; at++) {
		if (skb_copy_bits(skb, at, &octet, 1) ||
		    octet != (u8)(loopback->seed + at - first))
			return -EILSEQ;
	}
	if (loopback->udp && (loopback->netdev->features & NETIF_F_RXCSUM) &&
	    skb->ip_summed != CHECKSUM_UNNECESSARY)
		return -EBADMSG;
	return 0;
}

/**
 * vg810_loopback_receive() - what the RX path does with a frame during the test
 * @loopback: the test
 * @skb: the frame, consumed
 *
 * Context: NAPI.
 */
void vg810_loopback_receive(struct vg810_loopback *loopback, struct sk_buff *skb)
{
	u16 protocol = loopback->udp ? ETH_P_IP : VG810_LOOPBACK_PROTOCOL;
	bool ours = skb->protocol == htons(protocol) &&
		    ether_addr_equal(eth_hdr(skb)->h_source, loopback->netdev->dev_addr);

	if (ours && !completion_done(&loopback->received)) {
		loopback->result = vg810_loopback_compare(loopback, skb);
		complete(&loopback->received);
	}
	dev_kfree_skb_any(skb);
}

static int vg810_loopback_send(struct vg810_nic *nic, struct sk_buff *skb, unsigned int queue)
{
	struct netdev_queue *txq = netdev_get_tx_queue(nic->netdev, queue);
	netdev_tx_t sent;

	skb_set_queue_mapping(skb, queue);
	local_bh_disable();
	__netif_tx_lock(txq, smp_processor_id());
	sent = vg810_start_xmit(skb, nic->netdev);
	__netif_tx_unlock(txq);
	local_bh_enable();
	if (sent == NETDEV_TX_OK)
		return 0;
	dev_kfree_skb_any(skb);
	return -EBUSY;
}

/* One frame there and back. */
static int vg810_loopback_one(struct vg810_nic *nic, struct vg810_loopback *loopback,
			      unsigned int queue)
{
	struct sk_buff *skb;
	int err;

	reinit_completion(&loopback->received);
	skb = vg810_loopback_frame(nic, loopback);
	if (!skb)
		return -ENOMEM;
	/* From here on NAPI may look at the test; before, there was no frame to make it do so. */
	smp_store_release(&nic->loopback, loopback);
	err = vg810_loopback_send(nic, skb, queue);
	if (!err && !wait_for_completion_timeout(&loopback->received,
						 VG810_LOOPBACK_FRAME_TIMEOUT))
		err = -ETIMEDOUT;
	WRITE_ONCE(nic->loopback, NULL);
	synchronize_net(); /* NAPI has left the test */
	return err ? err : loopback->result;
}

static int vg810_loopback_all(struct vg810_nic *nic)
{
	const u32 lengths[] = { ETH_ZLEN, 512, ETH_DATA_LEN + ETH_HLEN,
				nic->netdev->mtu + ETH_HLEN };
	struct vg810_loopback loopback = { .netdev = nic->netdev };
	bool checksums = nic->core->features & VG810_DEVICE_FEATURES_TX_CHECKSUM;
	unsigned int queue, i;
	int udp, err;

	init_completion(&loopback.received);
	for (queue = 0; queue < nic->shape.pairs; queue++) {
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			for (udp = 0; udp <= checksums; udp++) {
				loopback.length = min(lengths[i], nic->netdev->mtu + ETH_HLEN);
				loopback.udp = udp;
				loopback.seed++;
				err = vg810_loopback_one(nic, &loopback, queue);
				if (!err)
					continue;
				netdev_err(nic->netdev,
					   "loopback: TX queue %u, %s frame of %u octets: %pe\n",
					   queue, udp ? "UDP" : "raw", loopback.length,
					   ERR_PTR(err));
				return err;
			}
		}
	}
	return 0;
}

static int vg810_loopback_enter(struct vg810_nic *nic)
{
	int tries = VG810_LOOPBACK_LINK_TRIES;

	vg810_write(nic->core, VG810_REG_LOOPBACK, VG810_LOOPBACK_ENABLE);
	while (!(vg810_read(nic->core, VG810_REG_PORT_STATUS) & VG810_PORT_STATUS_LINK_UP)) {
		if (!tries--)
			return -ENOLINK;
		usleep_range(1000, 1200);
	}
	return 0;
}

/**
 * vg810_loopback_run() - run the test; the stack sends and receives nothing meanwhile
 * @nic: the network device; RTNL is held
 *
 * Return: 0; -ENOLINK, -ETIMEDOUT, -EMSGSIZE, -EILSEQ or -EBADMSG for no link, no frame, its
 * length, its octets or its checksum wrong; or the error of what else failed.
 */
int vg810_loopback_run(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;
	bool was_up = vg810_nic_is_up(nic);
	int err;

	netif_device_detach(netdev);
	if (!was_up) {
		err = vg810_nic_up(nic);
		if (err)
			goto attach;
	}
	set_bit(VG810_NIC_QUIET, &nic->flags);
	netif_tx_disable(netdev);

	err = vg810_loopback_enter(nic);
	if (!err)
		err = vg810_loopback_all(nic);
	vg810_write(nic->core, VG810_REG_LOOPBACK, 0);

	clear_bit(VG810_NIC_QUIET, &nic->flags);
	if (was_up)
		vg810_nic_update_link(nic);
	else
		vg810_nic_down(nic);
attach:
	netif_device_attach(netdev);
	return err;
}
