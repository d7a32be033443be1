// SPDX-License-Identifier: Apache-2.0
// The register map of the vg810 card for the model: constants, enumerations, the table of all registers, field
// accessors, and views that read and write commands, descriptors and completions in place.
//
// Generated from model/regs/vg810.toml by model/regs/generate.py: change that file, not this one. Register and field
// names are spelled as in the manual (docs/registers.md).
#pragma once
// clang-format off
// NOLINTBEGIN(readability-identifier-naming)

#include "model/regs/fields.h"

namespace vg810::regs {

// PCI identity and interface version.
inline constexpr std::uint16_t vendor_id = 0x1ecc;
inline constexpr std::uint16_t device_id = 0x8102;
inline constexpr std::uint8_t subsystem_id = 0x1;
inline constexpr std::uint32_t class_code = 0x20000;
inline constexpr std::uint8_t revision = 0x1;
inline constexpr std::uint8_t interface_major = 0x1;
inline constexpr std::uint8_t interface_minor = 0x0;
/// Registers, MSI-X table and pending bits, each of the latter two on pages of its own.
inline constexpr std::uint32_t bar0_size = 0x20000;
inline constexpr bool bar0_prefetchable = false;
/// Doorbell pages of 4 KiB: page 0 is the kernel's, the others can be mapped into user processes one by one.
inline constexpr std::uint32_t bar2_size = 0x100000;
inline constexpr bool bar2_prefetchable = false;
inline constexpr std::uint32_t msix_vectors = 64;
inline constexpr std::uint8_t msix_table_bar = 0;
inline constexpr std::uint32_t msix_table_offset = 0x10000;
inline constexpr std::uint32_t msix_pba_offset = 0x18000;

// Constants and limits.
/// "G810" in ASCII, low byte first.
inline constexpr std::uint32_t magic_value = 0x30313847;
/// The value that RESET wants; any other write is ignored and counted as a bad access.
inline constexpr std::uint32_t reset_key = 0x52455345;
inline constexpr std::uint32_t doorbell_page_size = 4096;
inline constexpr std::uint32_t doorbell_pages = 256;
/// TX queues, and as many RX queues, a function.
inline constexpr std::uint32_t max_queues = 32;
inline constexpr std::uint32_t max_cqs = 128;
inline constexpr std::uint32_t max_eqs = 64;
/// 8192 entries: the largest TX, RX, CQ or EQ ring.
inline constexpr std::uint32_t max_ring_log2 = 13;
inline constexpr std::uint32_t min_ring_log2 = 4;
inline constexpr std::uint32_t max_admin_log2 = 8;
inline constexpr std::uint32_t max_mtu = 9600;
/// RFC 791: every module must forward 68 octets.
inline constexpr std::uint32_t min_mtu = 68;
/// Descriptors a packet: MAX_SKB_FRAGS + header + TSO slack.
inline constexpr std::uint32_t max_tx_segments = 20;
inline constexpr std::uint32_t max_tso_bytes = 65535;
inline constexpr std::uint32_t rss_key_bytes = 40;
inline constexpr std::uint32_t rss_table_entries = 128;
/// Unicast plus multicast addresses of a function, its own not counted.
inline constexpr std::uint32_t max_filters = 64;
/// From reset to STATUS.ready, at the most 10 times this.
inline constexpr std::uint32_t fw_ready_us = 100;
/// A driver may give up on a command after this time and reset the function.
inline constexpr std::uint32_t admin_timeout_ms = 500;

enum class admin_opcode : std::uint8_t {
    nop = 0,
    /// Writes an identify_data structure to `buffer`.
    identify = 1,
    create_eq = 16,
    destroy_eq = 17,
    create_cq = 18,
    destroy_cq = 19,
    create_txq = 20,
    destroy_txq = 21,
    create_rxq = 22,
    destroy_rxq = 23,
    /// Changes interrupt moderation.
    modify_eq = 24,
    /// Reads an rss_config structure from `buffer`.
    set_rss = 32,
    /// Reads `count` 8-byte addresses (6 used) from `buffer`; param bit 0 accepts every frame, bit 1 every
    /// multicast frame.
    set_rx_mode = 33,
    set_mac = 34,
    set_mtu = 35,
    /// Receive checksum, VLAN strip, as feature bits in param.
    set_offloads = 36,
    /// Enables or disables the port's transmitter; param bit 0.
    set_port = 37,
    /// Reads a 512-byte bitmap of 4096 VLAN ids from `buffer`; param bit 0 turns filtering on.
    set_vlan_filter = 38,
    /// Runs the built-in test; param of the completion is a bit mask of failed units.
    self_test = 48,
};

enum class admin_status : std::uint8_t {
    ok = 0,
    bad_opcode = 1,
    /// The completion's param is the byte offset of the offending field.
    bad_param = 2,
    bad_queue_id = 3,
    /// The object exists already or is still referred to.
    busy = 4,
    no_resource = 5,
    bad_state = 6,
    dma_error = 7,
    bad_alignment = 8,
    self_test_failed = 9,
};

enum class event_type : std::uint8_t {
    /// The CQ in `id` has entries and was armed.
    completion = 1,
    /// The admin completion ring has entries.
    admin = 2,
    /// The link changed; `data` is PORT_STATUS.
    port = 3,
    /// The queue in `id` stopped; `data` is a queue_error, `kind` a queue_kind.
    queue_error = 4,
    /// The delayed-interrupt test fired.
    self_test = 5,
};

enum class queue_kind : std::uint8_t {
    tx = 0,
    rx = 1,
    cq = 2,
};

/// Why the function failed, as in ERROR_CODE.
enum class fatal_error : std::uint8_t {
    none = 0,
    /// The admin submission ring could not be read.
    admin_read = 1,
    /// An admin completion or an event could not be written.
    admin_write = 2,
    /// A doorbell outside the admin ring.
    admin_doorbell = 3,
    /// A test asked for it.
    injected = 4,
};

enum class queue_error : std::uint8_t {
    none = 0,
    /// A descriptor, buffer or completion could not be read or written.
    dma = 1,
    bad_descriptor = 2,
    /// Index outside the ring, or more entries than the ring has.
    bad_doorbell = 3,
    cq_overflow = 4,
};

enum class completion_status : std::uint8_t {
    ok = 0,
    bad_descriptor = 1,
    dma_error = 2,
    /// TX: larger than the MTU allows. RX: larger than the posted buffers.
    too_long = 3,
    flushed = 4,
};

/// Why the link is down, as in PORT_STATUS.reason.
enum class link_reason : std::uint8_t {
    none = 0,
    admin_down = 1,
    no_module = 2,
    no_signal = 3,
    training = 4,
    rate_mismatch = 5,
    fault = 6,
};

/// What an RX completion's hash was computed over.
enum class rss_hash_type : std::uint8_t {
    none = 0,
    ipv4 = 1,
    ipv4_l4 = 2,
    ipv6 = 3,
    ipv6_l4 = 4,
};

/// Every register; the index of register_table.
enum class reg : std::uint16_t {
    MAGIC,
    INTERFACE_VERSION,
    HARDWARE_REVISION,
    FIRMWARE_VERSION,
    DEVICE_FEATURES,
    DRIVER_FEATURES,
    CONTROL,
    STATUS,
    RESET,
    ERROR_CODE,
    ERROR_STATUS,
    FUNCTION_INFO,
    CLOCK,
    SCRATCH,
    ASQ_BASE,
    ACQ_BASE,
    ADMIN_SIZE,
    ASQ_TAIL,
    ASQ_HEAD,
    ACQ_HEAD,
    ADMIN_EQ,
    IRQ_TEST_DELAY,
    IRQ_TEST_VECTOR,
    IRQ_TEST_WRITTEN,
    IRQ_TEST_RAISED,
    LOOPBACK,
    STAMP_DOORBELL,
    STAMP_FRAME_OUT,
    STAMP_FRAME_IN,
    STAMP_INTERRUPT,
    PORT_STATUS,
    PORT_SPEED,
    PORT_MTU,
    LINK_DOWN_COUNT,
    MAC_ADDRESS,
    CURRENT_MAC,
    tx_packets,
    tx_bytes,
    tx_multicast,
    tx_broadcast,
    tx_errors,
    tx_dropped_link_down,
    tx_tso_packets,
    tx_64_bytes,
    tx_65_to_127_bytes,
    tx_128_to_255_bytes,
    tx_256_to_511_bytes,
    tx_512_to_1023_bytes,
    tx_1024_to_1518_bytes,
    tx_over_1518_bytes,
    rx_packets,
    rx_bytes,
    rx_multicast,
    rx_broadcast,
    rx_crc_errors,
    rx_undersize,
    rx_oversize,
    rx_filtered,
    rx_out_of_buffer,
    rx_no_queue,
    rx_dma_errors,
    rx_csum_good,
    rx_csum_bad,
    rx_fifo_dropped,
    rx_64_bytes,
    rx_65_to_127_bytes,
    rx_128_to_255_bytes,
    rx_256_to_511_bytes,
    rx_512_to_1023_bytes,
    rx_1024_to_1518_bytes,
    rx_over_1518_bytes,
    interrupts,
    dma_reads,
    dma_writes,
    DB_TX,
    DB_RX,
    DB_CQ,
    DB_EQ,
};
inline constexpr std::size_t register_count = 78;

/// The counters, in the order of register_file's array of them.
enum class counter : std::uint16_t {
    tx_packets,
    tx_bytes,
    tx_multicast,
    tx_broadcast,
    /// Packets given up on: bad descriptor, DMA error, too long.
    tx_errors,
    tx_dropped_link_down,
    tx_tso_packets,
    tx_64_bytes,
    tx_65_to_127_bytes,
    tx_128_to_255_bytes,
    tx_256_to_511_bytes,
    tx_512_to_1023_bytes,
    tx_1024_to_1518_bytes,
    tx_over_1518_bytes,
    /// Good frames that arrived, before filtering.
    rx_packets,
    rx_bytes,
    rx_multicast,
    rx_broadcast,
    /// etherStatsCRCAlignErrors.
    rx_crc_errors,
    rx_undersize,
    /// Longer than MTU + headers.
    rx_oversize,
    /// Not for us: address or VLAN filter.
    rx_filtered,
    /// No RX descriptor posted.
    rx_out_of_buffer,
    /// No RX queue enabled.
    rx_no_queue,
    rx_dma_errors,
    rx_csum_good,
    rx_csum_bad,
    /// Receive buffer on the card full (PCIe slower than the wire).
    rx_fifo_dropped,
    rx_64_bytes,
    rx_65_to_127_bytes,
    rx_128_to_255_bytes,
    rx_256_to_511_bytes,
    rx_512_to_1023_bytes,
    rx_1024_to_1518_bytes,
    rx_over_1518_bytes,
    /// MSI-X messages sent.
    interrupts,
    /// Read requests, TLPs.
    dma_reads,
    /// Memory writes, TLPs.
    dma_writes,
};
inline constexpr std::size_t counter_count = 38;

/// Reads MAGIC_VALUE; all ones means that the function is gone.
struct MAGIC {
    static constexpr reg reg_id = reg::MAGIC;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x0;
};

/// A driver refuses another major version and ignores what a larger minor adds.
struct INTERFACE_VERSION {
    static constexpr reg reg_id = reg::INTERFACE_VERSION;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x4;
    using minor = field<std::uint32_t, 0, 16, std::uint32_t>;
    using major = field<std::uint32_t, 16, 16, std::uint32_t>;
};

struct HARDWARE_REVISION {
    static constexpr reg reg_id = reg::HARDWARE_REVISION;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x8;
};

struct FIRMWARE_VERSION {
    static constexpr reg reg_id = reg::FIRMWARE_VERSION;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0xc;
    using patch = field<std::uint32_t, 0, 16, std::uint32_t>;
    using minor = field<std::uint32_t, 16, 8, std::uint32_t>;
    using major = field<std::uint32_t, 24, 8, std::uint32_t>;
};

/// What the card offers.
struct DEVICE_FEATURES {
    static constexpr reg reg_id = reg::DEVICE_FEATURES;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x10;
    /// L4 checksum insertion.
    using tx_checksum = field<std::uint64_t, 0, 1, bool>;
    using rx_checksum = field<std::uint64_t, 1, 1, bool>;
    using tso = field<std::uint64_t, 2, 1, bool>;
    using rss = field<std::uint64_t, 3, 1, bool>;
    using vlan_insert = field<std::uint64_t, 4, 1, bool>;
    using vlan_strip = field<std::uint64_t, 5, 1, bool>;
    using vlan_filter = field<std::uint64_t, 6, 1, bool>;
    using moderation = field<std::uint64_t, 7, 1, bool>;
};

/// The subset of DEVICE_FEATURES that the driver will use; written before CONTROL.features_ok. Bits not
/// offered make features_ok fail.
struct DRIVER_FEATURES {
    static constexpr reg reg_id = reg::DRIVER_FEATURES;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x18;
};

struct CONTROL {
    static constexpr reg reg_id = reg::CONTROL;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x20;
    /// The driver has chosen; read back 1 when accepted.
    using features_ok = field<std::uint32_t, 0, 1, bool>;
    /// Admin queue on. Only after features_ok and with ring addresses set; read back 1 when accepted.
    using enable = field<std::uint32_t, 1, 1, bool>;
};

struct STATUS {
    static constexpr reg reg_id = reg::STATUS;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x24;
    /// Firmware has started; before this all but GENERAL reads 0.
    using ready = field<std::uint32_t, 0, 1, bool>;
    using reset_active = field<std::uint32_t, 1, 1, bool>;
    /// Fatal: see ERROR_CODE; only a reset helps.
    using failed = field<std::uint32_t, 2, 1, bool>;
};

/// RESET_KEY resets the function: queues gone, DMA stopped, filters and offloads back to their defaults.
struct RESET {
    static constexpr reg reg_id = reg::RESET;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x28;
};

/// Why STATUS.failed.
struct ERROR_CODE {
    static constexpr reg reg_id = reg::ERROR_CODE;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x2c;
    using code = field<std::uint32_t, 0, 8, fatal_error>;
};

struct ERROR_STATUS {
    static constexpr reg reg_id = reg::ERROR_STATUS;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x30;
    /// Absent register, wrong width or alignment, write to RO.
    using bad_access = field<std::uint32_t, 0, 1, bool>;
    /// Doorbell of a queue that does not exist or with an index outside its ring.
    using bad_doorbell = field<std::uint32_t, 1, 1, bool>;
    using dma_error = field<std::uint32_t, 2, 1, bool>;
};

/// Set by strapping.
struct FUNCTION_INFO {
    static constexpr reg reg_id = reg::FUNCTION_INFO;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x34;
    using port = field<std::uint32_t, 0, 8, std::uint32_t>;
    using ports = field<std::uint32_t, 8, 8, std::uint32_t>;
};

/// Free-running nanoseconds since the card's power-up.
struct CLOCK {
    static constexpr reg reg_id = reg::CLOCK;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x40;
};

/// Does nothing; for tests of the register path.
struct SCRATCH {
    static constexpr reg reg_id = reg::SCRATCH;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x48;
};

/// Bus address, 4 KiB aligned.
struct ASQ_BASE {
    static constexpr reg reg_id = reg::ASQ_BASE;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x100;
};

/// Bus address, 4 KiB aligned.
struct ACQ_BASE {
    static constexpr reg reg_id = reg::ACQ_BASE;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x108;
};

struct ADMIN_SIZE {
    static constexpr reg reg_id = reg::ADMIN_SIZE;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x110;
    /// 1 .. MAX_ADMIN_LOG2.
    using asq_log2 = field<std::uint32_t, 0, 4, std::uint32_t>;
    using acq_log2 = field<std::uint32_t, 8, 4, std::uint32_t>;
};

/// Doorbell: index one past the last command written, modulo ring size.
struct ASQ_TAIL {
    static constexpr reg reg_id = reg::ASQ_TAIL;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x114;
    using index = field<std::uint32_t, 0, 16, std::uint32_t>;
};

/// Commands the card has fetched, modulo ring size.
struct ASQ_HEAD {
    static constexpr reg reg_id = reg::ASQ_HEAD;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x118;
    using index = field<std::uint32_t, 0, 16, std::uint32_t>;
};

/// Doorbell: index one past the last completion read, modulo ring size.
struct ACQ_HEAD {
    static constexpr reg reg_id = reg::ACQ_HEAD;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x11c;
    using index = field<std::uint32_t, 0, 16, std::uint32_t>;
};

/// EQ that hears of admin completions, port events and queue errors; 0xffffffff for none (poll).
struct ADMIN_EQ {
    static constexpr reg reg_id = reg::ADMIN_EQ;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x120;
};

/// Writing N asks for IRQ_TEST_VECTOR to be raised N nanoseconds after the write. A write while one is
/// pending replaces it.
struct IRQ_TEST_DELAY {
    static constexpr reg reg_id = reg::IRQ_TEST_DELAY;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x200;
};

struct IRQ_TEST_VECTOR {
    static constexpr reg reg_id = reg::IRQ_TEST_VECTOR;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x204;
};

/// CLOCK at the last write of IRQ_TEST_DELAY.
struct IRQ_TEST_WRITTEN {
    static constexpr reg reg_id = reg::IRQ_TEST_WRITTEN;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x208;
};

/// CLOCK when the test interrupt left the card.
struct IRQ_TEST_RAISED {
    static constexpr reg reg_id = reg::IRQ_TEST_RAISED;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x210;
};

/// Transmitted frames return to the receiver instead of leaving, and the link reads up.
struct LOOPBACK {
    static constexpr reg reg_id = reg::LOOPBACK;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x218;
    using enable = field<std::uint32_t, 0, 1, bool>;
};

/// CLOCK when the last TX doorbell was seen.
struct STAMP_DOORBELL {
    static constexpr reg reg_id = reg::STAMP_DOORBELL;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x220;
};

/// CLOCK when the last frame's first bit left.
struct STAMP_FRAME_OUT {
    static constexpr reg reg_id = reg::STAMP_FRAME_OUT;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x228;
};

/// CLOCK when the last good frame was complete.
struct STAMP_FRAME_IN {
    static constexpr reg reg_id = reg::STAMP_FRAME_IN;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x230;
};

/// CLOCK when the last MSI-X message left.
struct STAMP_INTERRUPT {
    static constexpr reg reg_id = reg::STAMP_INTERRUPT;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x238;
};

struct PORT_STATUS {
    static constexpr reg reg_id = reg::PORT_STATUS;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x300;
    using link_up = field<std::uint32_t, 0, 1, bool>;
    using reason = field<std::uint32_t, 8, 8, link_reason>;
};

/// Mb/s, the rate of the port's profile.
struct PORT_SPEED {
    static constexpr reg reg_id = reg::PORT_SPEED;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x304;
};

/// In force; set by SET_MTU.
struct PORT_MTU {
    static constexpr reg reg_id = reg::PORT_MTU;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x308;
};

struct LINK_DOWN_COUNT {
    static constexpr reg reg_id = reg::LINK_DOWN_COUNT;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x30c;
};

/// Permanent address, first octet in bits 7:0.
struct MAC_ADDRESS {
    static constexpr reg reg_id = reg::MAC_ADDRESS;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x310;
};

struct CURRENT_MAC {
    static constexpr reg reg_id = reg::CURRENT_MAC;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x318;
};

struct tx_packets {
    static constexpr reg reg_id = reg::tx_packets;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1000;
};

struct tx_bytes {
    static constexpr reg reg_id = reg::tx_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1008;
};

struct tx_multicast {
    static constexpr reg reg_id = reg::tx_multicast;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1010;
};

struct tx_broadcast {
    static constexpr reg reg_id = reg::tx_broadcast;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1018;
};

/// Packets given up on: bad descriptor, DMA error, too long.
struct tx_errors {
    static constexpr reg reg_id = reg::tx_errors;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1020;
};

struct tx_dropped_link_down {
    static constexpr reg reg_id = reg::tx_dropped_link_down;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1028;
};

struct tx_tso_packets {
    static constexpr reg reg_id = reg::tx_tso_packets;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1030;
};

struct tx_64_bytes {
    static constexpr reg reg_id = reg::tx_64_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1038;
};

struct tx_65_to_127_bytes {
    static constexpr reg reg_id = reg::tx_65_to_127_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1040;
};

struct tx_128_to_255_bytes {
    static constexpr reg reg_id = reg::tx_128_to_255_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1048;
};

struct tx_256_to_511_bytes {
    static constexpr reg reg_id = reg::tx_256_to_511_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1050;
};

struct tx_512_to_1023_bytes {
    static constexpr reg reg_id = reg::tx_512_to_1023_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1058;
};

struct tx_1024_to_1518_bytes {
    static constexpr reg reg_id = reg::tx_1024_to_1518_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1060;
};

struct tx_over_1518_bytes {
    static constexpr reg reg_id = reg::tx_over_1518_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1068;
};

/// Good frames that arrived, before filtering.
struct rx_packets {
    static constexpr reg reg_id = reg::rx_packets;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1100;
};

struct rx_bytes {
    static constexpr reg reg_id = reg::rx_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1108;
};

struct rx_multicast {
    static constexpr reg reg_id = reg::rx_multicast;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1110;
};

struct rx_broadcast {
    static constexpr reg reg_id = reg::rx_broadcast;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1118;
};

/// etherStatsCRCAlignErrors.
struct rx_crc_errors {
    static constexpr reg reg_id = reg::rx_crc_errors;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1120;
};

struct rx_undersize {
    static constexpr reg reg_id = reg::rx_undersize;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1128;
};

/// Longer than MTU + headers.
struct rx_oversize {
    static constexpr reg reg_id = reg::rx_oversize;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1130;
};

/// Not for us: address or VLAN filter.
struct rx_filtered {
    static constexpr reg reg_id = reg::rx_filtered;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1138;
};

/// No RX descriptor posted.
struct rx_out_of_buffer {
    static constexpr reg reg_id = reg::rx_out_of_buffer;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1140;
};

/// No RX queue enabled.
struct rx_no_queue {
    static constexpr reg reg_id = reg::rx_no_queue;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1148;
};

struct rx_dma_errors {
    static constexpr reg reg_id = reg::rx_dma_errors;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1150;
};

struct rx_csum_good {
    static constexpr reg reg_id = reg::rx_csum_good;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1158;
};

struct rx_csum_bad {
    static constexpr reg reg_id = reg::rx_csum_bad;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1160;
};

/// Receive buffer on the card full (PCIe slower than the wire).
struct rx_fifo_dropped {
    static constexpr reg reg_id = reg::rx_fifo_dropped;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1168;
};

struct rx_64_bytes {
    static constexpr reg reg_id = reg::rx_64_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1170;
};

struct rx_65_to_127_bytes {
    static constexpr reg reg_id = reg::rx_65_to_127_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1178;
};

struct rx_128_to_255_bytes {
    static constexpr reg reg_id = reg::rx_128_to_255_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1180;
};

struct rx_256_to_511_bytes {
    static constexpr reg reg_id = reg::rx_256_to_511_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1188;
};

struct rx_512_to_1023_bytes {
    static constexpr reg reg_id = reg::rx_512_to_1023_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1190;
};

struct rx_1024_to_1518_bytes {
    static constexpr reg reg_id = reg::rx_1024_to_1518_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1198;
};

struct rx_over_1518_bytes {
    static constexpr reg reg_id = reg::rx_over_1518_bytes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x11a0;
};

/// MSI-X messages sent.
struct interrupts {
    static constexpr reg reg_id = reg::interrupts;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1200;
};

/// Read requests, TLPs.
struct dma_reads {
    static constexpr reg reg_id = reg::dma_reads;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1208;
};

/// Memory writes, TLPs.
struct dma_writes {
    static constexpr reg reg_id = reg::dma_writes;
    static constexpr std::uint8_t reg_bar = 0;
    static constexpr std::uint32_t reg_offset = 0x1210;
};

struct DB_TX {
    static constexpr reg reg_id = reg::DB_TX;
    static constexpr std::uint8_t reg_bar = 2;
    static constexpr std::uint32_t reg_offset = 0x0;
    /// Free-running producer index: one past the last descriptor written, modulo 65536.
    using index = field<std::uint32_t, 0, 16, std::uint32_t>;
    using queue = field<std::uint32_t, 16, 16, std::uint32_t>;
};

struct DB_RX {
    static constexpr reg reg_id = reg::DB_RX;
    static constexpr std::uint8_t reg_bar = 2;
    static constexpr std::uint32_t reg_offset = 0x8;
    using index = field<std::uint32_t, 0, 16, std::uint32_t>;
    using queue = field<std::uint32_t, 16, 16, std::uint32_t>;
};

/// Frees completions and, with arm, asks for one event when an entry at or after index exists.
struct DB_CQ {
    static constexpr reg reg_id = reg::DB_CQ;
    static constexpr std::uint8_t reg_bar = 2;
    static constexpr std::uint32_t reg_offset = 0x10;
    /// Free-running consumer index modulo 2^24.
    using index = field<std::uint64_t, 0, 24, std::uint64_t>;
    using arm = field<std::uint64_t, 31, 1, bool>;
    using queue = field<std::uint64_t, 32, 32, std::uint64_t>;
};

/// Frees events and, with arm, lets the EQ interrupt again.
struct DB_EQ {
    static constexpr reg reg_id = reg::DB_EQ;
    static constexpr std::uint8_t reg_bar = 2;
    static constexpr std::uint32_t reg_offset = 0x18;
    using index = field<std::uint64_t, 0, 24, std::uint64_t>;
    using arm = field<std::uint64_t, 31, 1, bool>;
    using queue = field<std::uint64_t, 32, 32, std::uint64_t>;
};

/// All registers in the order of reg. Slots, in register_file, begin with the counters.
inline constexpr std::array<register_info, register_count> register_table{{
    {"MAGIC", reg::MAGIC, 0, 4, access::read_only, true, 0x0, 0, 1, 38, 0x30313847, 0xffffffff},
    {"INTERFACE_VERSION", reg::INTERFACE_VERSION, 0, 4, access::read_only, true, 0x4, 0, 1, 39, 0x10000, 0xffffffff},
    {"HARDWARE_REVISION", reg::HARDWARE_REVISION, 0, 4, access::read_only, true, 0x8, 0, 1, 40, 0x1, 0xffffffff},
    {"FIRMWARE_VERSION", reg::FIRMWARE_VERSION, 0, 4, access::read_only, true, 0xc, 0, 1, 41, 0x1000000, 0xffffffff},
    {"DEVICE_FEATURES", reg::DEVICE_FEATURES, 0, 8, access::read_only, true, 0x10, 0, 1, 42, 0xff, 0xff},
    {"DRIVER_FEATURES", reg::DRIVER_FEATURES, 0, 8, access::read_write, true, 0x18, 0, 1, 43, 0x0, 0xffffffffffffffff},
    {"CONTROL", reg::CONTROL, 0, 4, access::read_write, true, 0x20, 0, 1, 44, 0x0, 0x3},
    {"STATUS", reg::STATUS, 0, 4, access::read_only, true, 0x24, 0, 1, 45, 0x0, 0x7},
    {"RESET", reg::RESET, 0, 4, access::write_only, true, 0x28, 0, 1, 46, 0x0, 0xffffffff},
    {"ERROR_CODE", reg::ERROR_CODE, 0, 4, access::read_only, true, 0x2c, 0, 1, 47, 0x0, 0xff},
    {"ERROR_STATUS", reg::ERROR_STATUS, 0, 4, access::write_one_to_clear, true, 0x30, 0, 1, 48, 0x0, 0x7},
    {"FUNCTION_INFO", reg::FUNCTION_INFO, 0, 4, access::read_only, true, 0x34, 0, 1, 49, 0x0, 0xffff},
    {"CLOCK", reg::CLOCK, 0, 8, access::read_only, true, 0x40, 0, 1, 50, 0x0, 0xffffffffffffffff},
    {"SCRATCH", reg::SCRATCH, 0, 4, access::read_write, true, 0x48, 0, 1, 51, 0x0, 0xffffffff},
    {"ASQ_BASE", reg::ASQ_BASE, 0, 8, access::read_write, false, 0x100, 0, 1, 52, 0x0, 0xffffffffffffffff},
    {"ACQ_BASE", reg::ACQ_BASE, 0, 8, access::read_write, false, 0x108, 0, 1, 53, 0x0, 0xffffffffffffffff},
    {"ADMIN_SIZE", reg::ADMIN_SIZE, 0, 4, access::read_write, false, 0x110, 0, 1, 54, 0x0, 0xf0f},
    {"ASQ_TAIL", reg::ASQ_TAIL, 0, 4, access::read_write, false, 0x114, 0, 1, 55, 0x0, 0xffff},
    {"ASQ_HEAD", reg::ASQ_HEAD, 0, 4, access::read_only, false, 0x118, 0, 1, 56, 0x0, 0xffff},
    {"ACQ_HEAD", reg::ACQ_HEAD, 0, 4, access::read_write, false, 0x11c, 0, 1, 57, 0x0, 0xffff},
    {"ADMIN_EQ", reg::ADMIN_EQ, 0, 4, access::read_write, false, 0x120, 0, 1, 58, 0xffffffff, 0xffffffff},
    {"IRQ_TEST_DELAY", reg::IRQ_TEST_DELAY, 0, 4, access::read_write, false, 0x200, 0, 1, 59, 0x0, 0xffffffff},
    {"IRQ_TEST_VECTOR", reg::IRQ_TEST_VECTOR, 0, 4, access::read_write, false, 0x204, 0, 1, 60, 0x0, 0xffffffff},
    {"IRQ_TEST_WRITTEN", reg::IRQ_TEST_WRITTEN, 0, 8, access::read_only, false, 0x208, 0, 1, 61, 0x0, 0xffffffffffffffff},
    {"IRQ_TEST_RAISED", reg::IRQ_TEST_RAISED, 0, 8, access::read_only, false, 0x210, 0, 1, 62, 0x0, 0xffffffffffffffff},
    {"LOOPBACK", reg::LOOPBACK, 0, 4, access::read_write, false, 0x218, 0, 1, 63, 0x0, 0x1},
    {"STAMP_DOORBELL", reg::STAMP_DOORBELL, 0, 8, access::read_only, false, 0x220, 0, 1, 64, 0x0, 0xffffffffffffffff},
    {"STAMP_FRAME_OUT", reg::STAMP_FRAME_OUT, 0, 8, access::read_only, false, 0x228, 0, 1, 65, 0x0, 0xffffffffffffffff},
    {"STAMP_FRAME_IN", reg::STAMP_FRAME_IN, 0, 8, access::read_only, false, 0x230, 0, 1, 66, 0x0, 0xffffffffffffffff},
    {"STAMP_INTERRUPT", reg::STAMP_INTERRUPT, 0, 8, access::read_only, false, 0x238, 0, 1, 67, 0x0, 0xffffffffffffffff},
    {"PORT_STATUS", reg::PORT_STATUS, 0, 4, access::read_only, false, 0x300, 0, 1, 68, 0x100, 0xff01},
    {"PORT_SPEED", reg::PORT_SPEED, 0, 4, access::read_only, false, 0x304, 0, 1, 69, 0x61a8, 0xffffffff},
    {"PORT_MTU", reg::PORT_MTU, 0, 4, access::read_only, false, 0x308, 0, 1, 70, 0x5dc, 0xffffffff},
    {"LINK_DOWN_COUNT", reg::LINK_DOWN_COUNT, 0, 4, access::read_only, false, 0x30c, 0, 1, 71, 0x0, 0xffffffff},
    {"MAC_ADDRESS", reg::MAC_ADDRESS, 0, 8, access::read_only, false, 0x310, 0, 1, 72, 0x0, 0xffffffffffffffff},
    {"CURRENT_MAC", reg::CURRENT_MAC, 0, 8, access::read_only, false, 0x318, 0, 1, 73, 0x0, 0xffffffffffffffff},
    {"tx_packets", reg::tx_packets, 0, 8, access::counter, false, 0x1000, 0, 1, 0, 0x0, 0xffffffffffffffff},
    {"tx_bytes", reg::tx_bytes, 0, 8, access::counter, false, 0x1008, 0, 1, 1, 0x0, 0xffffffffffffffff},
    {"tx_multicast", reg::tx_multicast, 0, 8, access::counter, false, 0x1010, 0, 1, 2, 0x0, 0xffffffffffffffff},
    {"tx_broadcast", reg::tx_broadcast, 0, 8, access::counter, false, 0x1018, 0, 1, 3, 0x0, 0xffffffffffffffff},
    {"tx_errors", reg::tx_errors, 0, 8, access::counter, false, 0x1020, 0, 1, 4, 0x0, 0xffffffffffffffff},
    {"tx_dropped_link_down", reg::tx_dropped_link_down, 0, 8, access::counter, false, 0x1028, 0, 1, 5, 0x0, 0xffffffffffffffff},
    {"tx_tso_packets", reg::tx_tso_packets, 0, 8, access::counter, false, 0x1030, 0, 1, 6, 0x0, 0xffffffffffffffff},
    {"tx_64_bytes", reg::tx_64_bytes, 0, 8, access::counter, false, 0x1038, 0, 1, 7, 0x0, 0xffffffffffffffff},
    {"tx_65_to_127_bytes", reg::tx_65_to_127_bytes, 0, 8, access::counter, false, 0x1040, 0, 1, 8, 0x0, 0xffffffffffffffff},
    {"tx_128_to_255_bytes", reg::tx_128_to_255_bytes, 0, 8, access::counter, false, 0x1048, 0, 1, 9, 0x0, 0xffffffffffffffff},
    {"tx_256_to_511_bytes", reg::tx_256_to_511_bytes, 0, 8, access::counter, false, 0x1050, 0, 1, 10, 0x0, 0xffffffffffffffff},
    {"tx_512_to_1023_bytes", reg::tx_512_to_1023_bytes, 0, 8, access::counter, false, 0x1058, 0, 1, 11, 0x0, 0xffffffffffffffff},
    {"tx_1024_to_1518_bytes", reg::tx_1024_to_1518_bytes, 0, 8, access::counter, false, 0x1060, 0, 1, 12, 0x0, 0xffffffffffffffff},
    {"tx_over_1518_bytes", reg::tx_over_1518_bytes, 0, 8, access::counter, false, 0x1068, 0, 1, 13, 0x0, 0xffffffffffffffff},
    {"rx_packets", reg::rx_packets, 0, 8, access::counter, false, 0x1100, 0, 1, 14, 0x0, 0xffffffffffffffff},
    {"rx_bytes", reg::rx_bytes, 0, 8, access::counter, false, 0x1108, 0, 1, 15, 0x0, 0xffffffffffffffff},
    {"rx_multicast", reg::rx_multicast, 0, 8, access::counter, false, 0x1110, 0, 1, 16, 0x0, 0xffffffffffffffff},
    {"rx_broadcast", reg::rx_broadcast, 0, 8, access::counter, false, 0x1118, 0, 1, 17, 0x0, 0xffffffffffffffff},
    {"rx_crc_errors", reg::rx_crc_errors, 0, 8, access::counter, false, 0x1120, 0, 1, 18, 0x0, 0xffffffffffffffff},
    {"rx_undersize", reg::rx_undersize, 0, 8, access::counter, false, 0x1128, 0, 1, 19, 0x0, 0xffffffffffffffff},
    {"rx_oversize", reg::rx_oversize, 0, 8, access::counter, false, 0x1130, 0, 1, 20, 0x0, 0xffffffffffffffff},
    {"rx_filtered", reg::rx_filtered, 0, 8, access::counter, false, 0x1138, 0, 1, 21, 0x0, 0xffffffffffffffff},
    {"rx_out_of_buffer", reg::rx_out_of_buffer, 0, 8, access::counter, false, 0x1140, 0, 1, 22, 0x0, 0xffffffffffffffff},
    {"rx_no_queue", reg::rx_no_queue, 0, 8, access::counter, false, 0x1148, 0, 1, 23, 0x0, 0xffffffffffffffff},
    {"rx_dma_errors", reg::rx_dma_errors, 0, 8, access::counter, false, 0x1150, 0, 1, 24, 0x0, 0xffffffffffffffff},
    {"rx_csum_good", reg::rx_csum_good, 0, 8, access::counter, false, 0x1158, 0, 1, 25, 0x0, 0xffffffffffffffff},
    {"rx_csum_bad", reg::rx_csum_bad, 0, 8, access::counter, false, 0x1160, 0, 1, 26, 0x0, 0xffffffffffffffff},
    {"rx_fifo_dropped", reg::rx_fifo_dropped, 0, 8, access::counter, false, 0x1168, 0, 1, 27, 0x0, 0xffffffffffffffff},
    {"rx_64_bytes", reg::rx_64_bytes, 0, 8, access::counter, false, 0x1170, 0, 1, 28, 0x0, 0xffffffffffffffff},
    {"rx_65_to_127_bytes", reg::rx_65_to_127_bytes, 0, 8, access::counter, false, 0x1178, 0, 1, 29, 0x0, 0xffffffffffffffff},
    {"rx_128_to_255_bytes", reg::rx_128_to_255_bytes, 0, 8, access::counter, false, 0x1180, 0, 1, 30, 0x0, 0xffffffffffffffff},
    {"rx_256_to_511_bytes", reg::rx_256_to_511_bytes, 0, 8, access::counter, false, 0x1188, 0, 1, 31, 0x0, 0xffffffffffffffff},
    {"rx_512_to_1023_bytes", reg::rx_512_to_1023_bytes, 0, 8, access::counter, false, 0x1190, 0, 1, 32, 0x0, 0xffffffffffffffff},
    {"rx_1024_to_1518_bytes", reg::rx_1024_to_1518_bytes, 0, 8, access::counter, false, 0x1198, 0, 1, 33, 0x0, 0xffffffffffffffff},
    {"rx_over_1518_bytes", reg::rx_over_1518_bytes, 0, 8, access::counter, false, 0x11a0, 0, 1, 34, 0x0, 0xffffffffffffffff},
    {"interrupts", reg::interrupts, 0, 8, access::counter, false, 0x1200, 0, 1, 35, 0x0, 0xffffffffffffffff},
    {"dma_reads", reg::dma_reads, 0, 8, access::counter, false, 0x1208, 0, 1, 36, 0x0, 0xffffffffffffffff},
    {"dma_writes", reg::dma_writes, 0, 8, access::counter, false, 0x1210, 0, 1, 37, 0x0, 0xffffffffffffffff},
    {"DB_TX", reg::DB_TX, 2, 4, access::write_only, false, 0x0, 4096, 256, 74, 0x0, 0xffffffff},
    {"DB_RX", reg::DB_RX, 2, 4, access::write_only, false, 0x8, 4096, 256, 330, 0x0, 0xffffffff},
    {"DB_CQ", reg::DB_CQ, 2, 8, access::write_only, false, 0x10, 4096, 256, 586, 0x0, 0xffffffff80ffffff},
    {"DB_EQ", reg::DB_EQ, 2, 8, access::write_only, false, 0x18, 4096, 256, 842, 0x0, 0xffffffff80ffffff},
}};
/// Values that a register_file holds: one a register and copy of it.
inline constexpr std::size_t slot_count = 1098;

/// Areas of the BARs that have registers, each with its part of the decoder's table.
inline constexpr std::array<register_window, 2> register_windows{{
    {0, 0x0, 0x1218, 0, 0x1218, 0},
    {2, 0x0, 0x100000, 4096, 0x20, 1158},
}};
inline constexpr auto decoder_table = make_decoder_table<1166>(register_table, register_windows);

/// The register of which `offset` (bytes) is a part, or null. Takes constant time.
constexpr const register_info* find(unsigned bar, std::uint64_t offset) {
    return find_register(register_table, register_windows, decoder_table, bar, offset);
}

constexpr const register_info& info(reg which) { return register_table[static_cast<std::size_t>(which)]; }

/// Submission entry. What the shared fields do not say is in the parameter area, laid out by opcode.
template <typename Byte>
class basic_admin_command_view {
  public:
    static constexpr std::size_t bytes = 64;
    explicit constexpr basic_admin_command_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr admin_opcode opcode() const {
        return static_cast<admin_opcode>(load_little_endian<std::uint8_t>(memory_ + 0));
    }
    constexpr void set_opcode(admin_opcode value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 0, static_cast<std::uint8_t>(value));
    }
    /// Must be 0.
    constexpr std::uint8_t flags() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 1));
    }
    constexpr void set_flags(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 1, static_cast<std::uint8_t>(value));
    }
    /// Returned in the completion.
    constexpr std::uint16_t command_id() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 2));
    }
    constexpr void set_command_id(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 2, static_cast<std::uint16_t>(value));
    }
    constexpr std::uint32_t queue_id() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 4));
    }
    constexpr void set_queue_id(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 4, static_cast<std::uint32_t>(value));
    }
    /// Bus address of a data structure or ring; rings are 4 KiB aligned.
    constexpr std::uint64_t buffer() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 8));
    }
    constexpr void set_buffer(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 8, static_cast<std::uint64_t>(value));
    }
    /// Size of the data structure at `buffer`.
    constexpr std::uint32_t buffer_bytes() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 16));
    }
    constexpr void set_buffer_bytes(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 16, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t param() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 20));
    }
    constexpr void set_param(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 20, static_cast<std::uint32_t>(value));
    }
    /// CREATE_*: log2 of the ring's entries.
    constexpr std::uint8_t ring_log2() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 24));
    }
    constexpr void set_ring_log2(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 24, static_cast<std::uint8_t>(value));
    }
    /// CREATE_EQ: MSI-X vector.
    constexpr std::uint16_t vector() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 26));
    }
    constexpr void set_vector(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 26, static_cast<std::uint16_t>(value));
    }
    /// CREATE_TXQ, CREATE_RXQ: where completions go.
    constexpr std::uint32_t cq_id() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 28));
    }
    constexpr void set_cq_id(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 28, static_cast<std::uint32_t>(value));
    }
    /// CREATE_CQ: where its events go.
    constexpr std::uint32_t eq_id() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 32));
    }
    constexpr void set_eq_id(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 32, static_cast<std::uint32_t>(value));
    }
    /// CREATE_*: the page whose doorbells act on it.
    constexpr std::uint32_t doorbell_page() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 36));
    }
    constexpr void set_doorbell_page(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 36, static_cast<std::uint32_t>(value));
    }
    /// CREATE_EQ, MODIFY_EQ: least time between two interrupts, ns; 0 for none, at most 10,000,000.
    constexpr std::uint32_t moderation_ns() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 40));
    }
    constexpr void set_moderation_ns(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 40, static_cast<std::uint32_t>(value));
    }
    /// CREATE_EQ, MODIFY_EQ: events that end the wait early; 0 for none.
    constexpr std::uint32_t moderation_events() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 44));
    }
    constexpr void set_moderation_events(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 44, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t count() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 48));
    }
    constexpr void set_count(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 48, static_cast<std::uint32_t>(value));
    }
    /// SET_MAC: first octet in bits 7:0.
    constexpr std::uint64_t mac() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 56));
    }
    constexpr void set_mac(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 56, static_cast<std::uint64_t>(value));
    }

  private:
    Byte* memory_;
};
using admin_command_view = basic_admin_command_view<std::byte>;
using admin_command_const_view = basic_admin_command_view<const std::byte>;

