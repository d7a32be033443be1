/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Registers, commands and descriptors of the vg810 network card.
 *
 * Generated from model/regs/vg810.toml by model/regs/generate.py: change that file, not this one.
 * Register offsets count from the start of their BAR; field masks are for FIELD_GET() and
 * FIELD_PREP(). What each of them means: docs/registers.md.
 */
#ifndef VG810_REGS_H
#define VG810_REGS_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

/* PCI identity and interface version */
#define VG810_VENDOR_ID					0x1ecc
#define VG810_DEVICE_ID					0x8102
#define VG810_SUBSYSTEM_ID				0x0001
#define VG810_CLASS_CODE				0x020000
#define VG810_REVISION					0x0001
#define VG810_INTERFACE_MAJOR				0x0001
#define VG810_INTERFACE_MINOR				0x0000
#define VG810_BAR0_SIZE					0x20000
#define VG810_BAR2_SIZE					0x100000
#define VG810_MSIX_VECTORS				64

/* Constants and limits */
#define VG810_MAGIC_VALUE				0x30313847
#define VG810_RESET_KEY					0x52455345
#define VG810_DOORBELL_PAGE_SIZE			4096
#define VG810_DOORBELL_PAGES				256
#define VG810_MAX_QUEUES				32
#define VG810_MAX_CQS					128
#define VG810_MAX_EQS					64
#define VG810_MAX_RING_LOG2				13
#define VG810_MIN_RING_LOG2				4
#define VG810_MAX_ADMIN_LOG2				8
#define VG810_MAX_MTU					9600
#define VG810_MIN_MTU					68
#define VG810_MAX_TX_SEGMENTS				20
#define VG810_MAX_TSO_BYTES				65535
#define VG810_RSS_KEY_BYTES				40
#define VG810_RSS_TABLE_ENTRIES				128
#define VG810_MAX_FILTERS				64
#define VG810_FW_READY_US				100
#define VG810_ADMIN_TIMEOUT_MS				500

/* admin_opcode */
#define VG810_ADMIN_OPCODE_NOP				0
#define VG810_ADMIN_OPCODE_IDENTIFY			1
#define VG810_ADMIN_OPCODE_CREATE_EQ			16
#define VG810_ADMIN_OPCODE_DESTROY_EQ			17
#define VG810_ADMIN_OPCODE_CREATE_CQ			18
#define VG810_ADMIN_OPCODE_DESTROY_CQ			19
#define VG810_ADMIN_OPCODE_CREATE_TXQ			20
#define VG810_ADMIN_OPCODE_DESTROY_TXQ			21
#define VG810_ADMIN_OPCODE_CREATE_RXQ			22
#define VG810_ADMIN_OPCODE_DESTROY_RXQ			23
#define VG810_ADMIN_OPCODE_MODIFY_EQ			24
#define VG810_ADMIN_OPCODE_SET_RSS			32
#define VG810_ADMIN_OPCODE_SET_RX_MODE			33
#define VG810_ADMIN_OPCODE_SET_MAC			34
#define VG810_ADMIN_OPCODE_SET_MTU			35
#define VG810_ADMIN_OPCODE_SET_OFFLOADS			36
#define VG810_ADMIN_OPCODE_SET_PORT			37
#define VG810_ADMIN_OPCODE_SET_VLAN_FILTER		38
#define VG810_ADMIN_OPCODE_SELF_TEST			48

/* admin_status */
#define VG810_ADMIN_STATUS_OK				0
#define VG810_ADMIN_STATUS_BAD_OPCODE			1
#define VG810_ADMIN_STATUS_BAD_PARAM			2
#define VG810_ADMIN_STATUS_BAD_QUEUE_ID			3
#define VG810_ADMIN_STATUS_BUSY				4
#define VG810_ADMIN_STATUS_NO_RESOURCE			5
#define VG810_ADMIN_STATUS_BAD_STATE			6
#define VG810_ADMIN_STATUS_DMA_ERROR			7
#define VG810_ADMIN_STATUS_BAD_ALIGNMENT		8
#define VG810_ADMIN_STATUS_SELF_TEST_FAILED		9

