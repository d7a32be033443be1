// SPDX-License-Identifier: GPL-2.0-only
/*
 * vg810 network card: the PCI driver and the life of a function.
 *
 * A function is brought down and up again by suspend, by resets from outside (FLR, error recovery)
 * and by resets that the driver asks for itself. Each of these is one pass of vg810_down() and
 * vg810_up() under the lifecycle lock; the network device stays registered meanwhile, detached.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include "vg810.h"

#define VG810_MIN_VECTORS		2
#define VG810_RESTART_ATTEMPTS		3
#define VG810_RESTART_PAUSE_MS		100
/* A function that asks for resets in a row gets one a second. */
#define VG810_RESET_INTERVAL		HZ

struct workqueue_struct *vg810_workqueue;

/**
 * vg810_schedule_reset() - have the function restarted by the driver
 * @core: the function
 * @why: for the log
 *
 * Context: any. Does nothing while someone else restarts or removes the function.
 */
void vg810_schedule_reset(struct vg810_core *core, const char *why)
{
	unsigned long delay = 0;

	if (test_bit(VG810_STATE_NO_RESET, &core->state))
		return;
	if (core->resets && time_before(jiffies, core->last_reset + VG810_RESET_INTERVAL))
		delay = VG810_RESET_INTERVAL;
	if (queue_delayed_work(vg810_workqueue, &core->reset_work, delay))
		dev_warn(&core->pdev->dev, "reset: %s\n", why);
}

/* Network device detached, function halted, interrupts freed. */
static void vg810_down(struct vg810_core *core)
{
	lockdep_assert_held(&core->lifecycle);
	vg810_nic_detach(core);
	vg810_hw_stop(core);
}

static int vg810_up(struct vg810_core *core)
{
	int err;

	lockdep_assert_held(&core->lifecycle);
	err = vg810_hw_start(core);
	if (err)
		return err;
	err = vg810_nic_attach(core);
	if (err)
		vg810_down(core);
	return err;
}

static void vg810_reset_work(struct work_struct *work)
{
	struct vg810_core *core = container_of(to_delayed_work(work), struct vg810_core,
					       reset_work);
	int err = 0;
	int i;

	mutex_lock(&core->lifecycle);
	if (test_bit(VG810_STATE_NO_RESET, &core->state))
		goto unlock;

	core->resets++;
	core->last_reset = jiffies;
	/* Halt first: its queues may be in any state, so do not talk to them one by one. */
	vg810_hw_halt(core);
	vg810_down(core);

	for (i = 0; i < VG810_RESTART_ATTEMPTS; i++) {
		/* What was asked for until here, the attempt before included, is answered now. */
		cancel_delayed_work(&core->reset_work);
		err = vg810_up(core);
		if (!err || err == -ENODEV)
			break;
		msleep(VG810_RESTART_PAUSE_MS);
	}
	if (err) {
		set_bit(VG810_STATE_NO_RESET, &core->state);
		dev_err(&core->pdev->dev, "cannot restart, giving up: %pe\n", ERR_PTR(err));
	} else {
		dev_info(&core->pdev->dev, "restarted\n");
	}
unlock:
	mutex_unlock(&core->lifecycle);
}

/* Takes a function out of service for someone outside; vg810_thaw() brings it back. */
static void vg810_freeze(struct vg810_core *core)
{
	set_bit(VG810_STATE_NO_RESET, &core->state);
	cancel_delayed_work_sync(&core->reset_work);
	mutex_lock(&core->lifecycle);
	vg810_down(core);
	mutex_unlock(&core->lifecycle);
}

static int vg810_thaw(struct vg810_core *core)
{
	int err;

	mutex_lock(&core->lifecycle);
	err = vg810_up(core);
	if (err)
		dev_err(&core->pdev->dev, "cannot restart: %pe\n", ERR_PTR(err));
	else
		clear_bit(VG810_STATE_NO_RESET, &core->state);
	mutex_unlock(&core->lifecycle);
	return err;
}

static int vg810_map(struct vg810_core *core)
{
	struct pci_dev *pdev = core->pdev;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = -ENODEV;
	if (pci_resource_len(pdev, VG810_GENERAL_BAR) < VG810_BAR0_SIZE ||
	    pci_resource_len(pdev, VG810_DOORBELL_BAR) < VG810_BAR2_SIZE) {
		dev_err(&pdev->dev, "BARs are missing or too small\n");
		goto disable;
	}
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto disable;
	err = pci_request_mem_regions(pdev, VG810_DRIVER_NAME);
	if (err)
		goto disable;

	err = -ENOMEM;
	core->regs = pci_ioremap_bar(pdev, VG810_GENERAL_BAR);
	if (!core->regs)
		goto release;
	core->db = pci_ioremap_bar(pdev, VG810_DOORBELL_BAR);
	if (!core->db)
		goto unmap;
	return 0;

unmap:
	iounmap(core->regs);
release:
	pci_release_mem_regions(pdev);
disable:
	pci_disable_device(pdev);
	return err;
}

static void vg810_unmap(struct vg810_core *core)
{
	iounmap(core->db);
	iounmap(core->regs);
	pci_clear_master(core->pdev);
	pci_release_mem_regions(core->pdev);
	pci_disable_device(core->pdev);
}