template <typename Byte>
class basic_admin_completion_view {
  public:
    static constexpr std::size_t bytes = 16;
    explicit constexpr basic_admin_completion_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr std::uint16_t command_id() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 0));
    }
    constexpr void set_command_id(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 0, static_cast<std::uint16_t>(value));
    }
    constexpr admin_status status() const {
        return static_cast<admin_status>(load_little_endian<std::uint8_t>(memory_ + 2));
    }
    constexpr void set_status(admin_status value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 2, static_cast<std::uint8_t>(value));
    }
    /// 1 in the first pass over the ring, then 0, and so on.
    constexpr std::uint8_t phase() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 3));
    }
    constexpr void set_phase(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 3, static_cast<std::uint8_t>(value));
    }
    constexpr std::uint32_t asq_head() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 4));
    }
    constexpr void set_asq_head(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 4, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint64_t param() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 8));
    }
    constexpr void set_param(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 8, static_cast<std::uint64_t>(value));
    }

  private:
    Byte* memory_;
};
using admin_completion_view = basic_admin_completion_view<std::byte>;
using admin_completion_const_view = basic_admin_completion_view<const std::byte>;

/// Event queue entry.
template <typename Byte>
class basic_event_view {
  public:
    static constexpr std::size_t bytes = 16;
    explicit constexpr basic_event_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr event_type type() const {
        return static_cast<event_type>(load_little_endian<std::uint8_t>(memory_ + 0));
    }
    constexpr void set_type(event_type value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 0, static_cast<std::uint8_t>(value));
    }
    /// QUEUE_ERROR only; 0 otherwise.
    constexpr queue_kind kind() const {
        return static_cast<queue_kind>(load_little_endian<std::uint8_t>(memory_ + 1));
    }
    constexpr void set_kind(queue_kind value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 1, static_cast<std::uint8_t>(value));
    }
    /// As in admin_completion. Written last.
    constexpr std::uint8_t phase() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 3));
    }
    constexpr void set_phase(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 3, static_cast<std::uint8_t>(value));
    }
    constexpr std::uint32_t id() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 4));
    }
    constexpr void set_id(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 4, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint64_t data() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 8));
    }
    constexpr void set_data(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 8, static_cast<std::uint64_t>(value));
    }

  private:
    Byte* memory_;
};
using event_view = basic_event_view<std::byte>;
using event_const_view = basic_event_view<const std::byte>;