/* event_type */
#define VG810_EVENT_TYPE_COMPLETION			1
#define VG810_EVENT_TYPE_ADMIN				2
#define VG810_EVENT_TYPE_PORT				3
#define VG810_EVENT_TYPE_QUEUE_ERROR			4
#define VG810_EVENT_TYPE_SELF_TEST			5

/* queue_kind */
#define VG810_QUEUE_KIND_TX				0
#define VG810_QUEUE_KIND_RX				1
#define VG810_QUEUE_KIND_CQ				2

/* fatal_error: Why the function failed, as in ERROR_CODE. */
#define VG810_FATAL_ERROR_NONE				0
#define VG810_FATAL_ERROR_ADMIN_READ			1
#define VG810_FATAL_ERROR_ADMIN_WRITE			2
#define VG810_FATAL_ERROR_ADMIN_DOORBELL		3
#define VG810_FATAL_ERROR_INJECTED			4

/* queue_error */
#define VG810_QUEUE_ERROR_NONE				0
#define VG810_QUEUE_ERROR_DMA				1
#define VG810_QUEUE_ERROR_BAD_DESCRIPTOR		2
#define VG810_QUEUE_ERROR_BAD_DOORBELL			3
#define VG810_QUEUE_ERROR_CQ_OVERFLOW			4

/* completion_status */
#define VG810_COMPLETION_STATUS_OK			0
#define VG810_COMPLETION_STATUS_BAD_DESCRIPTOR		1
#define VG810_COMPLETION_STATUS_DMA_ERROR		2
#define VG810_COMPLETION_STATUS_TOO_LONG		3
#define VG810_COMPLETION_STATUS_FLUSHED			4

/* link_reason: Why the link is down, as in PORT_STATUS.reason. */
#define VG810_LINK_REASON_NONE				0
#define VG810_LINK_REASON_ADMIN_DOWN			1
#define VG810_LINK_REASON_NO_MODULE			2
#define VG810_LINK_REASON_NO_SIGNAL			3
#define VG810_LINK_REASON_TRAINING			4
#define VG810_LINK_REASON_RATE_MISMATCH			5
#define VG810_LINK_REASON_FAULT				6

/* rss_hash_type: What an RX completion's hash was computed over. */
#define VG810_RSS_HASH_TYPE_NONE			0
#define VG810_RSS_HASH_TYPE_IPV4			1
#define VG810_RSS_HASH_TYPE_IPV4_L4			2
#define VG810_RSS_HASH_TYPE_IPV6			3
#define VG810_RSS_HASH_TYPE_IPV6_L4			4

