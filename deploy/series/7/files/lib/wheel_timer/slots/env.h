/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The headers that slots/ needs.
 */
#ifndef _WHEEL_SLOTS_ENV_H
#define _WHEEL_SLOTS_ENV_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/prefetch.h>
#include <linux/string.h>
#include <linux/wheel_timer_owner.h>
#include <asm/page.h>
#include "../wheel.h"
#include "trace.h"

/* Slots and parameters, and the arrays that are shared with the program, are allocated by pages. */
#define WHEEL_SLOT_PAGE		PAGE_SIZE
#define WHEEL_SHARED_PAGE	PAGE_SIZE

/* Set bits in memory that is shared with a program. Implies no barrier. */
static inline void wheel_slots_or(u64 *bits, u64 set)
{
	atomic64_or(set, (atomic64_t *)bits);
}

#endif