/// CQ entry of TX and RX queues.
template <typename Byte>
class basic_completion_view {
  public:
    static constexpr std::size_t bytes = 32;
    explicit constexpr basic_completion_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr std::uint16_t queue_id() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 0));
    }
    constexpr void set_queue_id(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 0, static_cast<std::uint16_t>(value));
    }
    /// TX: free-running index of the packet's last descriptor. RX: of the descriptor used first.
    constexpr std::uint16_t index() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 2));
    }
    constexpr void set_index(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 2, static_cast<std::uint16_t>(value));
    }
    constexpr completion_status status() const {
        return static_cast<completion_status>(load_little_endian<std::uint8_t>(memory_ + 4));
    }
    constexpr void set_status(completion_status value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 4, static_cast<std::uint8_t>(value));
    }
    constexpr std::uint8_t flags() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 5));
    }
    constexpr void set_flags(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 5, static_cast<std::uint8_t>(value));
    }
    constexpr rss_hash_type hash_type() const {
        return static_cast<rss_hash_type>(load_little_endian<std::uint8_t>(memory_ + 6));
    }
    constexpr void set_hash_type(rss_hash_type value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 6, static_cast<std::uint8_t>(value));
    }
    /// Descriptors this completion frees.
    constexpr std::uint8_t descriptors() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 7));
    }
    constexpr void set_descriptors(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 7, static_cast<std::uint8_t>(value));
    }
    /// RX: octets written, without FCS.
    constexpr std::uint32_t length() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 8));
    }
    constexpr void set_length(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 8, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t rss_hash() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 12));
    }
    constexpr void set_rss_hash(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 12, static_cast<std::uint32_t>(value));
    }
    /// CLOCK when the frame's last bit left or came in.
    constexpr std::uint64_t timestamp() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 16));
    }
    constexpr void set_timestamp(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 16, static_cast<std::uint64_t>(value));
    }
    /// The stripped tag; see vlan_stripped.
    constexpr std::uint16_t vlan_tci() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 24));
    }
    constexpr void set_vlan_tci(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 24, static_cast<std::uint16_t>(value));
    }
    /// As in admin_completion. Written last.
    constexpr std::uint8_t phase() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 31));
    }
    constexpr void set_phase(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 31, static_cast<std::uint8_t>(value));
    }

  private:
    Byte* memory_;
};
using completion_view = basic_completion_view<std::byte>;
using completion_const_view = basic_completion_view<const std::byte>;