/* Block GENERAL, BAR 0: Identification, feature negotiation, reset. */
#define VG810_GENERAL_BAR				0
#define VG810_REG_MAGIC					0x0000
#define VG810_REG_INTERFACE_VERSION			0x0004
#define VG810_INTERFACE_VERSION_MINOR			0x0000ffff
#define VG810_INTERFACE_VERSION_MAJOR			0xffff0000
#define VG810_REG_HARDWARE_REVISION			0x0008
#define VG810_REG_FIRMWARE_VERSION			0x000c
#define VG810_FIRMWARE_VERSION_PATCH			0x0000ffff
#define VG810_FIRMWARE_VERSION_MINOR			0x00ff0000
#define VG810_FIRMWARE_VERSION_MAJOR			0xff000000
#define VG810_REG_DEVICE_FEATURES			0x0010
#define VG810_DEVICE_FEATURES_TX_CHECKSUM		0x0000000000000001ULL
#define VG810_DEVICE_FEATURES_RX_CHECKSUM		0x0000000000000002ULL
#define VG810_DEVICE_FEATURES_TSO			0x0000000000000004ULL
#define VG810_DEVICE_FEATURES_RSS			0x0000000000000008ULL
#define VG810_DEVICE_FEATURES_VLAN_INSERT		0x0000000000000010ULL
#define VG810_DEVICE_FEATURES_VLAN_STRIP		0x0000000000000020ULL
#define VG810_DEVICE_FEATURES_VLAN_FILTER		0x0000000000000040ULL
#define VG810_DEVICE_FEATURES_MODERATION		0x0000000000000080ULL
#define VG810_REG_DRIVER_FEATURES			0x0018
#define VG810_REG_CONTROL				0x0020
#define VG810_CONTROL_FEATURES_OK			0x00000001
#define VG810_CONTROL_ENABLE				0x00000002
#define VG810_REG_STATUS				0x0024
#define VG810_STATUS_READY				0x00000001
#define VG810_STATUS_RESET_ACTIVE			0x00000002
#define VG810_STATUS_FAILED				0x00000004
#define VG810_REG_RESET					0x0028
#define VG810_REG_ERROR_CODE				0x002c
#define VG810_ERROR_CODE_CODE				0x000000ff
#define VG810_REG_ERROR_STATUS				0x0030
#define VG810_ERROR_STATUS_BAD_ACCESS			0x00000001
#define VG810_ERROR_STATUS_BAD_DOORBELL			0x00000002
#define VG810_ERROR_STATUS_DMA_ERROR			0x00000004
#define VG810_REG_FUNCTION_INFO				0x0034
#define VG810_FUNCTION_INFO_PORT			0x000000ff
#define VG810_FUNCTION_INFO_PORTS			0x0000ff00
#define VG810_REG_CLOCK					0x0040
#define VG810_REG_SCRATCH				0x0048

/*
 * Block ADMIN, BAR 0: Admin queue: 64-byte commands in a submission ring, 16-byte completions with
 * a phase bit.
 */
#define VG810_ADMIN_BAR					0
#define VG810_REG_ASQ_BASE				0x0100
#define VG810_REG_ACQ_BASE				0x0108
#define VG810_REG_ADMIN_SIZE				0x0110
#define VG810_ADMIN_SIZE_ASQ_LOG2			0x0000000f
#define VG810_ADMIN_SIZE_ACQ_LOG2			0x00000f00
#define VG810_REG_ASQ_TAIL				0x0114
#define VG810_ASQ_TAIL_INDEX				0x0000ffff
#define VG810_REG_ASQ_HEAD				0x0118
#define VG810_ASQ_HEAD_INDEX				0x0000ffff
#define VG810_REG_ACQ_HEAD				0x011c
#define VG810_ACQ_HEAD_INDEX				0x0000ffff
#define VG810_REG_ADMIN_EQ				0x0120

/*
 * Block SELFTEST, BAR 0: Delayed-interrupt test: how a driver measures the path from card to
 * handler.
 */
#define VG810_SELFTEST_BAR				0
#define VG810_REG_IRQ_TEST_DELAY			0x0200
#define VG810_REG_IRQ_TEST_VECTOR			0x0204
#define VG810_REG_IRQ_TEST_WRITTEN			0x0208
#define VG810_REG_IRQ_TEST_RAISED			0x0210
#define VG810_REG_LOOPBACK				0x0218
#define VG810_LOOPBACK_ENABLE				0x00000001
#define VG810_REG_STAMP_DOORBELL			0x0220
#define VG810_REG_STAMP_FRAME_OUT			0x0228
#define VG810_REG_STAMP_FRAME_IN			0x0230
#define VG810_REG_STAMP_INTERRUPT			0x0238

