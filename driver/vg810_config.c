// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function's settings: what the network device is set to, as admin commands.
 */
#include <linux/ethtool.h>

#include "vg810_nic.h"

/* SET_RX_MODE's param */
#define VG810_RX_MODE_ALL		BIT(0)
#define VG810_RX_MODE_ALL_MULTICAST	BIT(1)

/* How the card wants an address: first octet in bits 7:0. */
static u64 vg810_mac_value(const u8 *address)
{
	u64 value = 0;
	int i;

	for (i = ETH_ALEN - 1; i >= 0; i--)
		value = value << 8 | address[i];
	return value;
}

/**
 * vg810_config_mac() - set the function's own address
 * @nic: the network device
 * @address: six octets
 *
 * Return: as vg810_admin_exec().
 */
int vg810_config_mac(struct vg810_nic *nic, const u8 *address)
{
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_SET_MAC,
		.cmd.mac = cpu_to_le64(vg810_mac_value(address)),
	};

	return vg810_admin_exec(nic->core, &request);
}

/**
 * vg810_config_mtu() - set the longest packet
 * @nic: the network device
 * @mtu: in octets, without Ethernet headers
 *
 * Return: as vg810_admin_exec().
 */
int vg810_config_mtu(struct vg810_nic *nic, unsigned int mtu)
{
	return vg810_admin_simple(nic->core, VG810_ADMIN_OPCODE_SET_MTU, 0, mtu);
}

/**
 * vg810_config_offloads() - set what the receiver does to packets
 * @nic: the network device
 * @features: the features it is to have
 *
 * Return: as vg810_admin_exec().
 */
int vg810_config_offloads(struct vg810_nic *nic, netdev_features_t features)
{
	u32 param = 0;

	if (features & NETIF_F_RXCSUM)
		param |= VG810_DEVICE_FEATURES_RX_CHECKSUM;
	if (features & NETIF_F_HW_VLAN_CTAG_RX)
		param |= VG810_DEVICE_FEATURES_VLAN_STRIP;
	return vg810_admin_simple(nic->core, VG810_ADMIN_OPCODE_SET_OFFLOADS, 0, param);
}

/**
 * vg810_config_rss() - set key and indirection table
 * @nic: the network device
 *
 * Return: 0 also when the card has no RSS; else as vg810_admin_exec().
 */
int vg810_config_rss(struct vg810_nic *nic)
{
	struct vg810_rss_config config = {};
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_SET_RSS,
		.in = &config,
		.in_bytes = sizeof(config),
	};
	unsigned int i;

	if (!(nic->core->features & VG810_DEVICE_FEATURES_RSS))
		return 0;

	config.enable = cpu_to_le32(1);
	config.hash_types = cpu_to_le32(VG810_RSS_CONFIG_HASH_TYPES_IPV4 |
					VG810_RSS_CONFIG_HASH_TYPES_IPV4_L4 |
					VG810_RSS_CONFIG_HASH_TYPES_IPV6 |
					VG810_RSS_CONFIG_HASH_TYPES_IPV6_L4);
	memcpy(config.key, nic->rss_key, sizeof(config.key));
	for (i = 0; i < VG810_RSS_TABLE_ENTRIES; i++)
		config.table[i] = cpu_to_le16(nic->rss_table[i]);
	return vg810_admin_exec(nic->core, &request);
}

/**
 * vg810_config_default_rss() - spread the indirection table over the queues
 * @nic: the network device; vg810_config_rss() is the caller's
 * @pairs: number of queues
 */
void vg810_config_default_rss(struct vg810_nic *nic, unsigned int pairs)
{
	unsigned int i;

	for (i = 0; i < VG810_RSS_TABLE_ENTRIES; i++)
		nic->rss_table[i] = ethtool_rxfh_indir_default(i, pairs);
}

static int vg810_config_vlans_locked(struct vg810_nic *nic)
{
	bool on = nic->vlan_filter && !(nic->netdev->flags & IFF_PROMISC);
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_SET_VLAN_FILTER,
		.cmd.param = cpu_to_le32(on),
		.in = nic->vlans,
		.in_bytes = sizeof(nic->vlans),
	};
	int err;

	if (!(nic->core->features & VG810_DEVICE_FEATURES_VLAN_FILTER))
		return 0;
	err = vg810_admin_exec(nic->core, &request);
	if (!err)
		nic->vlan_filter_on = on;
	return err;
}

/**
 * vg810_config_vlans() - set the VLAN filter; off in promiscuous mode
 * @nic: the network device
 * @filter: whether to take the wanted VLANs only
 *
 * Return: 0 also when the card has no such filter; else as vg810_admin_exec(), after which the
 * stack's wish is what it was.
 */
