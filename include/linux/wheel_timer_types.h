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
 * @bucket: of the ring where it is filed; WHEEL_UNFILED when it is not pending
 * @order: its slack allows to round a due tick up to a multiple of 2^order
 * @hint: where a timer may lie that comes some places later
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
	u32			bucket;
	u32			order : 8;
	s32			hint : 24;
	wheel_timer_fn		function;
	unsigned long		base;
};

#define WHEEL_UNFILED	(~(u32)0)

/* In deadline, which may then not be moved without the wheel's lock. */
#define WHEEL_IDLE	((u64)1 << 63)

#endif
