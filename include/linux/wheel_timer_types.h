/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The timer as its owner embeds it. Apart from its operations, so that the
 * wheel itself, which also compiles in user space, needs nothing else.
 */
#ifndef _LINUX_WHEEL_TIMER_TYPES_H
#define _LINUX_WHEEL_TIMER_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

struct wheel_timer;

typedef void (*wheel_timer_fn)(struct wheel_timer *timer);

/**
 * struct wheel_timer - a timer on a wheel; embed it, touch no field
 * @node: in its bucket; after wheel_stop() on the caller's list
 * @deadline: when it shall fire, in nanoseconds on the wheel's clock; WHEEL_IDLE
 *	is set when it is not pending
 * @due_tick: while pending, the tick it is due at
 * @fired: afterwards, when it fired, in nanoseconds
 * @place: @bucket, and @order above WHEEL_ORDER_SHIFT; accessed without a lock
 * @bucket: number of its bucket; WHEEL_UNFILED if it is not pending
 * @order: a due tick may be rounded up to a multiple of 2^order within the slack
 * @hint: distance to a timer that is queued several places later, in units of 8 bytes
 * @function: called when it fires
 * @base: the wheel that it belongs to, and state in the low bits
 *
 * The wheel itself touches what stands before @function: side by side, these 40 bytes lie
 * on 1.5 lines of the cache, and all 56 on 1.75.
 */
struct wheel_timer {
	struct list_head	node;
	u64			deadline;
	union {
		u64		due_tick;
		u64		fired;
	};
	union {
		u32		place;
		struct {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			u32	bucket : 24;
			u32	order : 8;
#else
			u32	order : 8;
			u32	bucket : 24;
#endif
		};
	};
	s32			hint;
	wheel_timer_fn		function;
	unsigned long		base;
};

#define WHEEL_ORDER_SHIFT	24
#define WHEEL_UNFILED	(((u32)1 << WHEEL_ORDER_SHIFT) - 1)

/* In deadline, which may then not be moved without the wheel's lock. */
#define WHEEL_IDLE	((u64)1 << 63)

#endif