int vg810_config_vlans(struct vg810_nic *nic, bool filter)
{
	bool before;
	int err;

	mutex_lock(&nic->filter_lock);
	before = nic->vlan_filter;
	nic->vlan_filter = filter;
	err = vg810_config_vlans_locked(nic);
	if (err)
		nic->vlan_filter = before;
	mutex_unlock(&nic->filter_lock);
	return err;
}

/* Collects the addresses wanted; returns their number and what param says besides. */
static u32 vg810_collect_addresses(struct vg810_nic *nic, __le64 *addresses, u32 *param)
{
	struct net_device *netdev = nic->netdev;
	u32 limit = nic->core->limits.filters;
	struct netdev_hw_addr *address;
	u32 count = 0;

	*param = 0;
	netif_addr_lock_bh(netdev);
	if ((netdev->flags & IFF_PROMISC) || netdev_uc_count(netdev) > limit) {
		*param = VG810_RX_MODE_ALL;
		goto unlock;
	}
	netdev_for_each_uc_addr(address, netdev)
		addresses[count++] = cpu_to_le64(vg810_mac_value(address->addr));

	if ((netdev->flags & IFF_ALLMULTI) || netdev_mc_count(netdev) > limit - count) {
		*param = VG810_RX_MODE_ALL_MULTICAST;
		goto unlock;
	}
	netdev_for_each_mc_addr(address, netdev)
		addresses[count++] = cpu_to_le64(vg810_mac_value(address->addr));
unlock:
	netif_addr_unlock_bh(netdev);
	return count;
}

/**
 * vg810_config_rx_mode() - set which addresses are received
 * @nic: the network device
 *
 * Return: as vg810_admin_exec().
 */
int vg810_config_rx_mode(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;
	__le64 addresses[VG810_MAX_FILTERS];
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_SET_RX_MODE,
	};
	u32 count, param;
	int err;

	mutex_lock(&nic->filter_lock);
	count = vg810_collect_addresses(nic, addresses, &param);
	request.cmd.count = cpu_to_le32(count);
	request.cmd.param = cpu_to_le32(param);
	if (count) {
		request.in = addresses;
		request.in_bytes = count * sizeof(addresses[0]);
	}
	err = vg810_admin_exec(nic->core, &request);

	if (!err && nic->vlan_filter_on != (nic->vlan_filter && !(netdev->flags & IFF_PROMISC)))
		err = vg810_config_vlans_locked(nic);
	mutex_unlock(&nic->filter_lock);
	return err;
}

/**
 * vg810_config_moderation() - set the least time between two interrupts of every pair
 * @nic: the network device, up
 *
 * Return: as vg810_admin_exec(); the first error.
 */
int vg810_config_moderation(struct vg810_nic *nic)
{
	unsigned int i;
	int err;

	for (i = 0; i < nic->shape.pairs; i++) {
		struct vg810_admin_request request = {
			.cmd.opcode = VG810_ADMIN_OPCODE_MODIFY_EQ,
			.cmd.queue_id = cpu_to_le32(nic->pairs[i]->eq.id),
			.cmd.moderation_ns = cpu_to_le32(nic->moderation_ns),
		};

		err = vg810_admin_exec(nic->core, &request);
		if (err)
			return err;
	}
	return 0;
}

/**
 * vg810_config_port() - switch the port's transmitter
 * @nic: the network device
 * @enable: on or off
 *
 * Return: as vg810_admin_exec().
 */
int vg810_config_port(struct vg810_nic *nic, bool enable)
{
	return vg810_admin_simple(nic->core, VG810_ADMIN_OPCODE_SET_PORT, 0, enable);
}

/**
 * vg810_config_apply() - set everything, on a function whose queues were just made
 * @nic: the network device
 *
 * Return: 0 or the first error.
 */
int vg810_config_apply(struct vg810_nic *nic)
{
	struct net_device *netdev = nic->netdev;
	int err;

	err = vg810_config_mac(nic, netdev->dev_addr);
	if (!err)
		err = vg810_config_mtu(nic, netdev->mtu);
	if (!err)
		err = vg810_config_offloads(nic, netdev->features);
	if (!err)
		err = vg810_config_rss(nic);
	if (!err)
		err = vg810_config_vlans(nic, netdev->features & NETIF_F_HW_VLAN_CTAG_FILTER);
	if (!err)
		err = vg810_config_rx_mode(nic);
	if (err)
		netdev_err(netdev, "cannot apply the settings: %pe\n", ERR_PTR(err));
	return err;
}
