/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers on timing wheels, for kernel modules.
 *
 * Create a wheel, embed a struct wheel_timer in an object, and arm it. The
 * kernel-doc of each function states the contexts from which it may be called.
 */
#ifndef _LINUX_WHEEL_TIMER_H
#define _LINUX_WHEEL_TIMER_H

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/lockdep_types.h>
#include <linux/types.h>
#include <linux/wheel_timer_defs.h>
#include <linux/wheel_timer_types.h>

struct wheel;

/* wheel_config.flags */
/* Callbacks run in process context and may sleep. By default, they run in softirq context. */
#define WHEEL_SLEEPABLE		BIT(0)
/* Several bases: a timer is armed on the base of the CPU that arms it. */
#define WHEEL_PERCPU		BIT(1)

/* Maximum number of timers that are processed under one lock hold. */
#define WHEEL_BATCH		64

/**
 * struct wheel_config - Configuration of a wheel
 * @name: name for messages, traces and debugfs; a string constant
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED (default), _HIERARCHICAL, _BOUNDED or _OVERFLOW
 * @buckets: number of buckets, at most WHEEL_MAX_BUCKETS, rounded up to a power of two.
 *	0: @limit / 16, at least 256; or 4096 without a limit
 * @flags: WHEEL_SLEEPABLE, WHEEL_PERCPU
 * @tick_ns: exact tick length in nanoseconds; 0: 1 ms
 * @limit: maximum number of pending timers. 0: unlimited, except for 4096 with WHEEL_OVERFLOW.
 *	Must be 0 with WHEEL_PERCPU, because the bases have no common counter
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

struct wheel * __must_check
wheel_create_class(const struct wheel_config *config, struct wheel_class *class);

/**
 * wheel_create() - Create a wheel
 * @config: configuration of the wheel
 *
 * Calls wheel_create_class() with separate lock classes for each caller.
 *
 * Return: Same as wheel_create_class().
 */
#define wheel_create(config)					\
({								\
	static struct wheel_class __class;			\
								\
	wheel_create_class(config, &__class);			\
})

int wheel_stop(struct wheel *wheel, struct list_head *unfired);
void wheel_destroy(struct wheel *wheel);
u64 wheel_advance_to(struct wheel *wheel, u64 now);

u64 wheel_now(const struct wheel *wheel);
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats);

void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel, wheel_timer_fn function);
int __must_check wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack);
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline);
int wheel_timer_cancel(struct wheel_timer *timer);
int wheel_timer_cancel_sync(struct wheel_timer *timer);
int wheel_timer_shutdown_sync(struct wheel_timer *timer);
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer);

/**
 * wheel_timer_arm_in() - Arm a timer after a delay
 * @timer: timer that is not pending
 * @delay: nanoseconds from now
 * @slack: same as wheel_timer_arm()
 *
 * Reads the clock. A timer that repeats is better armed from its last deadline, which does not add
 * the lateness of each expiry.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return: same as wheel_timer_arm().
 */
static inline int __must_check wheel_timer_arm_in(struct wheel_timer *timer, u64 delay, u64 slack)
{
	struct wheel *wheel = wheel_timer_wheel(timer);

	if (!wheel)
		return -EINVAL;
	if (delay > WHEEL_MAX_TIME)
		return -ERANGE;
	return wheel_timer_arm(timer, wheel_now(wheel) + delay, slack);
}

/**
 * struct wheel_arm - Entry of a batch for wheel_arm_batch()
 * @timer: timer
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm()
 * @res: out: return value of wheel_timer_arm()
 */
struct wheel_arm {
	struct wheel_timer	*timer;
	u64			deadline;
	u64			slack;
	int			res;
};

unsigned int wheel_arm_batch(struct wheel *wheel, struct wheel_arm *arms, unsigned int n);
unsigned int wheel_cancel_batch(struct wheel *wheel, struct wheel_timer **timers, int *res,
				unsigned int n);

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
