/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The constants and the counters that modules and programs share.
 */
#ifndef _LINUX_WHEEL_TIMER_DEFS_H
#define _LINUX_WHEEL_TIMER_DEFS_H

#include <uapi/linux/wheel_timer.h>

#endif
