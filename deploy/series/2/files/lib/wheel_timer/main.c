// SPDX-License-Identifier: GPL-2.0
/*
 * Timing wheels for other modules.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("Timing wheels");
MODULE_AUTHOR("The wheel_timer authors");
MODULE_LICENSE("GPL");
