/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all wheels have, regardless of the context in which their timers expire: a configuration, a
 * clock, counters and an end. Include wheel_timer.h for timers with callbacks, or
 * wheel_timer_owner.h to run the passes of a wheel.
 */
#ifndef _LINUX_WHEEL_TIMER_COMMON_H
#define _LINUX_WHEEL_TIMER_COMMON_H

#include <linux/container_of.h>
#include <linux/lockdep_types.h>
#include <linux/types.h>
#include <linux/wheel_timer_defs.h>
#include <linux/wheel_timer_types.h>

struct list_head;
struct wheel;

/* Maximum number of timers that are processed under one lock hold. */
#define WHEEL_BATCH		64

/**
 * struct wheel_config - Configuration of a wheel
 * @name: name for messages, traces and debugfs; a string constant
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED (default), _HIERARCHICAL, _BOUNDED or _OVERFLOW
 * @buckets: number of buckets, at most WHEEL_MAX_BUCKETS, rounded up to a power of two.
 *	0: @limit / 16, at least 256; or 4096 without a limit
 * @flags: flags of wheel_timer.h for wheels with callbacks; otherwise 0
 * @tick_ns: exact tick length in nanoseconds; 0: 1 ms
 * @limit: maximum number of pending timers. 0: unlimited, except for 4096 with WHEEL_OVERFLOW
 * @shift_ns: difference between the wheel's clock and @clock, as in a time namespace; 0 unless
 *	@clock is WHEEL_CLOCK_MONOTONIC or _BOOTTIME
 */
struct wheel_config {
	const char	*name;
	u32		clock;
	u32		scheme;
	u32		buckets;
	u32		flags;
	u64		tick_ns;
	u64		limit;
	s64		shift_ns;
};

/* Lock classes for lockdep, shared by all wheels that are created at the same place. */
struct wheel_class {
	struct lock_class_key	lock;
	struct lock_class_key	advance_lock;
	struct lock_class_key	calling;
};

int wheel_stop(struct wheel *wheel, struct list_head *unfired);
void wheel_destroy(struct wheel *wheel);
u64 wheel_advance_to(struct wheel *wheel, u64 now);
u64 wheel_now(const struct wheel *wheel);
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats);

void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel, wheel_timer_fn function);
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline);
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer);

/**
 * from_wheel_timer() - Get the object that contains a timer
 * @ptr: pointer to the type of the object; only its type is used
 * @timer: timer passed to a callback
 * @member: name of the timer within the object
 *
 * Return: the object.
 */
#define from_wheel_timer(ptr, timer, member) \
	container_of(timer, typeof(*(ptr)), member)

#endif