/* One vector for the admin queue, one for each queue pair, one for the interrupt test. */
static int vg810_get_vectors(struct vg810_core *core)
{
	int vectors = pci_alloc_irq_vectors(core->pdev, VG810_MIN_VECTORS, VG810_MAX_QUEUES + 2,
					    PCI_IRQ_MSIX);

	if (vectors < 0)
		return vectors;
	core->vectors = vectors;
	return 0;
}

static void vg810_init_core(struct vg810_core *core, struct pci_dev *pdev)
{
	core->pdev = pdev;
	mutex_init(&core->lifecycle);
	mutex_init(&core->irq_test.lock);
	spin_lock_init(&core->stats_lock);
	ATOMIC_INIT_NOTIFIER_HEAD(&core->events);
	INIT_DELAYED_WORK(&core->reset_work, vg810_reset_work);
	vg810_hw_init(core);
	set_bit(VG810_STATE_NO_RESET, &core->state);
	pci_set_drvdata(pdev, core);
}

static int vg810_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vg810_core *core;
	int err;

	core = vg810_devlink_alloc(&pdev->dev);
	if (!core)
		return -ENOMEM;
	vg810_init_core(core, pdev);

	err = vg810_map(core);
	if (err)
		goto free_core;
	err = vg810_get_vectors(core);
	if (err)
		goto unmap;
	err = vg810_admin_alloc(core);
	if (err)
		goto free_vectors;
	err = vg810_hw_start(core);
	if (err)
		goto free_admin;
	err = vg810_nic_register(core);
	if (err)
		goto stop_hw;

	vg810_debugfs_add(core);
	vg810_devlink_register(core);
	clear_bit(VG810_STATE_NO_RESET, &core->state);
	return 0;

stop_hw:
	vg810_hw_stop(core);
free_admin:
	vg810_admin_free(core);
free_vectors:
	pci_free_irq_vectors(pdev);
unmap:
	vg810_unmap(core);
free_core:
	vg810_devlink_free(core);
	return dev_err_probe(&pdev->dev, err, "probe failed\n");
}

static void vg810_remove(struct pci_dev *pdev)
{
	struct vg810_core *core = pci_get_drvdata(pdev);

	set_bit(VG810_STATE_NO_RESET, &core->state);
	cancel_delayed_work_sync(&core->reset_work);

	vg810_devlink_unregister(core);
	vg810_debugfs_remove(core);
	vg810_nic_unregister(core);
	vg810_hw_stop(core);
	/* All that could ask for a reset is gone now; catch one that was asked for just before. */
	cancel_delayed_work_sync(&core->reset_work);

	vg810_admin_free(core);
	pci_free_irq_vectors(pdev);
	vg810_unmap(core);
	vg810_devlink_free(core);
}

static void vg810_shutdown(struct pci_dev *pdev)
{
	vg810_freeze(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
}

static int vg810_suspend(struct device *dev)
{
	vg810_freeze(dev_get_drvdata(dev));
	return 0;
}

static int vg810_resume(struct device *dev)
{
	return vg810_thaw(dev_get_drvdata(dev));
}

static DEFINE_SIMPLE_DEV_PM_OPS(vg810_pm_ops, vg810_suspend, vg810_resume);

static void vg810_reset_prepare(struct pci_dev *pdev)
{
	vg810_freeze(pci_get_drvdata(pdev));
}

static void vg810_reset_done(struct pci_dev *pdev)
{
	vg810_thaw(pci_get_drvdata(pdev));
}

static pci_ers_result_t vg810_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	vg810_freeze(pci_get_drvdata(pdev));
	if (state == pci_channel_io_perm_failure)
		return PCI_ERS_RESULT_DISCONNECT;
	pci_clear_master(pdev);
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t vg810_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	pci_save_state(pdev);
	return vg810_hw_present(pci_get_drvdata(pdev)) ? PCI_ERS_RESULT_RECOVERED :
							 PCI_ERS_RESULT_DISCONNECT;
}

static void vg810_error_resume(struct pci_dev *pdev)
{
	vg810_thaw(pci_get_drvdata(pdev));
}

static const struct pci_error_handlers vg810_error_handlers = {
	.error_detected = vg810_error_detected,
	.slot_reset = vg810_slot_reset,
	.resume = vg810_error_resume,
	.reset_prepare = vg810_reset_prepare,
	.reset_done = vg810_reset_done,
};

static const struct pci_device_id vg810_ids[] = {
	{ PCI_DEVICE(VG810_VENDOR_ID, VG810_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, vg810_ids);

static struct pci_driver vg810_driver = {
	.name = VG810_DRIVER_NAME,
	.id_table = vg810_ids,
	.probe = vg810_probe,
	.remove = vg810_remove,
	.shutdown = vg810_shutdown,
	.driver.pm = pm_sleep_ptr(&vg810_pm_ops),
	.err_handler = &vg810_error_handlers,
};

static int __init vg810_init(void)
{
	int err;

	vg810_workqueue = alloc_workqueue(VG810_DRIVER_NAME, WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!vg810_workqueue)
		return -ENOMEM;
	vg810_debugfs_init();
	err = pci_register_driver(&vg810_driver);
	if (err) {
		vg810_debugfs_exit();
		destroy_workqueue(vg810_workqueue);
	}
	return err;
}
module_init(vg810_init);

static void __exit vg810_exit(void)
{
	pci_unregister_driver(&vg810_driver);
	vg810_debugfs_exit();
	destroy_workqueue(vg810_workqueue);
}
module_exit(vg810_exit);

MODULE_DESCRIPTION("vg810 25G Ethernet driver");
MODULE_LICENSE("GPL");
