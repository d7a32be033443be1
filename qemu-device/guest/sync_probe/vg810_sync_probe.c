// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's end of sync_check: asks the probe function for an interrupt after N ns, ten times for each N, and prints
 * how long it took on the guest's own clock.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>

#define PROBE_DELAY 0x200

static u64 fired_at; /* by the interrupt; 0: not yet */

static irqreturn_t sync_probe_irq(int irq, void *dev)
{
	WRITE_ONCE(fired_at, ktime_get_ns());
	return IRQ_HANDLED;
}

static void sync_probe_measure(void __iomem *bar, u32 delay_ns)
{
	for (int i = 0; i < 10; i++) {
		u64 asked_at;

		WRITE_ONCE(fired_at, 0);
		asked_at = ktime_get_ns();
		writel(delay_ns, bar + PROBE_DELAY);
		while (!READ_ONCE(fired_at) && ktime_get_ns() - asked_at < 2 * delay_ns + 100000)
			cpu_relax();
		udelay(10);
		pr_info("sync_probe: %u ns took %llu ns\n", delay_ns, fired_at - asked_at);
	}
}

static int sync_probe_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	static const u32 delays[] = { 500, 1000, 5000, 20000, 100000, 1000000, 10000000 };
	void __iomem *bar;
	int err = pcim_enable_device(pdev);

	if (err)
		return err;
	pci_set_master(pdev);
	bar = pcim_iomap(pdev, 0, 0);
	if (!bar)
		return -ENOMEM;
	err = pci_alloc_irq_vectors(pdev, 1, 4, PCI_IRQ_MSIX);
	if (err < 0)
		return err;
	err = devm_request_irq(&pdev->dev, pci_irq_vector(pdev, 0), sync_probe_irq, 0, "sync_probe", pdev);
	if (err)
		return err;
	for (int i = 0; i < ARRAY_SIZE(delays); i++)
		sync_probe_measure(bar, delays[i]);
	return 0;
}

static const struct pci_device_id sync_probe_ids[] = { { PCI_DEVICE(0x1ecc, 0x81fe) }, { } };
MODULE_DEVICE_TABLE(pci, sync_probe_ids);
static struct pci_driver sync_probe = { .name = "sync_probe", .id_table = sync_probe_ids, .probe = sync_probe_probe };
module_pci_driver(sync_probe);
MODULE_DESCRIPTION("Measures delayed interrupts");
MODULE_LICENSE("GPL");
