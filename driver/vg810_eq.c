// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues and completion queues, and the admin event queue with its interrupt.
 *
 * An event queue interrupts once for each arm; a completion queue produces one event for each arm,
 * at once if an entry at or after the armed index is there already. So a consumer that takes
 * the events first, then the completions, and arms with the indices it has reached misses nothing.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>

#include "vg810.h"

/* Admin completions, port changes and errors of every queue; far more than are ever pending. */
#define VG810_ADMIN_EQ_LOG2	8

/**
 * vg810_eq_create() - allocate an event queue and tell the card
 * @core: the function
 * @eq: filled in
 * @id: its id
 * @vector: its MSI-X vector
 * @log2: of its number of entries
 * @moderation_ns: least time between two interrupts, 0 for none
 *
 * Return: 0, -ENOMEM, or as vg810_admin_exec().
 */
int vg810_eq_create(struct vg810_core *core, struct vg810_eq *eq, u32 id, u16 vector, u8 log2,
		    u32 moderation_ns)
{
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_CREATE_EQ,
		.cmd.queue_id = cpu_to_le32(id),
		.cmd.ring_log2 = log2,
		.cmd.vector = cpu_to_le16(vector),
		.cmd.doorbell_page = cpu_to_le32(VG810_KERNEL_DB_PAGE),
		.cmd.moderation_ns = cpu_to_le32(moderation_ns),
	};
	int err;

	eq->id = id;
	eq->ci = 0;
	eq->log2 = log2;
	eq->ring = dma_alloc_coherent(&core->pdev->dev, sizeof(*eq->ring) << log2, &eq->dma,
				      GFP_KERNEL);
	if (!eq->ring)
		return -ENOMEM;

	request.cmd.buffer = cpu_to_le64(eq->dma);
	err = vg810_admin_exec(core, &request);
	if (err) {
		dma_free_coherent(&core->pdev->dev, sizeof(*eq->ring) << log2, eq->ring, eq->dma);
		eq->ring = NULL;
	}
	return err;
}

/**
 * vg810_eq_destroy() - undo vg810_eq_create()
 * @core: the function
 * @eq: an event queue; nothing happens if it was not created
 */
void vg810_eq_destroy(struct vg810_core *core, struct vg810_eq *eq)
{
	if (!eq->ring)
		return;
	vg810_admin_destroy(core, VG810_ADMIN_OPCODE_DESTROY_EQ, eq->id);
	dma_free_coherent(&core->pdev->dev, sizeof(*eq->ring) << eq->log2, eq->ring, eq->dma);
	eq->ring = NULL;
}

/**
 * vg810_eq_arm() - free the events consumed so far and let the queue interrupt again
 * @core: the function
 * @eq: the event queue
 */
void vg810_eq_arm(struct vg810_core *core, const struct vg810_eq *eq)
{
	u64 value = FIELD_PREP(VG810_DB_EQ_INDEX, eq->ci & VG810_DB_EQ_INDEX) | VG810_DB_EQ_ARM |
		    FIELD_PREP(VG810_DB_EQ_QUEUE, (u64)eq->id);

	writeq(value, core->db + VG810_REG_DB_EQ);
}

/**
 * vg810_cq_create() - allocate a completion queue and tell the card
 * @core: the function
 * @cq: filled in
 * @id: its id
 * @eq_id: where its events go
 * @log2: of its number of entries
 *
 * Return: 0, -ENOMEM, or as vg810_admin_exec().
 */
