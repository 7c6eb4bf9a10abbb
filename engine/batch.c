// SPDX-License-Identifier: GPL-2.0
/*
 * Many timers under one lock hold. Kernel modules call this.
 */
#include <linux/export.h>
#include <linux/prefetch.h>
#include "engine.h"

/* May it have several? Asked of its flag, so that a mistake is found on one CPU, too. */
static bool wheel_has_bases(const struct wheel *wheel)
{
	return wheel->config.flags & WHEEL_PERCPU;
}

/**
 * wheel_lock - let no other look at the timers of a wheel
 * @wheel: wheel without WHEEL_PERCPU
 *
 * For several calls of wheel_timer_arm_locked() and its like at the price of one
 * lock. Interrupts are disabled meanwhile: no more of them than wheel_batch_max() says.
 *
 * Context: As wheel_timer_arm(). Before wheel_unlock() no function of the wheel may be
 * called that takes its lock. These take none: those that end in _locked,
 * wheel_timer_pending(), wheel_timer_deadline(), wheel_timer_fired(), wheel_timer_wheel(),
 * wheel_timer_push(), wheel_now(), and what tells of a wheel's configuration.
 *
 * Return: for wheel_unlock().
 */
unsigned long wheel_lock(struct wheel *wheel)
	__acquires(&wheel->base->lock)
{
	unsigned long flags;

	WARN_ON_ONCE(wheel_has_bases(wheel));
	raw_spin_lock_irqsave(&wheel->base->lock, flags);
	return flags;
}
EXPORT_SYMBOL_GPL(wheel_lock);

/**
 * wheel_unlock - let others look again
 * @wheel: wheel
 * @flags: what wheel_lock() returned
 *
 * Context: As wheel_lock().
 */
void wheel_unlock(struct wheel *wheel, unsigned long flags)
	__releases(&wheel->base->lock)
{
	timer_unlock(wheel->base, flags);
}
EXPORT_SYMBOL_GPL(wheel_unlock);

/* As far ahead as a miss of the cache takes. */
#define AHEAD	8

/* A batch says which timers come: they are fetched while others are worked on. */
static void batch_fetch(const struct wheel_timer *timer)
{
	prefetchw(timer);
	prefetchw((const char *)(timer + 1) - 1);
}

/* Is it a timer of another wheel, whose lock is not held? */
static bool batch_is_stranger(const struct wheel *wheel,
			      const struct wheel_timer *timer)
{
	return unlikely(timer_base(timer) != wheel->base);
}

static unsigned int arm_hold(struct wheel *wheel, struct wheel_arm *arms,
			     unsigned int n)
{
	unsigned long flags = wheel_lock(wheel);
	unsigned int armed = 0, i;

	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			batch_fetch(arms[i + AHEAD].timer);
		if (batch_is_stranger(wheel, arms[i].timer))
			arms[i].res = -EINVAL;
		else
			arms[i].res = wheel_timer_arm_locked(arms[i].timer,
							     arms[i].deadline,
							     arms[i].slack);
		armed += !arms[i].res;
	}
	wheel_unlock(wheel, flags);
	return armed;
}

/* With several bases each timer has a lock of its own. */
static unsigned int arm_each(struct wheel *wheel, struct wheel_arm *arms,
			     unsigned int n)
{
	unsigned int armed = 0, i;

	for (i = 0; i < n; i++) {
		if (wheel_timer_wheel(arms[i].timer) != wheel)
			arms[i].res = -EINVAL;
		else
			arms[i].res = wheel_timer_arm(arms[i].timer,
						      arms[i].deadline,
						      arms[i].slack);
		armed += !arms[i].res;
	}
	return armed;
}

/**
 * wheel_arm_batch - arm many timers
 * @wheel: their wheel
 * @arms: timers and their times; answers
 * @n: how many
 *
 * Each as wheel_timer_arm() does it, in order, many under one lock hold; with
 * WHEEL_PERCPU one under each. A timer of another wheel is left alone and answered by
 * -EINVAL.
 *
 * Context: As wheel_timer_arm().
 *
 * Return: how many were armed.
 */
unsigned int wheel_arm_batch(struct wheel *wheel, struct wheel_arm *arms,
			     unsigned int n)
{
	unsigned int hold = wheel_batch_max(wheel);
	unsigned int armed = 0, i;

	if (wheel_has_bases(wheel))
		return arm_each(wheel, arms, n);
	for (i = 0; i < n; i += hold)
		armed += arm_hold(wheel, arms + i, min(n - i, hold));
	return armed;
}
EXPORT_SYMBOL_GPL(wheel_arm_batch);

static unsigned int cancel_hold(struct wheel *wheel,
				struct wheel_timer **timers, int *res,
				unsigned int n)
{
	unsigned long flags = wheel_lock(wheel);
	unsigned int cancelled = 0, i;

	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			batch_fetch(timers[i + AHEAD]);
		if (batch_is_stranger(wheel, timers[i]))
			res[i] = -EINVAL;
		else
			res[i] = wheel_timer_cancel_locked(timers[i]);
		cancelled += !res[i];
	}
	wheel_unlock(wheel, flags);
	return cancelled;
}

static unsigned int cancel_each(struct wheel *wheel,
				struct wheel_timer **timers, int *res,
				unsigned int n)
{
	unsigned int cancelled = 0, i;

	for (i = 0; i < n; i++) {
		if (wheel_timer_wheel(timers[i]) != wheel)
			res[i] = -EINVAL;
		else
			res[i] = wheel_timer_cancel(timers[i]);
		cancelled += !res[i];
	}
	return cancelled;
}

/**
 * wheel_cancel_batch - stop many timers
 * @wheel: their wheel
 * @timers: timers
 * @res: out: for each what wheel_timer_cancel() would return
 * @n: how many
 *
 * Does not wait for callbacks. As wheel_arm_batch(), many under one lock hold; a timer of
 * another wheel is left alone and answered by -EINVAL.
 *
 * Context: As wheel_timer_arm().
 *
 * Return: how many were pending and will not fire.
 */
unsigned int wheel_cancel_batch(struct wheel *wheel,
				struct wheel_timer **timers, int *res,
				unsigned int n)
{
	unsigned int cancelled = 0, i;

	if (wheel_has_bases(wheel))
		return cancel_each(wheel, timers, res, n);
	for (i = 0; i < n; i += WHEEL_BATCH)
		cancelled += cancel_hold(wheel, timers + i, res + i,
					 min_t(unsigned int, n - i, WHEEL_BATCH));
	return cancelled;
}
EXPORT_SYMBOL_GPL(wheel_cancel_batch);
