/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers on a hashed timing wheel, for kernel modules.
 *
 * Create a wheel, embed a struct wheel_timer in your object, arm it. Each
 * function says in its kernel-doc from which contexts it may be called.
 */
#ifndef _LINUX_WHEEL_TIMER_H
#define _LINUX_WHEEL_TIMER_H

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/types.h>
#include <linux/wheel_timer_types.h>
#include <uapi/linux/wheel_timer.h>

struct wheel;

/* wheel_config.flags */
/* Callbacks run in process context and may sleep; else in softirq context. */
#define WHEEL_SLEEPABLE		BIT(0)

/* No deadline; also what wheel_timer_arm_next() returns when it did not arm. */
#define WHEEL_NEVER		(~(u64)0)

/**
 * struct wheel_config - what wheel_create() makes
 * @name: for messages; must outlive the wheel
 * @clock: WHEEL_CLOCK_MONOTONIC, _BOOTTIME or _VIRTUAL
 * @scheme: WHEEL_HASHED, _HIERARCHICAL, _BOUNDED or _OVERFLOW
 * @slots: of the ring, at most WHEEL_MAX_SLOTS, rounded up to a power of two;
 *	0: @limit / 16, at least 256, and 4096 without a limit
 * @flags: WHEEL_SLEEPABLE or 0
 * @tick_ns: nanoseconds a tick, exact; 0: 1 ms
 * @limit: how many timers may be pending at once; 0: any number
 * @data: handed back by wheel_data()
 */
struct wheel_config {
	const char	*name;
	u32		clock;
	u32		scheme;
	u32		slots;
	u32		flags;
	u64		tick_ns;
	u64		limit;
	void		*data;
};

struct wheel *wheel_create(const struct wheel_config *config);
int wheel_stop(struct wheel *wheel, struct list_head *unfired);
void wheel_destroy(struct wheel *wheel);
u64 wheel_advance_to(struct wheel *wheel, u64 now);

u64 wheel_now(const struct wheel *wheel);
void *wheel_data(const struct wheel *wheel);
u32 wheel_slots_for(const struct wheel_config *config);
u64 wheel_features(void);
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats);

void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function);
int wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_reduce(struct wheel_timer *timer, u64 deadline, u64 slack);
u64 wheel_timer_arm_next(struct wheel_timer *timer, u64 period);
int wheel_timer_cancel(struct wheel_timer *timer);
int wheel_timer_cancel_sync(struct wheel_timer *timer);
int wheel_timer_shutdown_sync(struct wheel_timer *timer);
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer);
bool wheel_timer_pending(const struct wheel_timer *timer);
u64 wheel_timer_deadline(const struct wheel_timer *timer);
u64 wheel_timer_fired(const struct wheel_timer *timer);

/**
 * from_wheel_timer - the object that embeds a timer
 * @ptr: a pointer of the object's type, for its type alone
 * @timer: the timer that a callback was given
 * @member: name of the timer in the object
 *
 * Return: the object.
 */
#define from_wheel_timer(ptr, timer, member) \
	container_of(timer, typeof(*(ptr)), member)

#endif