/// Fields of completion.flags.
struct completion_flags {
    using rx = field<std::uint8_t, 0, 1, bool>;
    /// IPv4 header checksum checked and right.
    using l3_ok = field<std::uint8_t, 1, 1, bool>;
    /// TCP or UDP checksum checked and right.
    using l4_ok = field<std::uint8_t, 2, 1, bool>;
    /// A checked checksum was wrong.
    using csum_bad = field<std::uint8_t, 3, 1, bool>;
    using vlan_stripped = field<std::uint8_t, 4, 1, bool>;
    using multicast = field<std::uint8_t, 5, 1, bool>;
};

/// A packet is one or more descriptors; offload fields count in the first only.
template <typename Byte>
class basic_tx_descriptor_view {
  public:
    static constexpr std::size_t bytes = 32;
    explicit constexpr basic_tx_descriptor_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr std::uint64_t address() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 0));
    }
    constexpr void set_address(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 0, static_cast<std::uint64_t>(value));
    }
    /// 1 .. 65535 octets.
    constexpr std::uint32_t length() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 8));
    }
    constexpr void set_length(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 8, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint16_t flags() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 12));
    }
    constexpr void set_flags(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 12, static_cast<std::uint16_t>(value));
    }
    constexpr std::uint16_t vlan_tci() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 14));
    }
    constexpr void set_vlan_tci(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 14, static_cast<std::uint16_t>(value));
    }
    /// Octets from the frame's start to the IP header.
    constexpr std::uint8_t l3_offset() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 16));
    }
    constexpr void set_l3_offset(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 16, static_cast<std::uint8_t>(value));
    }
    constexpr std::uint8_t l4_offset() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 17));
    }
    constexpr void set_l4_offset(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 17, static_cast<std::uint8_t>(value));
    }
    /// From the L4 header to its checksum field: 16 TCP, 6 UDP.
    constexpr std::uint8_t checksum_offset() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 18));
    }
    constexpr void set_checksum_offset(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 18, static_cast<std::uint8_t>(value));
    }
    /// TSO: octets of headers to repeat.
    constexpr std::uint8_t header_length() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 19));
    }
    constexpr void set_header_length(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 19, static_cast<std::uint8_t>(value));
    }
    /// TSO: payload octets a segment.
    constexpr std::uint16_t mss() const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 20));
    }
    constexpr void set_mss(std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 20, static_cast<std::uint16_t>(value));
    }
    /// Descriptors of this packet, 1 .. MAX_TX_SEGMENTS.
    constexpr std::uint8_t segments() const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 22));
    }
    constexpr void set_segments(std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 22, static_cast<std::uint8_t>(value));
    }
    /// Must be 0.
    constexpr std::uint64_t reserved() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 24));
    }
    constexpr void set_reserved(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 24, static_cast<std::uint64_t>(value));
    }

  private:
    Byte* memory_;
};
using tx_descriptor_view = basic_tx_descriptor_view<std::byte>;
using tx_descriptor_const_view = basic_tx_descriptor_view<const std::byte>;

