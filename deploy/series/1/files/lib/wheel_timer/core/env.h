/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The headers that the wheel needs.
 */
#ifndef _WHEEL_CORE_ENV_H
#define _WHEEL_CORE_ENV_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include <linux/types.h>
#include <linux/wheel_timer_types.h>

/* Let other tasks run. Return true if the task is being killed, so that nothing needs its wheel. */
bool wheel_killed(void);

/* mul_u64_u64_shr() is four multiplications on User-Mode Linux. */
static inline u64 wheel_mulhi(u64 a, u64 b)
{
	return (u64)((__uint128_t)a * b >> 64);
}

#endif
