/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels 6.1 and 7.x. Kbuild looks into the headers it builds against, as
 * distributions carry some of the newer interfaces back; no other file asks for a version.
 */
#ifndef VG810_COMPAT_H
#define VG810_COMPAT_H

#include <linux/ethtool.h>
#include <linux/netdevice.h>

#ifdef VG810_HAVE_PAGE_POOL_HELPERS
#include <net/page_pool/helpers.h>
#define VG810_PP_FLAG_FRAG	0	/* every pool can hand out fragments */
#else
#include <net/page_pool.h>
#define VG810_PP_FLAG_FRAG	PP_FLAG_PAGE_FRAG
#endif

/* A pool that knows its NAPI recycles without locks, one that knows its queue can be looked up. */
static inline void vg810_page_pool_bind(struct page_pool_params *params,
					struct net_device *netdev, struct napi_struct *napi,
					unsigned int index)
{
#ifdef VG810_HAVE_PAGE_POOL_BINDING
	params->napi = napi;
	params->netdev = netdev;
	params->queue_idx = index;
#endif
}

/* Shows which NAPI and interrupt serve a queue; NULL when none does any more. */
static inline void vg810_queue_set_napi(struct net_device *netdev, unsigned int index,
					struct napi_struct *napi, int irq)
{
#ifdef VG810_HAVE_QUEUE_NAPI
	if (napi)
		netif_napi_set_irq(napi, irq);
	netif_queue_set_napi(netdev, index, NETDEV_QUEUE_TYPE_RX, napi);
	netif_queue_set_napi(netdev, index, NETDEV_QUEUE_TYPE_TX, napi);
#endif
}

/*
 * RSS and link statistics through ethtool. For vg810_ethtool.c only, which has the functions
 * without a version: vg810_rxfh_get(), vg810_rxfh_set(), vg810_rxfh_fields(),
 * vg810_rx_ring_count().
 */
#ifdef VG810_COMPAT_ETHTOOL

#ifdef VG810_HAVE_RXFH_PARAM
static int vg810_compat_get_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh)
{
	return vg810_rxfh_get(netdev, rxfh->indir, rxfh->key, &rxfh->hfunc);
}

static int vg810_compat_set_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh,
				 struct netlink_ext_ack *extack)
{
	return vg810_rxfh_set(netdev, rxfh->indir, rxfh->key, rxfh->hfunc);
}
#else
#define vg810_compat_get_rxfh	vg810_rxfh_get
#define vg810_compat_set_rxfh	vg810_rxfh_set
#endif

#ifdef VG810_HAVE_RXFH_FIELDS
static int vg810_compat_get_rxfh_fields(struct net_device *netdev,
					struct ethtool_rxfh_fields *fields)
{
	fields->data = vg810_rxfh_fields(fields->flow_type);
	return 0;
}
#define VG810_RXFH_FIELDS_OP	.get_rxfh_fields = vg810_compat_get_rxfh_fields,
#else
#define VG810_RXFH_FIELDS_OP
#endif

#ifdef VG810_HAVE_RX_RING_COUNT
#define VG810_RX_RING_COUNT_OP	.get_rx_ring_count = vg810_rx_ring_count,
#else
static int vg810_compat_get_rxnfc(struct net_device *netdev, struct ethtool_rxnfc *command,
				  u32 *rules)
{
	switch (command->cmd) {
	case ETHTOOL_GRXRINGS:
		command->data = vg810_rx_ring_count(netdev);
		return 0;
	case ETHTOOL_GRXFH:
		command->data = vg810_rxfh_fields(command->flow_type);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}
#define VG810_RX_RING_COUNT_OP	.get_rxnfc = vg810_compat_get_rxnfc,
#endif

#define VG810_RXFH_OPS \
	.get_rxfh = vg810_compat_get_rxfh, \
	.set_rxfh = vg810_compat_set_rxfh, \
	VG810_RXFH_FIELDS_OP \
	VG810_RX_RING_COUNT_OP

#ifdef VG810_HAVE_LINK_EXT_STATS
#define VG810_LINK_EXT_STATS_OP(function)	.get_link_ext_stats = (function),
#else
struct ethtool_link_ext_stats {
	u64 link_down_events;
};
#define VG810_LINK_EXT_STATS_OP(function)
#endif

#endif /* VG810_COMPAT_ETHTOOL */

#endif /* VG810_COMPAT_H */