/// Fields of tx_descriptor.flags.
struct tx_descriptor_flags {
    using first = field<std::uint16_t, 0, 1, bool>;
    using last = field<std::uint16_t, 1, 1, bool>;
    /// Write a completion when done (on the last descriptor).
    using completion = field<std::uint16_t, 2, 1, bool>;
    /// Insert the TCP or UDP checksum; the field holds the pseudo-header's sum.
    using l4_checksum = field<std::uint16_t, 3, 1, bool>;
    using l3_checksum = field<std::uint16_t, 4, 1, bool>;
    using tso = field<std::uint16_t, 5, 1, bool>;
    using vlan_insert = field<std::uint16_t, 6, 1, bool>;
};

template <typename Byte>
class basic_rx_descriptor_view {
  public:
    static constexpr std::size_t bytes = 16;
    explicit constexpr basic_rx_descriptor_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr std::uint64_t address() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 0));
    }
    constexpr void set_address(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 0, static_cast<std::uint64_t>(value));
    }
    /// 1 .. 65535 octets. A frame longer than one buffer takes the next ones too.
    constexpr std::uint32_t length() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 8));
    }
    constexpr void set_length(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 8, static_cast<std::uint32_t>(value));
    }
    /// Must be 0.
    constexpr std::uint32_t reserved() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 12));
    }
    constexpr void set_reserved(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 12, static_cast<std::uint32_t>(value));
    }

  private:
    Byte* memory_;
};
using rx_descriptor_view = basic_rx_descriptor_view<std::byte>;
using rx_descriptor_const_view = basic_rx_descriptor_view<const std::byte>;

