/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vg810 network card: what the parts of the driver share.
 *
 * The core (vg810_main, vg810_admin, vg810_eq, vg810_irqtest) owns the PCI function, the admin
 * queue, event queues and resets and knows nothing of networking; the network device
 * (vg810_netdev, vg810_pair, vg810_tx, vg810_rx, vg810_ethtool, ...) is one user of it.
 */
#ifndef VG810_H
#define VG810_H

#include <linux/bitfield.h>
#include <linux/completion.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "vg810_regs.h"

#define VG810_DRIVER_NAME	"vg810"

/* Ids the driver gives to its objects: EQ 0 and vector 0 are the admin's, pair i uses i + 1. */
#define VG810_ADMIN_EQ_ID	0
#define VG810_ADMIN_VECTOR	0
#define VG810_KERNEL_DB_PAGE	0
#define VG810_NO_EQ		0xffffffffu

enum vg810_state {
	VG810_STATE_ADMIN_UP,	/* the admin queue takes commands */
	VG810_STATE_NO_RESET,	/* someone else drives the function: no resets of our own */
};

/* An event queue in host memory. */
struct vg810_eq {
	struct vg810_event *ring;
	dma_addr_t dma;
	u32 id;
	u32 ci;			/* free-running consumer index */
	u8 log2;
};

/* A completion queue in host memory. */
struct vg810_cq {
	struct vg810_completion *ring;
	dma_addr_t dma;
	u32 id;
	u32 ci;			/* free-running consumer index */
	u32 freed;		/* what the card has been told of ci */
	u32 armed_at;		/* ci at the last arm: an event is on its way once ci differs */
	u8 log2;
};

/**
 * struct vg810_admin_request - one admin command and what goes with it
 * @cmd: the command; command_id, buffer and buffer_bytes are filled in when it is sent
 * @in: data that the card reads, or NULL
 * @in_bytes: its size, at most VG810_ADMIN_BUFFER_BYTES
 * @out: where data that the card writes goes, or NULL
 * @out_bytes: its size, at most VG810_ADMIN_BUFFER_BYTES
 * @status: the completion's status, an admin_status
 * @param: the completion's param
 */
struct vg810_admin_request {
	struct vg810_admin_command cmd;
	const void *in;
	size_t in_bytes;
	void *out;
	size_t out_bytes;
	u8 status;
	u64 param;
};

#define VG810_ADMIN_BUFFER_BYTES	4096

struct vg810_admin {
	struct mutex lock;	/* one command at a time; also guards a halt of the function */
	struct vg810_admin_command *asq;
	struct vg810_admin_completion *acq;
	void *buffer;
	dma_addr_t asq_dma;
	dma_addr_t acq_dma;
	dma_addr_t buffer_dma;
	u16 tail;
	u16 next_id;
	bool by_interrupt;
	u32 timeouts;

	spinlock_t acq_lock;	/* the completion side, which interrupts share */
	u32 acq_ci;
	bool waiting;
	u16 waiting_id;
	struct vg810_admin_completion result;
	struct completion done;
};

/**
 * struct vg810_irq_test_result - one measured delay, all in nanoseconds
 * @asked: what was written to the card
 * @raised: from the write to the interrupt leaving, by the card's clock
 * @measured: from just before the write to the handler's first action, by the CPU's clock
 */
struct vg810_irq_test_result {
	u32 asked;
	u64 raised;
	u64 measured;
};

/* The delayed-interrupt test. raised_at is written by the interrupt, 0 before that. */
struct vg810_irq_test {
	struct mutex lock;	/* one measurement at a time */
	bool available;
	u64 raised_at;
	struct vg810_irq_test_result last;	/* for debugfs */
};

struct vg810_limits {
	u32 tx_queues;
	u32 rx_queues;
	u32 cqs;
	u32 eqs;
	u32 ring_log2;
	u32 mtu;
	u32 filters;
	u32 tx_segments;
	u32 speed_mbps;
	u64 serial;
	u64 mac;
};

struct vg810_nic;

struct vg810_core {
	struct pci_dev *pdev;
	void __iomem *regs;
	void __iomem *db;
	unsigned long state;
	unsigned int vectors;
	u64 features;
	u32 firmware;
	struct vg810_limits limits;
	struct vg810_admin admin;
	struct vg810_eq eq;
	struct atomic_notifier_head events;	/* PORT and QUEUE_ERROR; data is a vg810_event */
	struct mutex lifecycle;			/* bringing the function down and up */
	struct delayed_work reset_work;
	struct delayed_work health_work;	/* runs from vg810_hw_start() to vg810_hw_stop() */
	unsigned long last_reset;		/* jiffies */
	u32 resets;
	struct vg810_irq_test irq_test;
	spinlock_t stats_lock;			/* counters against a reset that clears them */
	u64 stats_before_reset[VG810_STATS_COUNT];
	struct dentry *debugfs;
	struct vg810_nic *nic;
};

