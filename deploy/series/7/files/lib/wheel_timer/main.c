// SPDX-License-Identifier: GPL-2.0
/*
 * Timers on timing wheels, for other modules and, through /dev/wheel, for programs.
 */
#include <linux/module.h>
#include "callback/callback.h"
#include "dev/dev.h"

static int __init wheel_timer_init_module(void)
{
	int err = wheel_callback_init();

	if (err)
		return err;
	err = wheel_dev_init();
	if (err) {
		wheel_callback_exit();
		return err;
	}
	wheel_debugfs_init();
	return 0;
}

static void __exit wheel_timer_exit_module(void)
{
	wheel_debugfs_exit();
	wheel_dev_exit();
	wheel_callback_exit();
}

module_init(wheel_timer_init_module);
module_exit(wheel_timer_exit_module);

MODULE_DESCRIPTION("Timers on timing wheels");
MODULE_AUTHOR("The wheel_timer authors");
MODULE_LICENSE("GPL");
MODULE_ALIAS("wheel");
