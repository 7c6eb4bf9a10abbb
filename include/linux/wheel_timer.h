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
#include <linux/errno.h>
#include <linux/wheel_timer_common.h>

/* wheel_config.flags */
/* Callbacks run in process context and may sleep. By default, they run in softirq context. */
#define WHEEL_SLEEPABLE		BIT(0)
/*
 * Several bases: a timer is armed on the base of the CPU that arms it. The limit must be 0, because
 * the bases have no common counter.
 */
#define WHEEL_PERCPU		BIT(1)

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

int __must_check wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel(struct wheel_timer *timer);
int wheel_timer_cancel_sync(struct wheel_timer *timer);
int wheel_timer_shutdown_sync(struct wheel_timer *timer);

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

#endif