/* Block PORT, BAR 0 */
#define VG810_PORT_BAR					0
#define VG810_REG_PORT_STATUS				0x0300
#define VG810_PORT_STATUS_LINK_UP			0x00000001
#define VG810_PORT_STATUS_REASON			0x0000ff00
#define VG810_REG_PORT_SPEED				0x0304
#define VG810_REG_PORT_MTU				0x0308
#define VG810_REG_LINK_DOWN_COUNT			0x030c
#define VG810_REG_MAC_ADDRESS				0x0310
#define VG810_REG_CURRENT_MAC				0x0318

/*
 * Block STATS, BAR 0: 64-bit counters; names follow RFC 2819 (RMON), RFC 3635 (EtherLike) and
 * ethtool's habits. Octets are counted with FCS.
 */
#define VG810_STATS_BAR					0
#define VG810_REG_TX_PACKETS				0x1000
#define VG810_REG_TX_BYTES				0x1008
#define VG810_REG_TX_MULTICAST				0x1010
#define VG810_REG_TX_BROADCAST				0x1018
#define VG810_REG_TX_ERRORS				0x1020
#define VG810_REG_TX_DROPPED_LINK_DOWN			0x1028
#define VG810_REG_TX_TSO_PACKETS			0x1030
#define VG810_REG_TX_64_BYTES				0x1038
#define VG810_REG_TX_65_TO_127_BYTES			0x1040
#define VG810_REG_TX_128_TO_255_BYTES			0x1048
#define VG810_REG_TX_256_TO_511_BYTES			0x1050
#define VG810_REG_TX_512_TO_1023_BYTES			0x1058
#define VG810_REG_TX_1024_TO_1518_BYTES			0x1060
#define VG810_REG_TX_OVER_1518_BYTES			0x1068
#define VG810_REG_RX_PACKETS				0x1100
#define VG810_REG_RX_BYTES				0x1108
#define VG810_REG_RX_MULTICAST				0x1110
#define VG810_REG_RX_BROADCAST				0x1118
#define VG810_REG_RX_CRC_ERRORS				0x1120
#define VG810_REG_RX_UNDERSIZE				0x1128
#define VG810_REG_RX_OVERSIZE				0x1130
#define VG810_REG_RX_FILTERED				0x1138
#define VG810_REG_RX_OUT_OF_BUFFER			0x1140
#define VG810_REG_RX_NO_QUEUE				0x1148
#define VG810_REG_RX_DMA_ERRORS				0x1150
#define VG810_REG_RX_CSUM_GOOD				0x1158
#define VG810_REG_RX_CSUM_BAD				0x1160
#define VG810_REG_RX_FIFO_DROPPED			0x1168
#define VG810_REG_RX_64_BYTES				0x1170
#define VG810_REG_RX_65_TO_127_BYTES			0x1178
#define VG810_REG_RX_128_TO_255_BYTES			0x1180
#define VG810_REG_RX_256_TO_511_BYTES			0x1188
#define VG810_REG_RX_512_TO_1023_BYTES			0x1190
#define VG810_REG_RX_1024_TO_1518_BYTES			0x1198
#define VG810_REG_RX_OVER_1518_BYTES			0x11a0
#define VG810_REG_INTERRUPTS				0x1200
#define VG810_REG_DMA_READS				0x1208
#define VG810_REG_DMA_WRITES				0x1210

/*
 * Block DOORBELL, BAR 2: One doorbell page; offsets repeat every 4 KiB. A queue accepts doorbells
 * only on the page that its creation named.
 */
#define VG810_DOORBELL_BAR				2
#define VG810_DOORBELL_STRIDE				4096
#define VG810_DOORBELL_COUNT				256
#define VG810_REG_DB_TX					0x0000
#define VG810_DB_TX_INDEX				0x0000ffff
#define VG810_DB_TX_QUEUE				0xffff0000
#define VG810_REG_DB_RX					0x0008
#define VG810_DB_RX_INDEX				0x0000ffff
#define VG810_DB_RX_QUEUE				0xffff0000
#define VG810_REG_DB_CQ					0x0010
#define VG810_DB_CQ_INDEX				0x0000000000ffffffULL
#define VG810_DB_CQ_ARM					0x0000000080000000ULL
#define VG810_DB_CQ_QUEUE				0xffffffff00000000ULL
#define VG810_REG_DB_EQ					0x0018
#define VG810_DB_EQ_INDEX				0x0000000000ffffffULL
#define VG810_DB_EQ_ARM					0x0000000080000000ULL
#define VG810_DB_EQ_QUEUE				0xffffffff00000000ULL