template <typename Byte>
class basic_identify_data_view {
  public:
    static constexpr std::size_t bytes = 128;
    explicit constexpr basic_identify_data_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    constexpr std::uint32_t max_tx_queues() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 0));
    }
    constexpr void set_max_tx_queues(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 0, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_rx_queues() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 4));
    }
    constexpr void set_max_rx_queues(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 4, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_cqs() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 8));
    }
    constexpr void set_max_cqs(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 8, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_eqs() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 12));
    }
    constexpr void set_max_eqs(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 12, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_ring_log2() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 16));
    }
    constexpr void set_max_ring_log2(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 16, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_mtu() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 20));
    }
    constexpr void set_max_mtu(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 20, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_filters() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 24));
    }
    constexpr void set_max_filters(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 24, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t max_tx_segments() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 28));
    }
    constexpr void set_max_tx_segments(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 28, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t doorbell_pages() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 32));
    }
    constexpr void set_doorbell_pages(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 32, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t msix_vectors() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 36));
    }
    constexpr void set_msix_vectors(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 36, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t rss_table_entries() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 40));
    }
    constexpr void set_rss_table_entries(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 40, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t rss_key_bytes() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 44));
    }
    constexpr void set_rss_key_bytes(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 44, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t port_speed_mbps() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 48));
    }
    constexpr void set_port_speed_mbps(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 48, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t firmware_version() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 52));
    }
    constexpr void set_firmware_version(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 52, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint64_t serial_number() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 56));
    }
    constexpr void set_serial_number(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 56, static_cast<std::uint64_t>(value));
    }
    constexpr std::uint64_t permanent_mac() const {
        return static_cast<std::uint64_t>(load_little_endian<std::uint64_t>(memory_ + 64));
    }
    constexpr void set_permanent_mac(std::uint64_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint64_t>(memory_ + 64, static_cast<std::uint64_t>(value));
    }

  private:
    Byte* memory_;
};
using identify_data_view = basic_identify_data_view<std::byte>;
using identify_data_const_view = basic_identify_data_view<const std::byte>;

