// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that process several timers under one lock hold.
 */
#include <linux/export.h>
#include <linux/prefetch.h>
#include "callback.h"

/* Prefetch distance in timers, for the latency of a cache miss. */
#define AHEAD	8

/* Prefetch a timer that will be processed soon. */
static void batch_fetch(const struct wheel_timer *timer)
{
	prefetchw(timer);
	prefetchw((const char *)(timer + 1) - 1);
}

/* Return true if a timer belongs to another wheel, whose lock is not held. */
static bool batch_is_stranger(const struct wheel *wheel, const struct wheel_timer *timer)
{
	return unlikely(timer_base(timer) != wheel->base);
}

static unsigned int arm_hold(struct wheel *wheel, struct wheel_arm *arms, unsigned int n)
{
	struct wheel_base *base = wheel->base;
	unsigned int armed = 0, i;
	unsigned long flags;

	WARN_ON_ONCE(wheel->config.flags & WHEEL_PERCPU);
	raw_spin_lock_irqsave(&base->lock, flags);
	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			batch_fetch(arms[i + AHEAD].timer);
		if (batch_is_stranger(wheel, arms[i].timer) || unlikely(!arms[i].timer->function))
			arms[i].res = -EINVAL;
		else
			arms[i].res = wheel_timer_arm_locked(arms[i].timer, arms[i].deadline,
							     arms[i].slack);
		armed += !arms[i].res;
	}
	timer_unlock(base, flags);
	return armed;
}

/**
 * wheel_arm_batch() - Arm several timers
 * @wheel: their wheel, without WHEEL_PERCPU
 * @arms: timers, deadlines and slacks; the results are written to @res of each
 * @n: number of timers
 *
 * Arms the timers in order, as if by wheel_timer_arm(). Up to WHEEL_BATCH timers share a lock
 * hold, except with WHEEL_OVERFLOW. A timer that belongs to another wheel is not armed, and its
 * result is -EINVAL.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return: number of timers armed.
 */
unsigned int wheel_arm_batch(struct wheel *wheel, struct wheel_arm *arms, unsigned int n)
{
	unsigned int hold = base_batch_max(wheel->base);
	unsigned int armed = 0, i;

	for (i = 0; i < n; i += hold)
		armed += arm_hold(wheel, arms + i, min(n - i, hold));
	return armed;
}
EXPORT_SYMBOL_GPL(wheel_arm_batch);

static unsigned int cancel_hold(struct wheel *wheel, struct wheel_timer **timers, int *res,
				unsigned int n)
{
	struct wheel_base *base = wheel->base;
	unsigned int cancelled = 0, i;
	unsigned long flags;

	WARN_ON_ONCE(wheel->config.flags & WHEEL_PERCPU);
	raw_spin_lock_irqsave(&base->lock, flags);
	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			batch_fetch(timers[i + AHEAD]);
		if (batch_is_stranger(wheel, timers[i]))
			res[i] = -EINVAL;
		else
			res[i] = callback_cancel(base, timers[i]);
		cancelled += !res[i];
	}
	timer_unlock(base, flags);
	return cancelled;
}

/**
 * wheel_cancel_batch() - Cancel several timers
 * @wheel: their wheel, without WHEEL_PERCPU
 * @timers: timers
 * @res: out: return value of wheel_timer_cancel() for each timer
 * @n: number of timers
 *
 * Does not wait for callbacks. Up to WHEEL_BATCH timers share a lock hold. A timer that belongs to
 * another wheel is not cancelled, and its result is -EINVAL.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return: number of timers that were pending and will not expire.
 */
unsigned int wheel_cancel_batch(struct wheel *wheel, struct wheel_timer **timers, int *res,
				unsigned int n)
{
	unsigned int cancelled = 0, i;

	for (i = 0; i < n; i += WHEEL_BATCH)
		cancelled += cancel_hold(wheel, timers + i, res + i,
					 min_t(unsigned int, n - i, WHEEL_BATCH));
	return cancelled;
}
EXPORT_SYMBOL_GPL(wheel_cancel_batch);