/* Every counter, for tables: X(name, offset). VG810_STATS_COUNT is their number. */
#define VG810_STATS_COUNT 38
#define VG810_STATS(X) \
	X(tx_packets, 0x1000) \
	X(tx_bytes, 0x1008) \
	X(tx_multicast, 0x1010) \
	X(tx_broadcast, 0x1018) \
	X(tx_errors, 0x1020) \
	X(tx_dropped_link_down, 0x1028) \
	X(tx_tso_packets, 0x1030) \
	X(tx_64_bytes, 0x1038) \
	X(tx_65_to_127_bytes, 0x1040) \
	X(tx_128_to_255_bytes, 0x1048) \
	X(tx_256_to_511_bytes, 0x1050) \
	X(tx_512_to_1023_bytes, 0x1058) \
	X(tx_1024_to_1518_bytes, 0x1060) \
	X(tx_over_1518_bytes, 0x1068) \
	X(rx_packets, 0x1100) \
	X(rx_bytes, 0x1108) \
	X(rx_multicast, 0x1110) \
	X(rx_broadcast, 0x1118) \
	X(rx_crc_errors, 0x1120) \
	X(rx_undersize, 0x1128) \
	X(rx_oversize, 0x1130) \
	X(rx_filtered, 0x1138) \
	X(rx_out_of_buffer, 0x1140) \
	X(rx_no_queue, 0x1148) \
	X(rx_dma_errors, 0x1150) \
	X(rx_csum_good, 0x1158) \
	X(rx_csum_bad, 0x1160) \
	X(rx_fifo_dropped, 0x1168) \
	X(rx_64_bytes, 0x1170) \
	X(rx_65_to_127_bytes, 0x1178) \
	X(rx_128_to_255_bytes, 0x1180) \
	X(rx_256_to_511_bytes, 0x1188) \
	X(rx_512_to_1023_bytes, 0x1190) \
	X(rx_1024_to_1518_bytes, 0x1198) \
	X(rx_over_1518_bytes, 0x11a0) \
	X(interrupts, 0x1200) \
	X(dma_reads, 0x1208) \
	X(dma_writes, 0x1210)

/*
 * Submission entry. What the shared fields do not say is in the parameter area, laid out by opcode.
 */
struct vg810_admin_command {
	__u8 opcode;
	__u8 flags;
	__le16 command_id;
	__le32 queue_id;
	__le64 buffer;
	__le32 buffer_bytes;
	__le32 param;
	__u8 ring_log2;
	__u8 pad25[1];
	__le16 vector;
	__le32 cq_id;
	__le32 eq_id;
	__le32 doorbell_page;
	__le32 moderation_ns;
	__le32 moderation_events;
	__le32 count;
	__u8 pad52[4];
	__le64 mac;
};

static_assert(sizeof(struct vg810_admin_command) == 64,
	      "struct vg810_admin_command is 64 bytes");

struct vg810_admin_completion {
	__le16 command_id;
	__u8 status;
	__u8 phase;
	__le32 asq_head;
	__le64 param;
};

static_assert(sizeof(struct vg810_admin_completion) == 16,
	      "struct vg810_admin_completion is 16 bytes");

/* Event queue entry. */
struct vg810_event {
	__u8 type;
	__u8 kind;
	__u8 pad2[1];
	__u8 phase;
	__le32 id;
	__le64 data;
};