int vg810_cq_create(struct vg810_core *core, struct vg810_cq *cq, u32 id, u32 eq_id, u8 log2)
{
	struct vg810_admin_request request = {
		.cmd.opcode = VG810_ADMIN_OPCODE_CREATE_CQ,
		.cmd.queue_id = cpu_to_le32(id),
		.cmd.ring_log2 = log2,
		.cmd.eq_id = cpu_to_le32(eq_id),
		.cmd.doorbell_page = cpu_to_le32(VG810_KERNEL_DB_PAGE),
	};
	int err;

	cq->id = id;
	cq->ci = 0;
	cq->freed = 0;
	cq->armed_at = cq->ci - 1; /* not armed yet */
	cq->log2 = log2;
	cq->ring = dma_alloc_coherent(&core->pdev->dev, sizeof(*cq->ring) << log2, &cq->dma,
				      GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;

	request.cmd.buffer = cpu_to_le64(cq->dma);
	err = vg810_admin_exec(core, &request);
	if (err) {
		dma_free_coherent(&core->pdev->dev, sizeof(*cq->ring) << log2, cq->ring, cq->dma);
		cq->ring = NULL;
	}
	return err;
}

/**
 * vg810_cq_destroy() - undo vg810_cq_create()
 * @core: the function
 * @cq: a completion queue; nothing happens if it was not created
 */
void vg810_cq_destroy(struct vg810_core *core, struct vg810_cq *cq)
{
	if (!cq->ring)
		return;
	vg810_admin_destroy(core, VG810_ADMIN_OPCODE_DESTROY_CQ, cq->id);
	dma_free_coherent(&core->pdev->dev, sizeof(*cq->ring) << cq->log2, cq->ring, cq->dma);
	cq->ring = NULL;
}

/**
 * vg810_cq_doorbell() - free the completions consumed so far
 * @core: the function
 * @cq: the completion queue; the caller serialises doorbells of one queue, whose index must not
 *      go back
 * @arm: ask for one event as well
 */
void vg810_cq_doorbell(struct vg810_core *core, struct vg810_cq *cq, bool arm)
{
	u32 ci = READ_ONCE(cq->ci);
	u64 value = FIELD_PREP(VG810_DB_CQ_INDEX, ci & VG810_DB_CQ_INDEX) |
		    FIELD_PREP(VG810_DB_CQ_QUEUE, (u64)cq->id);

	if (arm) {
		value |= VG810_DB_CQ_ARM;
		cq->armed_at = ci;
	}
	cq->freed = ci;
	writeq(value, core->db + VG810_REG_DB_CQ);
}

static irqreturn_t vg810_admin_irq(int irq, void *data)
{
	struct vg810_core *core = data;
	struct vg810_event *event;

	while ((event = vg810_eq_peek(&core->eq))) {
		switch (event->type) {
		case VG810_EVENT_TYPE_ADMIN:
			vg810_admin_reap(core);
			break;
		case VG810_EVENT_TYPE_PORT:
		case VG810_EVENT_TYPE_QUEUE_ERROR:
			atomic_notifier_call_chain(&core->events, event->type, event);
			break;
		case VG810_EVENT_TYPE_SELF_TEST:
			break; /* the test has a vector of its own */
		default:
			dev_warn_ratelimited(&core->pdev->dev, "event of unknown type %u\n",
					     event->type);
		}
		core->eq.ci++;
	}
	vg810_eq_arm(core, &core->eq);
	return IRQ_HANDLED;
}

/**
 * vg810_admin_eq_start() - create the admin event queue and go from polling to interrupts
 * @core: the function, its admin queue on
 *
 * Return: 0 or the error of the step that failed.
 */
int vg810_admin_eq_start(struct vg810_core *core)
{
	int irq = pci_irq_vector(core->pdev, VG810_ADMIN_VECTOR);
	int err;

	err = vg810_eq_create(core, &core->eq, VG810_ADMIN_EQ_ID, VG810_ADMIN_VECTOR,
			      VG810_ADMIN_EQ_LOG2, 0);
	if (err) {
		dev_err(&core->pdev->dev, "cannot create the admin event queue: %pe\n",
			ERR_PTR(err));
		return err;
	}

	err = request_irq(irq, vg810_admin_irq, 0, dev_name(&core->pdev->dev), core);
	if (err) {
		dev_err(&core->pdev->dev, "cannot get the admin interrupt: %pe\n", ERR_PTR(err));
		vg810_hw_halt(core);
		vg810_eq_destroy(core, &core->eq);
		return err;
	}

	vg810_write(core, VG810_REG_ADMIN_EQ, VG810_ADMIN_EQ_ID);
	vg810_eq_arm(core, &core->eq);

	mutex_lock(&core->admin.lock);
	core->admin.by_interrupt = true;
	mutex_unlock(&core->admin.lock);
	return 0;
}

/**
 * vg810_admin_eq_stop() - free the admin event queue and its interrupt
 * @core: the function, halted; nothing happens if it has no admin event queue
 */
void vg810_admin_eq_stop(struct vg810_core *core)
{
	if (!core->eq.ring)
		return;
	free_irq(pci_irq_vector(core->pdev, VG810_ADMIN_VECTOR), core);
	vg810_eq_destroy(core, &core->eq);
}
