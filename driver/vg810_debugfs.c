// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/vg810/<PCI address>/:
 *
 * irq_delay  write N: run the delayed-interrupt test with N nanoseconds; read: the last result as
 *            "asked raised measured", in nanoseconds (see struct vg810_irq_test_result).
 * stamps     the card's clock at the last doorbell, frame out, frame in and interrupt.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "vg810.h"

static struct dentry *vg810_debugfs_root;

static ssize_t vg810_irq_delay_write(struct file *file, const char __user *buffer, size_t count,
				     loff_t *position)
{
	struct vg810_core *core = file->private_data;
	struct vg810_irq_test_result result;
	u32 delay_ns;
	int err;

	err = kstrtou32_from_user(buffer, count, 0, &delay_ns);
	if (err)
		return err;
	err = vg810_irq_test_run(core, delay_ns, &result);
	if (err)
		return err;

	mutex_lock(&core->irq_test.lock);
	core->irq_test.last = result;
	mutex_unlock(&core->irq_test.lock);
	return count;
}

static ssize_t vg810_irq_delay_read(struct file *file, char __user *buffer, size_t count,
				    loff_t *position)
{
	struct vg810_core *core = file->private_data;
	struct vg810_irq_test_result result;
	char text[80];
	int length;

	mutex_lock(&core->irq_test.lock);
	result = core->irq_test.last;
	mutex_unlock(&core->irq_test.lock);

	length = scnprintf(text, sizeof(text), "%u %llu %llu\n", result.asked, result.raised,
			   result.measured);
	return simple_read_from_buffer(buffer, count, position, text, length);
}

static const struct file_operations vg810_irq_delay_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = vg810_irq_delay_read,
	.write = vg810_irq_delay_write,
	.llseek = default_llseek,
};

static int vg810_stamps_show(struct seq_file *file, void *unused)
{
	struct vg810_core *core = file->private;

	seq_printf(file, "doorbell %llu\n", vg810_read64(core, VG810_REG_STAMP_DOORBELL));
	seq_printf(file, "frame_out %llu\n", vg810_read64(core, VG810_REG_STAMP_FRAME_OUT));
	seq_printf(file, "frame_in %llu\n", vg810_read64(core, VG810_REG_STAMP_FRAME_IN));
	seq_printf(file, "interrupt %llu\n", vg810_read64(core, VG810_REG_STAMP_INTERRUPT));
	seq_printf(file, "clock %llu\n", vg810_read64(core, VG810_REG_CLOCK));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vg810_stamps);

/**
 * vg810_debugfs_add() - make a function's directory
 * @core: the function
 */
void vg810_debugfs_add(struct vg810_core *core)
{
	core->debugfs = debugfs_create_dir(pci_name(core->pdev), vg810_debugfs_root);
	debugfs_create_file("irq_delay", 0600, core->debugfs, core, &vg810_irq_delay_fops);
	debugfs_create_file("stamps", 0400, core->debugfs, core, &vg810_stamps_fops);
	debugfs_create_u32("resets", 0400, core->debugfs, &core->resets);
	debugfs_create_u32("admin_timeouts", 0400, core->debugfs, &core->admin.timeouts);
}

/**
 * vg810_debugfs_remove() - remove it; waits for those who are inside
 * @core: the function
 */
void vg810_debugfs_remove(struct vg810_core *core)
{
	debugfs_remove_recursive(core->debugfs);
}

/** vg810_debugfs_init() - make the driver's directory */
void vg810_debugfs_init(void)
{
	vg810_debugfs_root = debugfs_create_dir(VG810_DRIVER_NAME, NULL);
}

/** vg810_debugfs_exit() - remove it */
void vg810_debugfs_exit(void)
{
	debugfs_remove_recursive(vg810_debugfs_root);
}