template <typename Byte>
class basic_rss_config_view {
  public:
    static constexpr std::size_t bytes = 304;
    explicit constexpr basic_rss_config_view(std::span<Byte, bytes> memory) : memory_(memory.data()) {}
    /// 0: everything to the first table entry's queue.
    constexpr std::uint32_t enable() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 0));
    }
    constexpr void set_enable(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 0, static_cast<std::uint32_t>(value));
    }
    constexpr std::uint32_t hash_types() const {
        return static_cast<std::uint32_t>(load_little_endian<std::uint32_t>(memory_ + 4));
    }
    constexpr void set_hash_types(std::uint32_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint32_t>(memory_ + 4, static_cast<std::uint32_t>(value));
    }
    static constexpr std::size_t key_count = 40;
    constexpr std::uint8_t key(std::size_t index) const {
        return static_cast<std::uint8_t>(load_little_endian<std::uint8_t>(memory_ + 8 + index * 1));
    }
    constexpr void set_key(std::size_t index, std::uint8_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint8_t>(memory_ + 8 + index * 1, static_cast<std::uint8_t>(value));
    }
    /// RX queue ids.
    static constexpr std::size_t table_count = 128;
    constexpr std::uint16_t table(std::size_t index) const {
        return static_cast<std::uint16_t>(load_little_endian<std::uint16_t>(memory_ + 48 + index * 2));
    }
    constexpr void set_table(std::size_t index, std::uint16_t value) const
        requires(!std::is_const_v<Byte>)
    {
        store_little_endian<std::uint16_t>(memory_ + 48 + index * 2, static_cast<std::uint16_t>(value));
    }

  private:
    Byte* memory_;
};
using rss_config_view = basic_rss_config_view<std::byte>;
using rss_config_const_view = basic_rss_config_view<const std::byte>;

/// Fields of rss_config.hash_types.
struct rss_config_hash_types {
    using ipv4 = field<std::uint32_t, 0, 1, bool>;
    using ipv4_l4 = field<std::uint32_t, 1, 1, bool>;
    using ipv6 = field<std::uint32_t, 2, 1, bool>;
    using ipv6_l4 = field<std::uint32_t, 3, 1, bool>;
};

} // namespace vg810::regs

// NOLINTEND(readability-identifier-naming)
