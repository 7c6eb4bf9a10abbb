/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * struct wheel_timer, without the operations. The data structure, which also compiles in user
 * space, needs no other header of this directory.
 */
#ifndef _LINUX_WHEEL_TIMER_TYPES_H
#define _LINUX_WHEEL_TIMER_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

struct wheel_timer;

typedef void (*wheel_timer_fn)(struct wheel_timer *timer);

/**
 * struct wheel_timer - Timer on a wheel, to be embedded in an object; all members are private
 * @node: links the timer to its bucket; after wheel_stop(), to the caller's list
 * @deadline: deadline in nanoseconds on the wheel's clock; bit WHEEL_IDLE is set if not pending
 * @due_tick: due tick while pending
 * @fired: time of the expiry in nanoseconds; valid only after the timer has expired
 * @place: number of its bucket, or WHEEL_UNFILED if it is not pending; from bit WHEEL_ORDER_SHIFT,
 *	its order: the due tick may be rounded up to a multiple of 2^order within the slack.
 *	Accessed without a lock
 * @hint: distance to a timer that is queued several places later, in units of 8 bytes
 * @function: callback; not accessed if the wheel has an owner, which may use its place
 * @base: base of the wheel, and state in the low bits
 *
 * The wheel accesses the members before @function. These 40 bytes occupy 1.5 cache lines on
 * average, and all 56 bytes 1.75.
 */
struct wheel_timer {
	struct list_head	node;
	u64			deadline;
	union {
		u64		due_tick;
		u64		fired;
	};
	u32			place;
	s32			hint;
	wheel_timer_fn		function;
	unsigned long		base;
};

#define WHEEL_ORDER_SHIFT	24
#define WHEEL_UNFILED	(((u32)1 << WHEEL_ORDER_SHIFT) - 1)

/* Bit of @deadline: the timer is not pending, and wheel_timer_push() must not change @deadline. */
#define WHEEL_IDLE	((u64)1 << 63)

#endif
