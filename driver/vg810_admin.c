// SPDX-License-Identifier: GPL-2.0-only
/*
 * The admin queue: 64-byte commands in a submission ring, 16-byte completions with a phase bit.
 *
 * One command is outstanding at a time. Completions are found by polling until the admin event
 * queue exists, and by its interrupt from then on. A command without an answer within the time
 * that the card promises halts the function, so that nothing it knows of is written any more when
 * the caller frees it.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>

#include "vg810.h"

#define VG810_ADMIN_RING_LOG2	5
#define VG810_ADMIN_RING_MASK	(BIT(VG810_ADMIN_RING_LOG2) - 1)

/**
 * vg810_admin_alloc() - allocate the rings and the data buffer
 * @core: the function
 *
 * Return: 0 or -ENOMEM.
 */
int vg810_admin_alloc(struct vg810_core *core)
{
	struct vg810_admin *admin = &core->admin;
	struct device *dev = &core->pdev->dev;

	mutex_init(&admin->lock);
	spin_lock_init(&admin->acq_lock);
	init_completion(&admin->done);

	admin->asq = dma_alloc_coherent(dev, sizeof(*admin->asq) << VG810_ADMIN_RING_LOG2,
					&admin->asq_dma, GFP_KERNEL);
	admin->acq = dma_alloc_coherent(dev, sizeof(*admin->acq) << VG810_ADMIN_RING_LOG2,
					&admin->acq_dma, GFP_KERNEL);
	admin->buffer = dma_alloc_coherent(dev, VG810_ADMIN_BUFFER_BYTES, &admin->buffer_dma,
					   GFP_KERNEL);
	if (admin->asq && admin->acq && admin->buffer)
		return 0;

	vg810_admin_free(core);
	return -ENOMEM;
}

/**
 * vg810_admin_free() - free what vg810_admin_alloc() allocated
 * @core: the function, which is halted
 */
void vg810_admin_free(struct vg810_core *core)
{
	struct vg810_admin *admin = &core->admin;
	struct device *dev = &core->pdev->dev;

	if (admin->buffer)
		dma_free_coherent(dev, VG810_ADMIN_BUFFER_BYTES, admin->buffer,
				  admin->buffer_dma);
	if (admin->acq)
		dma_free_coherent(dev, sizeof(*admin->acq) << VG810_ADMIN_RING_LOG2, admin->acq,
				  admin->acq_dma);
	if (admin->asq)
		dma_free_coherent(dev, sizeof(*admin->asq) << VG810_ADMIN_RING_LOG2, admin->asq,
				  admin->asq_dma);
	admin->buffer = NULL;
	admin->acq = NULL;
	admin->asq = NULL;
}

/**
 * vg810_admin_program() - give empty rings to a function that was just reset
 * @core: the function; CONTROL.enable is the caller's to set
 */
void vg810_admin_program(struct vg810_core *core)
{
	struct vg810_admin *admin = &core->admin;
	unsigned long flags;

	spin_lock_irqsave(&admin->acq_lock, flags);
	memset(admin->asq, 0, sizeof(*admin->asq) << VG810_ADMIN_RING_LOG2);
	memset(admin->acq, 0, sizeof(*admin->acq) << VG810_ADMIN_RING_LOG2);
	admin->tail = 0;
	admin->acq_ci = 0;
	admin->waiting = false;
	admin->by_interrupt = false;
	spin_unlock_irqrestore(&admin->acq_lock, flags);

	vg810_write64(core, VG810_REG_ASQ_BASE, admin->asq_dma);
	vg810_write64(core, VG810_REG_ACQ_BASE, admin->acq_dma);
	vg810_write(core, VG810_REG_ADMIN_SIZE,
		    FIELD_PREP(VG810_ADMIN_SIZE_ASQ_LOG2, VG810_ADMIN_RING_LOG2) |
		    FIELD_PREP(VG810_ADMIN_SIZE_ACQ_LOG2, VG810_ADMIN_RING_LOG2));
	vg810_write(core, VG810_REG_ADMIN_EQ, VG810_NO_EQ);
}

