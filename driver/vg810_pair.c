// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: the objects of one TX and one RX queue, their interrupt and NAPI.
 */
#include <linux/interrupt.h>
#include <linux/topology.h>

#include "vg810_compat.h"
#include "vg810_nic.h"

/* A pair's two CQs have one event each under way at the most. */
#define VG810_PAIR_EQ_LOG2	VG810_MIN_RING_LOG2

static irqreturn_t vg810_pair_irq(int irq, void *data)
{
	struct vg810_pair *pair = data;

	napi_schedule_irqoff(&pair->napi);
	return IRQ_HANDLED;
}

/* Events carry no news: NAPI looks at both CQs anyway. Must be done before looking, see there. */
static void vg810_pair_take_events(struct vg810_pair *pair)
{
	spin_lock(&pair->doorbell_lock);
	while (vg810_eq_peek(&pair->eq))
		pair->eq.ci++;
	spin_unlock(&pair->doorbell_lock);
}

/*
 * Lets the pair interrupt again. A CQ whose index has moved since its last arm has produced its
 * event and is armed anew; one whose index has not is armed still. The lock keeps the indices
 * from going back when a busy poller owns NAPI again already.
 */
static void vg810_pair_arm(struct vg810_pair *pair)
{
	struct vg810_core *core = pair->nic->core;

	spin_lock(&pair->doorbell_lock);
	if (READ_ONCE(pair->tx.cq.ci) != pair->tx.cq.armed_at)
		vg810_cq_doorbell(core, &pair->tx.cq, true);
	if (READ_ONCE(pair->rx.cq.ci) != pair->rx.cq.armed_at)
		vg810_cq_doorbell(core, &pair->rx.cq, true);
	vg810_eq_arm(core, &pair->eq);
	spin_unlock(&pair->doorbell_lock);
}

static int vg810_pair_poll(struct napi_struct *napi, int budget)
{
	struct vg810_pair *pair = container_of(napi, struct vg810_pair, napi);
	int frames;

	vg810_pair_take_events(pair);
	vg810_tx_clean(pair, budget);
	if (unlikely(!budget))
		return 0; /* netpoll: transmit only, and it does not own NAPI's end */
	frames = vg810_rx_poll(pair, budget);

	if (unlikely(pair->broken)) {
		napi_complete_done(napi, 0);
		return 0;
	}
	if (frames < budget && napi_complete_done(napi, frames))
		vg810_pair_arm(pair);
	return min(frames, budget);
}

static int vg810_pair_get_irq(struct vg810_pair *pair)
{
	struct vg810_nic *nic = pair->nic;
	int node = dev_to_node(&nic->core->pdev->dev);
	int err;

	snprintf(pair->name, sizeof(pair->name), "%s-pair-%u", netdev_name(nic->netdev),
		 pair->index);
	pair->irq = pci_irq_vector(nic->core->pdev, pair->index + 1);
	err = request_irq(pair->irq, vg810_pair_irq, 0, pair->name, pair);
	if (err)
		return err;
	pair->has_irq = true;
	irq_set_affinity_and_hint(pair->irq, cpumask_of(cpumask_local_spread(pair->index, node)));
	return 0;
}

static void vg810_pair_destroy(struct vg810_pair *pair)
{
	vg810_rx_destroy(pair);
	vg810_tx_destroy(pair);
	if (pair->has_irq) {
		irq_set_affinity_and_hint(pair->irq, NULL);
		free_irq(pair->irq, pair);
	}
	vg810_eq_destroy(pair->nic->core, &pair->eq);
	netif_napi_del(&pair->napi);
	kfree(pair);
}

static int vg810_pair_create(struct vg810_nic *nic, unsigned int index)
{
	int node = dev_to_node(&nic->core->pdev->dev);
	struct vg810_pair *pair;
	int err;

	pair = kzalloc_node(sizeof(*pair), GFP_KERNEL, node);
	if (!pair)
		return -ENOMEM;
	pair->nic = nic;
	pair->index = index;
	spin_lock_init(&pair->doorbell_lock);
	netif_napi_add(nic->netdev, &pair->napi, vg810_pair_poll);

	err = vg810_eq_create(nic->core, &pair->eq, index + 1, index + 1, VG810_PAIR_EQ_LOG2,
			      nic->moderation_ns);
	if (!err)
		err = vg810_pair_get_irq(pair);
	if (!err)
		err = vg810_tx_create(pair);
	if (!err)
		err = vg810_rx_create(pair);
	if (err) {
		vg810_pair_destroy(pair);
		return err;
	}
	nic->pairs[index] = pair;
	return 0;
}

/**
 * vg810_pairs_create() - make all queue pairs of the device's shape
 * @nic: the network device
 *
 * Return: 0 or a negative error, with none made.
 */
int vg810_pairs_create(struct vg810_nic *nic)
{
	unsigned int i;
	int err;

	for (i = 0; i < nic->shape.pairs; i++) {
		err = vg810_pair_create(nic, i);
		if (err)
			goto destroy;
	}
	return 0;

destroy:
	while (i--) {
		vg810_pair_destroy(nic->pairs[i]);
		nic->pairs[i] = NULL;
	}
	return err;
}

/**
 * vg810_pairs_destroy() - undo vg810_pairs_create()
 * @nic: the network device, its pairs disabled
 */
void vg810_pairs_destroy(struct vg810_nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->shape.pairs; i++) {
		vg810_pair_destroy(nic->pairs[i]);
		nic->pairs[i] = NULL;
	}
}

/**
 * vg810_pairs_enable() - start NAPI and interrupts
 * @nic: the network device
 */
void vg810_pairs_enable(struct vg810_nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->shape.pairs; i++) {
		struct vg810_pair *pair = nic->pairs[i];

		napi_enable(&pair->napi);
		vg810_queue_set_napi(nic->netdev, i, &pair->napi, pair->irq);
		local_bh_disable();
		vg810_pair_arm(pair);
		local_bh_enable();
	}
}

/**
 * vg810_pairs_disable() - stop NAPI; interrupts may come but do nothing
 * @nic: the network device
 */
void vg810_pairs_disable(struct vg810_nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->shape.pairs; i++) {
		vg810_queue_set_napi(nic->netdev, i, NULL, -1);
		napi_disable(&nic->pairs[i]->napi);
	}
}
