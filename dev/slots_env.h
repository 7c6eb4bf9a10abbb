/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Environment of slots/ in the kernel.
 */
#ifndef _WHEEL_DEV_SLOTS_ENV_H
#define _WHEEL_DEV_SLOTS_ENV_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/prefetch.h>
#include <linux/string.h>
#include <linux/wheel_timer.h>
#include <asm/page.h>
#include "trace.h"

/* Allocation unit of slots, in bytes. */
#define WHEEL_SLOT_PAGE	PAGE_SIZE

/* Prevent speculation beyond the bound of a slot number that a program passed. */
static inline u32 wheel_slots_index(u32 nr, u32 count)
{
	return array_index_nospec(nr, count);
}

/* Set bits in memory that is shared with a program. Implies no barrier. */
static inline void wheel_slots_or(u64 *bits, u64 set)
{
	atomic64_or(set, (atomic64_t *)bits);
}

#define wheel_slots_trace_arm(slot)	trace_wheel_dev_arm(slot)
#define wheel_slots_trace_cancel(slot)	trace_wheel_dev_cancel(slot)
#define wheel_slots_trace_event(slot)	trace_wheel_dev_event(slot)

#endif