/**
 * vg810_admin_reap() - take what completions there are
 * @core: the function
 *
 * Context: any; called by the waiting task and by the admin event queue's interrupt.
 */
void vg810_admin_reap(struct vg810_core *core)
{
	struct vg810_admin *admin = &core->admin;
	struct vg810_admin_completion *entry;
	unsigned long flags;
	bool any = false;

	spin_lock_irqsave(&admin->acq_lock, flags);
	for (;;) {
		entry = &admin->acq[admin->acq_ci & VG810_ADMIN_RING_MASK];
		if (READ_ONCE(entry->phase) != vg810_phase(admin->acq_ci, VG810_ADMIN_RING_LOG2))
			break;
		dma_rmb(); /* the phase says that the rest is there */
		admin->acq_ci++;
		any = true;

		if (admin->waiting && le16_to_cpu(entry->command_id) == admin->waiting_id) {
			admin->result = *entry;
			admin->waiting = false;
			complete(&admin->done);
		} else {
			dev_warn_ratelimited(&core->pdev->dev,
					     "completion of admin command %u that nobody waits for\n",
					     le16_to_cpu(entry->command_id));
		}
	}
	if (any)
		vg810_write(core, VG810_REG_ACQ_HEAD, admin->acq_ci & VG810_ADMIN_RING_MASK);
	spin_unlock_irqrestore(&admin->acq_lock, flags);
}

static int vg810_admin_wait(struct vg810_core *core)
{
	struct vg810_admin *admin = &core->admin;
	unsigned long limit = msecs_to_jiffies(VG810_ADMIN_TIMEOUT_MS) + 1;
	unsigned long deadline;

	if (admin->by_interrupt) {
		if (wait_for_completion_timeout(&admin->done, limit))
			return 0;
		vg810_admin_reap(core);
		if (!try_wait_for_completion(&admin->done))
			return -ETIMEDOUT;
		dev_warn_ratelimited(&core->pdev->dev, "admin interrupt was lost\n");
		return 0;
	}

	deadline = jiffies + limit;
	for (;;) {
		bool last = time_after(jiffies, deadline);

		vg810_admin_reap(core);
		if (try_wait_for_completion(&admin->done))
			return 0;
		if (last)
			return -ETIMEDOUT;
		usleep_range(5, 20);
	}
}

