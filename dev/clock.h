/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clocks of the ABI, as the caller sees them.
 */
#ifndef _WHEEL_DEV_CLOCK_H
#define _WHEEL_DEV_CLOCK_H

#include <linux/types.h>

bool wheel_clock_shifted(u32 clock);

#endif
