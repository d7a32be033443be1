// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The harness: a small PCI function beside the card through which the steps of a scenario reach a guest, and
// their exit codes return, at exact times. And the records that the guest's agent writes to its second serial
// port. Plain C, read by the simulator (C++) and by the agent in the guest.
//
// BAR 0 is 4 KiB, little-endian, 32-bit registers. The agent's loop: HELLO once; then read STATE every
// millisecond. RUN: read STEP, the command (COMMAND_LENGTH bytes from COMMAND_TEXT) and TIMEOUT_MS, run it,
// write its output to the serial port, write RESULT. STATE is then WAIT until the next step.
#ifndef VG810_HARNESS_LAYOUT_H
#define VG810_HARNESS_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#define VG810_HARNESS_VENDOR_ID 0x1ecc
#define VG810_HARNESS_DEVICE_ID 0x81ff
#define VG810_HARNESS_CLASS 0xff0000 // unassigned class

#define VG810_HARNESS_BAR_SIZE 4096
#define VG810_HARNESS_MAGIC_VALUE 0x30313868u // "h810"
#define VG810_HARNESS_VERSION_VALUE 1u

enum vg810_harness_register {
    VG810_HARNESS_MAGIC = 0x00,          ///< RO
    VG810_HARNESS_VERSION = 0x04,        ///< RO
    VG810_HARNESS_STATE = 0x08,          ///< RO vg810_harness_state: what to do now
    VG810_HARNESS_STEP = 0x0c,           ///< RO number of the step, counted from 1
    VG810_HARNESS_COMMAND_LENGTH = 0x10, ///< RO bytes
    VG810_HARNESS_TIMEOUT_MS = 0x14,     ///< RO the step's limit on the guest's clock, 0: none
    VG810_HARNESS_WAIT_US = 0x18,        ///< RO how long to sleep between reads of STATE
    VG810_HARNESS_HELLO = 0x20,          ///< WO the agent is ready; value: its version
    VG810_HARNESS_RESULT = 0x24,         ///< WO the step is done; value: see below
    VG810_HARNESS_TIME = 0x28,           ///< RO the model's time, ns, low half
    VG810_HARNESS_TIME_HIGH = 0x2c,      ///< RO its high half as of the last read of TIME
    VG810_HARNESS_COMMAND_TEXT = 0x400,  ///< RO the command's bytes, no NUL
};
#define VG810_HARNESS_COMMAND_SIZE (VG810_HARNESS_BAR_SIZE - VG810_HARNESS_COMMAND_TEXT)

enum vg810_harness_state {
    VG810_HARNESS_WAIT = 0,
    VG810_HARNESS_RUN = 1,
    VG810_HARNESS_POWER_OFF = 2, ///< the agent ends; the guest's first process then powers off
};

// RESULT: exit code of the shell (0..255), 128 + signal if a signal ended it, or:
#define VG810_HARNESS_RESULT_TIMEOUT 0x100u // the limit passed; the step's processes were killed
#define VG810_HARNESS_RESULT_FAILED 0x101u  // the agent could not run it (no memory, no process)

// A record on the serial port: this head, little-endian, then `length` bytes. `crc` is the CRC-32 (IEEE
// 802.3) of the head with crc = 0, followed by the bytes. A reader that loses its place looks for the next
// magic with a good CRC.
#define VG810_RECORD_MAGIC 0x72383130u // "018r"
#define VG810_RECORD_MAX_LENGTH 4096u

enum vg810_record_kind {
    VG810_RECORD_HELLO = 1,     ///< no bytes
    VG810_RECORD_OUTPUT = 2,    ///< a piece of the step's stdout and stderr
    VG810_RECORD_EXIT = 3,      ///< 4 bytes: the value written to RESULT. The last record of a step
    VG810_RECORD_FILE_NAME = 4, ///< a file follows; its path
    VG810_RECORD_FILE_DATA = 5, ///< a piece of that file
    VG810_RECORD_FILE_END = 6,  ///< 4 bytes: 0, or the errno that kept the file from being read whole
};

struct vg810_record_head {
    uint32_t magic;
    uint32_t step;
    uint16_t kind;
    uint16_t length;
    uint32_t crc;
};
static_assert(sizeof(struct vg810_record_head) == 16, "no padding");

#endif
