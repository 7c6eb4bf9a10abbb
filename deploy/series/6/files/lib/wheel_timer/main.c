// SPDX-License-Identifier: GPL-2.0
/*
 * Timers on timing wheels, for other modules.
 */
#include <linux/module.h>
#include "callback/callback.h"

static int __init wheel_timer_init_module(void)
{
	return wheel_callback_init();
}

static void __exit wheel_timer_exit_module(void)
{
	wheel_callback_exit();
}

subsys_initcall(wheel_timer_init_module);
module_exit(wheel_timer_exit_module);

MODULE_DESCRIPTION("Timers on timing wheels");
MODULE_AUTHOR("The wheel_timer authors");
MODULE_LICENSE("GPL");