static_assert(sizeof(struct vg810_event) == 16,
	      "struct vg810_event is 16 bytes");

/* CQ entry of TX and RX queues. */
struct vg810_completion {
	__le16 queue_id;
	__le16 index;
	__u8 status;
	__u8 flags;
	__u8 hash_type;
	__u8 descriptors;
	__le32 length;
	__le32 rss_hash;
	__le64 timestamp;
	__le16 vlan_tci;
	__u8 pad26[5];
	__u8 phase;
};

static_assert(sizeof(struct vg810_completion) == 32,
	      "struct vg810_completion is 32 bytes");

#define VG810_COMPLETION_FLAGS_RX			0x01
#define VG810_COMPLETION_FLAGS_L3_OK			0x02
#define VG810_COMPLETION_FLAGS_L4_OK			0x04
#define VG810_COMPLETION_FLAGS_CSUM_BAD			0x08
#define VG810_COMPLETION_FLAGS_VLAN_STRIPPED		0x10
#define VG810_COMPLETION_FLAGS_MULTICAST		0x20

/* A packet is one or more descriptors; offload fields count in the first only. */
struct vg810_tx_descriptor {
	__le64 address;
	__le32 length;
	__le16 flags;
	__le16 vlan_tci;
	__u8 l3_offset;
	__u8 l4_offset;
	__u8 checksum_offset;
	__u8 header_length;
	__le16 mss;
	__u8 segments;
	__u8 pad23[1];
	__le64 reserved;
};

static_assert(sizeof(struct vg810_tx_descriptor) == 32,
	      "struct vg810_tx_descriptor is 32 bytes");

#define VG810_TX_DESCRIPTOR_FLAGS_FIRST			0x0001
#define VG810_TX_DESCRIPTOR_FLAGS_LAST			0x0002
#define VG810_TX_DESCRIPTOR_FLAGS_COMPLETION		0x0004
#define VG810_TX_DESCRIPTOR_FLAGS_L4_CHECKSUM		0x0008
#define VG810_TX_DESCRIPTOR_FLAGS_L3_CHECKSUM		0x0010
#define VG810_TX_DESCRIPTOR_FLAGS_TSO			0x0020
#define VG810_TX_DESCRIPTOR_FLAGS_VLAN_INSERT		0x0040

struct vg810_rx_descriptor {
	__le64 address;
	__le32 length;
	__le32 reserved;
};

static_assert(sizeof(struct vg810_rx_descriptor) == 16,
	      "struct vg810_rx_descriptor is 16 bytes");

struct vg810_identify_data {
	__le32 max_tx_queues;
	__le32 max_rx_queues;
	__le32 max_cqs;
	__le32 max_eqs;
	__le32 max_ring_log2;
	__le32 max_mtu;
	__le32 max_filters;
	__le32 max_tx_segments;
	__le32 doorbell_pages;
	__le32 msix_vectors;
	__le32 rss_table_entries;
	__le32 rss_key_bytes;
	__le32 port_speed_mbps;
	__le32 firmware_version;
	__le64 serial_number;
	__le64 permanent_mac;
	__u8 pad72[56];
};

static_assert(sizeof(struct vg810_identify_data) == 128,
	      "struct vg810_identify_data is 128 bytes");

struct vg810_rss_config {
	__le32 enable;
	__le32 hash_types;
	__u8 key[40];
	__le16 table[128];
};

static_assert(sizeof(struct vg810_rss_config) == 304,
	      "struct vg810_rss_config is 304 bytes");

#define VG810_RSS_CONFIG_HASH_TYPES_IPV4		0x00000001
#define VG810_RSS_CONFIG_HASH_TYPES_IPV4_L4		0x00000002
#define VG810_RSS_CONFIG_HASH_TYPES_IPV6		0x00000004
#define VG810_RSS_CONFIG_HASH_TYPES_IPV6_L4		0x00000008

#endif /* VG810_REGS_H */