static int vg810_admin_error(u8 status)
{
	switch (status) {
	case VG810_ADMIN_STATUS_OK:
		return 0;
	case VG810_ADMIN_STATUS_BAD_OPCODE:
		return -EOPNOTSUPP;
	case VG810_ADMIN_STATUS_BAD_PARAM:
	case VG810_ADMIN_STATUS_BAD_ALIGNMENT:
		return -EINVAL;
	case VG810_ADMIN_STATUS_BAD_QUEUE_ID:
		return -ENOENT;
	case VG810_ADMIN_STATUS_BUSY:
		return -EBUSY;
	case VG810_ADMIN_STATUS_NO_RESOURCE:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

static void vg810_admin_submit(struct vg810_core *core, struct vg810_admin_request *request)
{
	struct vg810_admin *admin = &core->admin;
	struct vg810_admin_command *slot = &admin->asq[admin->tail];
	size_t bytes = max(request->in_bytes, request->out_bytes);

	request->cmd.command_id = cpu_to_le16(admin->next_id);
	if (bytes) {
		request->cmd.buffer = cpu_to_le64(admin->buffer_dma);
		request->cmd.buffer_bytes = cpu_to_le32(bytes);
	}
	if (request->in_bytes)
		memcpy(admin->buffer, request->in, request->in_bytes);
	*slot = request->cmd;

	spin_lock_irq(&admin->acq_lock);
	reinit_completion(&admin->done);
	admin->waiting_id = admin->next_id++;
	admin->waiting = true;
	spin_unlock_irq(&admin->acq_lock);

	admin->tail = (admin->tail + 1) & VG810_ADMIN_RING_MASK;
	/* writel() orders the command before the doorbell */
	vg810_write(core, VG810_REG_ASQ_TAIL, admin->tail);
}

static int vg810_admin_exec_locked(struct vg810_core *core, struct vg810_admin_request *request)
{
	struct vg810_admin *admin = &core->admin;
	struct device *dev = &core->pdev->dev;
	int err;

	vg810_admin_submit(core, request);
	err = vg810_admin_wait(core);
	if (err) {
		spin_lock_irq(&admin->acq_lock);
		admin->waiting = false;
		spin_unlock_irq(&admin->acq_lock);
		admin->timeouts++;
		dev_err(dev, "admin command %#x: no answer in %u ms\n", request->cmd.opcode,
			VG810_ADMIN_TIMEOUT_MS);
		vg810_hw_halt_locked(core);
		vg810_schedule_reset(core, "admin command timed out");
		return err;
	}

	request->status = admin->result.status;
	request->param = le64_to_cpu(admin->result.param);
	err = vg810_admin_error(request->status);
	if (err)
		dev_dbg(dev, "admin command %#x: status %u, param %#llx\n", request->cmd.opcode,
			request->status, request->param);
	else if (request->out_bytes)
		memcpy(request->out, admin->buffer, request->out_bytes);
	return err;
}

/**
 * vg810_admin_exec() - run one command and wait for its end
 * @core: the function
 * @request: the command; status and param are filled in when it was answered
 *
 * Context: process; sleeps for at most VG810_ADMIN_TIMEOUT_MS and the time of a reset.
 * Return: 0, -EIO when the function is down, -ETIMEDOUT after which it is, or what the card's
 * status stands for.
 */
int vg810_admin_exec(struct vg810_core *core, struct vg810_admin_request *request)
{
	int err = -EIO;

	if (WARN_ON_ONCE(request->in_bytes > VG810_ADMIN_BUFFER_BYTES ||
			 request->out_bytes > VG810_ADMIN_BUFFER_BYTES))
		return -EINVAL;

	mutex_lock(&core->admin.lock);
	if (test_bit(VG810_STATE_ADMIN_UP, &core->state))
		err = vg810_admin_exec_locked(core, request);
	mutex_unlock(&core->admin.lock);
	return err;
}

/**
 * vg810_admin_simple() - run a command that has no more than a queue and a parameter
 * @core: the function
 * @opcode: an admin_opcode
 * @queue_id: the queue that it is about, or 0
 * @param: its parameter, or 0
 *
 * Return: as vg810_admin_exec().
 */
int vg810_admin_simple(struct vg810_core *core, u8 opcode, u32 queue_id, u32 param)
{
	struct vg810_admin_request request = {
		.cmd.opcode = opcode,
		.cmd.queue_id = cpu_to_le32(queue_id),
		.cmd.param = cpu_to_le32(param),
	};

	return vg810_admin_exec(core, &request);
}

/**
 * vg810_admin_destroy() - take an object away from the card
 * @core: the function
 * @opcode: the DESTROY_ command
 * @id: the object's id
 *
 * On return the card does not use the object any more: if it was not willing to destroy it, then
 * because the function was halted, which a reset will follow.
 */
void vg810_admin_destroy(struct vg810_core *core, u8 opcode, u32 id)
{
	int err = vg810_admin_simple(core, opcode, id, 0);

	if (!err || !test_bit(VG810_STATE_ADMIN_UP, &core->state))
		return;
	dev_err(&core->pdev->dev, "admin command %#x of %u: %pe\n", opcode, id, ERR_PTR(err));
	vg810_hw_halt(core);
	vg810_schedule_reset(core, "an object cannot be destroyed");
}
