// SPDX-License-Identifier: GPL-2.0-only
/*
 * devlink: what `devlink dev info` says.
 */
#include <net/devlink.h>

#include "vg810.h"

static int vg810_devlink_info(struct devlink *devlink, struct devlink_info_req *request,
			      struct netlink_ext_ack *extack)
{
	struct vg810_core *core = devlink_priv(devlink);
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%016llx", core->limits.serial);
	err = devlink_info_serial_number_put(request, text);
	if (err)
		return err;

	snprintf(text, sizeof(text), "%u", vg810_read(core, VG810_REG_HARDWARE_REVISION));
	err = devlink_info_version_fixed_put(request, DEVLINK_INFO_VERSION_GENERIC_ASIC_REV, text);
	if (err)
		return err;

	vg810_firmware_text(core, text, sizeof(text));
	return devlink_info_version_running_put(request, DEVLINK_INFO_VERSION_GENERIC_FW, text);
}

static const struct devlink_ops vg810_devlink_ops = {
	.info_get = vg810_devlink_info,
};

/**
 * vg810_firmware_text() - the firmware's version as text
 * @core: the function
 * @text: where to
 * @bytes: its size
 */
void vg810_firmware_text(const struct vg810_core *core, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u.%u.%u",
		 (u32)FIELD_GET(VG810_FIRMWARE_VERSION_MAJOR, core->firmware),
		 (u32)FIELD_GET(VG810_FIRMWARE_VERSION_MINOR, core->firmware),
		 (u32)FIELD_GET(VG810_FIRMWARE_VERSION_PATCH, core->firmware));
}

/**
 * vg810_devlink_alloc() - allocate a function's state, zeroed, inside a devlink instance
 * @dev: the PCI function
 *
 * Return: the state or NULL.
 */
struct vg810_core *vg810_devlink_alloc(struct device *dev)
{
	struct devlink *devlink = devlink_alloc(&vg810_devlink_ops, sizeof(struct vg810_core),
						dev);

	return devlink ? devlink_priv(devlink) : NULL;
}

/**
 * vg810_devlink_free() - undo vg810_devlink_alloc()
 * @core: the function
 */
void vg810_devlink_free(struct vg810_core *core)
{
	devlink_free(priv_to_devlink(core));
}

/**
 * vg810_devlink_register() - show the function to devlink's users
 * @core: the function, working
 */
void vg810_devlink_register(struct vg810_core *core)
{
	devlink_register(priv_to_devlink(core));
}

/**
 * vg810_devlink_unregister() - undo vg810_devlink_register()
 * @core: the function
 */
void vg810_devlink_unregister(struct vg810_core *core)
{
	devlink_unregister(priv_to_devlink(core));
}
