// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The page of shared memory through which the simulator and the time-sync plugin inside one QEMU talk. Plain
// C, read by both sides; every `sequence` is a futex word that its writer increments after the fields it
// announces are in place.
//
// Two conversations, each strictly question and answer:
//   stop     The plugin stops the guest, reports and waits. The simulator commands: deliver (and report
//   again) or grant. question The guest's vCPU waits in an access to the card; the simulator asks for the
//   exact time and may cut the
//            running grant short.
#ifndef VG810_SYNC_LAYOUT_H
#define VG810_SYNC_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define VG810_SYNC_MAGIC 0x30313876u // "v810"
#define VG810_SYNC_VERSION 2u
#define VG810_SYNC_NEVER INT64_MAX
#define VG810_SYNC_NO_CUT INT64_MIN
#define VG810_SYNC_ERROR_SIZE 512

enum vg810_sync_phase {
    VG810_SYNC_STARTING = 0, ///< the guest has not executed anything
    VG810_SYNC_STOPPED = 1,  ///< the plugin waits for a command
    VG810_SYNC_RUNNING = 2,  ///< the guest executes under a grant
    VG810_SYNC_EXITED = 3,   ///< QEMU is on its way out
    VG810_SYNC_FAILED = 4,   ///< the plugin cannot work; `error` says why
};

enum vg810_sync_command {
    VG810_SYNC_GRANT = 1,   ///< run, stop at until_ns
    VG810_SYNC_DELIVER = 2, ///< take pending interrupts from their eventfds, report again
};

struct vg810_sync_stop { // written by the plugin
    uint32_t sequence;
    uint32_t phase;
    int64_t now_ns;        ///< the guest's virtual clock
    int64_t next_timer_ns; ///< the next deadline of that clock other than the grant, or VG810_SYNC_NEVER
    uint32_t halted;       ///< the vCPU sleeps: it does nothing before next_timer_ns unless interrupted
    uint32_t reserved;
    uint8_t padding[32];
};

struct vg810_sync_order { // written by the simulator
    uint32_t sequence;
    uint32_t command;
    int64_t until_ns;
    uint8_t padding[48];
};

struct vg810_sync_question { // written by the simulator
    uint32_t sequence;
    uint32_t reserved;
    int64_t cut_ns; ///< stop at this time at the latest, or VG810_SYNC_NO_CUT
    uint8_t padding[48];
};

struct vg810_sync_answer { // written by the plugin
    uint32_t sequence;     ///< follows the question's
    uint32_t reserved;
    int64_t now_ns;
    uint8_t padding[48];
};

struct vg810_sync_page {
    uint32_t magic; ///< written by the simulator, with version and size
    uint32_t version;
    uint32_t size;
    uint32_t plugin_api;  ///< the plugin's: version of QEMU's plugin interface in use
    uint32_t inline_time; ///< the plugin's: 1 if it sees the accesses themselves (see above)
    uint8_t padding[44];
    struct vg810_sync_stop stop;
    struct vg810_sync_order order;
    struct vg810_sync_question question;
    struct vg810_sync_answer answer;
    char error[VG810_SYNC_ERROR_SIZE]; ///< NUL-terminated, valid when phase is FAILED
};

static_assert(sizeof(struct vg810_sync_stop) == 64, "one cache line");
static_assert(sizeof(struct vg810_sync_order) == 64, "one cache line");
static_assert(sizeof(struct vg810_sync_question) == 64, "one cache line");
static_assert(sizeof(struct vg810_sync_answer) == 64, "one cache line");
static_assert(offsetof(struct vg810_sync_page, stop) == 64, "layout version 2");
static_assert(offsetof(struct vg810_sync_page, error) == 320, "layout version 2");
static_assert(sizeof(struct vg810_sync_page) == 832, "layout version 2");

#endif