static inline u32 vg810_read(const struct vg810_core *core, u32 reg)
{
	return readl(core->regs + reg);
}

static inline u64 vg810_read64(const struct vg810_core *core, u32 reg)
{
	return readq(core->regs + reg);
}

static inline void vg810_write(struct vg810_core *core, u32 reg, u32 value)
{
	writel(value, core->regs + reg);
}

static inline void vg810_write64(struct vg810_core *core, u32 reg, u64 value)
{
	writeq(value, core->regs + reg);
}

/* The phase that an entry has when the card has written it in this pass over the ring. */
static inline u8 vg810_phase(u32 ci, u8 log2)
{
	return !((ci >> log2) & 1);
}

/* The next event that the card has written, or NULL. */
static inline struct vg810_event *vg810_eq_peek(const struct vg810_eq *eq)
{
	struct vg810_event *event = &eq->ring[eq->ci & (BIT(eq->log2) - 1)];

	if (READ_ONCE(event->phase) != vg810_phase(eq->ci, eq->log2))
		return NULL;
	dma_rmb(); /* the phase is written last, so read it first */
	return event;
}

/* The next completion that the card has written, or NULL. */
static inline struct vg810_completion *vg810_cq_peek(const struct vg810_cq *cq)
{
	struct vg810_completion *entry = &cq->ring[cq->ci & (BIT(cq->log2) - 1)];

	if (READ_ONCE(entry->phase) != vg810_phase(cq->ci, cq->log2))
		return NULL;
	dma_rmb(); /* the phase is written last, so read it first */
	return entry;
}

/* vg810_main.c */
extern struct workqueue_struct *vg810_workqueue;
void vg810_schedule_reset(struct vg810_core *core, const char *why);

/* vg810_hw.c */
void vg810_hw_init(struct vg810_core *core);
bool vg810_hw_present(const struct vg810_core *core);
int vg810_hw_start(struct vg810_core *core);
void vg810_hw_stop(struct vg810_core *core);
void vg810_hw_halt(struct vg810_core *core);
void vg810_hw_halt_locked(struct vg810_core *core);
u64 vg810_stat(struct vg810_core *core, unsigned int index);
u64 vg810_stat_by_register(struct vg810_core *core, u32 reg);

/* vg810_admin.c */
int vg810_admin_alloc(struct vg810_core *core);
void vg810_admin_free(struct vg810_core *core);
void vg810_admin_program(struct vg810_core *core);
void vg810_admin_reap(struct vg810_core *core);
int vg810_admin_exec(struct vg810_core *core, struct vg810_admin_request *request);
void vg810_admin_destroy(struct vg810_core *core, u8 opcode, u32 id);
int vg810_admin_simple(struct vg810_core *core, u8 opcode, u32 queue_id, u32 param);

/* vg810_eq.c */
int vg810_eq_create(struct vg810_core *core, struct vg810_eq *eq, u32 id, u16 vector, u8 log2,
		    u32 moderation_ns);
void vg810_eq_destroy(struct vg810_core *core, struct vg810_eq *eq);
void vg810_eq_arm(struct vg810_core *core, const struct vg810_eq *eq);
int vg810_cq_create(struct vg810_core *core, struct vg810_cq *cq, u32 id, u32 eq_id, u8 log2);
void vg810_cq_destroy(struct vg810_core *core, struct vg810_cq *cq);
void vg810_cq_doorbell(struct vg810_core *core, struct vg810_cq *cq, bool arm);
int vg810_admin_eq_start(struct vg810_core *core);
void vg810_admin_eq_stop(struct vg810_core *core);

/* vg810_irqtest.c */
#define VG810_IRQ_TEST_MAX_NS	(10 * NSEC_PER_MSEC)
int vg810_irq_test_start(struct vg810_core *core);
void vg810_irq_test_stop(struct vg810_core *core);
int vg810_irq_test_run(struct vg810_core *core, u32 delay_ns,
		       struct vg810_irq_test_result *result);

/* vg810_debugfs.c */
void vg810_debugfs_init(void);
void vg810_debugfs_exit(void);
void vg810_debugfs_add(struct vg810_core *core);
void vg810_debugfs_remove(struct vg810_core *core);

/* vg810_devlink.c */
struct vg810_core *vg810_devlink_alloc(struct device *dev);
void vg810_devlink_free(struct vg810_core *core);
void vg810_devlink_register(struct vg810_core *core);
void vg810_devlink_unregister(struct vg810_core *core);
void vg810_firmware_text(const struct vg810_core *core, char *text, size_t bytes);

/* vg810_netdev.c, vg810_nic.c: what the core asks of the network device */
int vg810_nic_register(struct vg810_core *core);
void vg810_nic_unregister(struct vg810_core *core);
void vg810_nic_detach(struct vg810_core *core);
int vg810_nic_attach(struct vg810_core *core);

#endif /* VG810_H */
