// SPDX-License-Identifier: Apache-2.0
// The messages of the vfio-user protocol, version 0.x, as published in QEMU's docs/interop/vfio-user.rst:
// host byte order, a 16-byte header, then a payload by command. Only what a server of one PCI function meets.
#pragma once

#include <cstdint>

namespace vg810::qemu::vfio_user {

enum class command : std::uint16_t {
    version = 1,
    dma_map = 2,
    dma_unmap = 3,
    device_get_info = 4,
    device_get_region_info = 5,
    device_get_region_io_fds = 6,
    device_get_irq_info = 7,
    device_set_irqs = 8,
    region_read = 9,
    region_write = 10,
    dma_read = 11,
    dma_write = 12,
    device_reset = 13,
    region_write_multi = 15,
    device_feature = 16,
    mig_data_read = 17,
    mig_data_write = 18,
};

struct header {
    std::uint16_t id;
    std::uint16_t command;
    std::uint32_t size; ///< of the whole message, header included
    std::uint32_t flags;
    std::uint32_t error; ///< errno, valid in a reply with `flag_error`
};
static_assert(sizeof(header) == 16);

inline constexpr std::uint32_t type_mask = 0xf;
inline constexpr std::uint32_t type_command = 0x0;
inline constexpr std::uint32_t type_reply = 0x1;
inline constexpr std::uint32_t flag_no_reply = 0x10;
inline constexpr std::uint32_t flag_error = 0x20;

struct version_payload {
    std::uint16_t major;
    std::uint16_t minor;
    // then JSON, NUL-terminated, optional
};
static_assert(sizeof(version_payload) == 4);

struct dma_map_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint64_t offset; ///< into the file that comes with the message
    std::uint64_t address;
    std::uint64_t size;
};
static_assert(sizeof(dma_map_payload) == 32);
inline constexpr std::uint32_t dma_readable = 0x1;
inline constexpr std::uint32_t dma_writable = 0x2;

struct dma_unmap_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint64_t address;
    std::uint64_t size;
};
static_assert(sizeof(dma_unmap_payload) == 24);
inline constexpr std::uint32_t dma_unmap_all = 0x2; // VFIO_DMA_UNMAP_FLAG_ALL, <linux/vfio.h>

struct device_info_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint32_t regions;
    std::uint32_t irqs;
};
static_assert(sizeof(device_info_payload) == 16);
inline constexpr std::uint32_t device_resettable = 0x1;
inline constexpr std::uint32_t device_is_pci = 0x2;

struct region_info_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint32_t index;
    std::uint32_t cap_offset;
    std::uint64_t size;
    std::uint64_t offset;
};
static_assert(sizeof(region_info_payload) == 32);
inline constexpr std::uint32_t region_readable = 0x1;
inline constexpr std::uint32_t region_writable = 0x2;

// Region and interrupt indices of a PCI device, <linux/vfio.h>.
inline constexpr std::uint32_t first_bar_region = 0;
inline constexpr std::uint32_t last_bar_region = 5;
inline constexpr std::uint32_t rom_region = 6;
inline constexpr std::uint32_t config_region = 7;
inline constexpr std::uint32_t vga_region = 8;
inline constexpr std::uint32_t region_count = 9;

inline constexpr std::uint32_t msix_irq = 2;
inline constexpr std::uint32_t irq_type_count = 5;

struct irq_info_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint32_t index;
    std::uint32_t count;
};
static_assert(sizeof(irq_info_payload) == 16);
inline constexpr std::uint32_t irq_eventfd = 0x1;
inline constexpr std::uint32_t irq_no_resize = 0x8;

struct set_irqs_payload {
    std::uint32_t argsz;
    std::uint32_t flags;
    std::uint32_t index;
    std::uint32_t start;
    std::uint32_t count;
    // then one byte per interrupt with `irq_data_bool`
};
static_assert(sizeof(set_irqs_payload) == 20);
inline constexpr std::uint32_t irq_data_none = 0x1;
inline constexpr std::uint32_t irq_data_bool = 0x2;
inline constexpr std::uint32_t irq_data_eventfd = 0x4;
inline constexpr std::uint32_t irq_data_mask = 0x7;
inline constexpr std::uint32_t irq_action_mask = 0x8;
inline constexpr std::uint32_t irq_action_unmask = 0x10;
inline constexpr std::uint32_t irq_action_trigger = 0x20;
inline constexpr std::uint32_t irq_actions = 0x38;

struct region_access_payload {
    std::uint64_t offset;
    std::uint32_t region;
    std::uint32_t count;
    // then `count` bytes in a write and in the reply to a read
};
static_assert(sizeof(region_access_payload) == 16);

/// Largest `count` of one region access that this server takes, and most descriptors in one message.
inline constexpr std::uint32_t max_data_transfer = 64 * 1024;
inline constexpr unsigned max_message_fds = 16;
inline constexpr std::uint32_t max_message_size =
    sizeof(header) + sizeof(region_access_payload) + max_data_transfer;

} // namespace vg810::qemu::vfio_user
