// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: armed, moved, looked at. What kernel modules call.
 */
#include <linux/export.h>
#include <linux/math64.h>
#include "engine.h"

static int time_check(u64 deadline, u64 slack)
{
	return deadline > WHEEL_MAX_TIME || slack > WHEEL_MAX_TIME ? -ERANGE : 0;
}

/*
 * Why a timer that is not pending cannot be armed, or 0. The shutdown bit is
 * looked at under the lock under which wheel_timer_shutdown_sync() sets it.
 */
static int arm_check(const struct wheel_base *base,
		     const struct wheel_timer *timer, int err)
{
	if (err)
		return err;
	if (base->stopped || timer->base & TIMER_SHUTDOWN)
		return -ESHUTDOWN;
	if (base->core.pending >= base->limit)
		return -EDQUOT;
	return 0;
}

/* A timer was filed: is it the earliest? */
static void watch(struct wheel_base *base, const struct wheel_timer *timer)
{
	if (timer->due < base->programmed)
		wheel_base_program(base, timer->due);
}

/* Who has to be told: an idle wheel, one with a bound, a clock that can be set. */
static void tell_time(struct wheel_base *base)
{
	struct wheel_core *core = &base->core;
	bool settable = wheel_settable(base->owner->clock);
	u64 tick;

	if (likely(core->pending && !core->scheme->follow && !settable))
		return;
	tick = wheel_tick_at(core, wheel_now(base->owner));
	if (settable)
		wheel_set_back(core, tick);
	wheel_forward(core, tick);
}

/* Arm a timer that is not pending, unless @err or anything else forbids it. */
static int base_arm(struct wheel_base *base, struct wheel_timer *timer,
		    u64 deadline, u64 slack, int err)
{
	struct wheel_core *core = &base->core;

	lockdep_assert_held(&base->lock);
	err = arm_check(base, timer, err);
	if (likely(!err)) {
		tell_time(base);
		err = wheel_place(core, timer, deadline, slack);
	}
	if (unlikely(err)) {
		base->counts.refused++;
		return err;
	}
	watch(base, timer);
	base->counts.armed++;
	return 0;
}

/* Move a timer that is pending. */
static int base_rearm(struct wheel_base *base, struct wheel_timer *timer,
		      u64 deadline, u64 slack, int err)
{
	lockdep_assert_held(&base->lock);
	if (err)
		return err;
	tell_time(base);
	err = wheel_move(&base->core, timer, deadline, slack);
	if (unlikely(err))
		return err;
	watch(base, timer);
	base->counts.rearmed++;
	return 0;
}

/* Move a timer that is pending to an earlier deadline. */
static void base_reduce(struct wheel_base *base, struct wheel_timer *timer,
			u64 deadline, u64 slack)
{
	lockdep_assert_held(&base->lock);
	wheel_reduce(&base->core, timer, deadline, slack);
	watch(base, timer);
	base->counts.rearmed++;
}

/**
 * wheel_timer_init - make a timer ready to be armed
 * @timer: timer that is not pending
 * @wheel: the wheel that it belongs to from now on
 * @function: called when it fires, in softirq context or, on a WHEEL_SLEEPABLE
 *	wheel, in process context; without a lock held. It may arm, cancel or free
 *	its own timer and others
 *
 * Context: Any.
 */
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function)
{
	INIT_LIST_HEAD(&timer->node);
	timer->deadline = 0;
	timer->due = 0;
	timer->function = function;
	timer->base = (unsigned long)&wheel->base;
	timer->slot = WHEEL_UNFILED;
	timer->order = 0;
}
EXPORT_SYMBOL_GPL(wheel_timer_init);

/**
 * wheel_timer_arm - start a timer that is not pending
 * @timer: timer
 * @deadline: when it shall fire, in nanoseconds on the wheel's clock
 * @slack: how much later is as good, in nanoseconds; timers with slack share
 *	wake-ups
 *
 * It fires at the first tick boundary at or after @deadline, or at a later one
 * within @slack; never before. A deadline that has passed is due at the next
 * tick. Timers due at one tick fire in the order in which they were armed.
 *
 * Context: Any, hardirq included, but not NMI, and not with a lock of the
 * scheduler's, hrtimers' or timekeeping's core held.
 *
 * Return:
 *
 * * %0 - armed
 * * %-EBUSY - it is pending; nothing changed
 * * %-EINVAL - it has no function
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME, @deadline is later than
 *   a bounded wheel can hold, or the clock has reached its end and has no next tick
 * * %-EDQUOT - as many timers as the wheel's limit allows are pending
 * * %-ESHUTDOWN - the wheel was stopped or the timer was shut down
 */
int wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base(timer);
	unsigned long flags;
	int err;

	if (unlikely(!timer->function))
		return -EINVAL;
	raw_spin_lock_irqsave(&base->lock, flags);
	if (unlikely(wheel_filed(timer)))
		err = -EBUSY;
	else
		err = base_arm(base, timer, deadline, slack,
			       time_check(deadline, slack));
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm);

/**
 * wheel_timer_rearm - move a timer that is pending
 * @timer: timer
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Among the timers that are due at the same tick it is now the last.
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - moved
 * * %-ENOENT - it is not pending; nothing changed
 * * %-ERANGE - as wheel_timer_arm(); nothing changed
 */
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base(timer);
	unsigned long flags;
	int err = -ENOENT;

	raw_spin_lock_irqsave(&base->lock, flags);
	if (likely(wheel_filed(timer)))
		err = base_rearm(base, timer, deadline, slack,
				 time_check(deadline, slack));
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm);

/**
 * wheel_timer_mod - start a timer, or move it when it is pending
 * @timer: timer
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * What mod_timer() does. Who counts references takes one if and only if this
 * returns 0.
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - it was not pending, and is now
 * * %1 - it was pending and was moved
 * * negative - as wheel_timer_arm(); nothing changed
 */
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base(timer);
	int err = time_check(deadline, slack);
	unsigned long flags;

	if (unlikely(!timer->function))
		return -EINVAL;
	raw_spin_lock_irqsave(&base->lock, flags);
	if (wheel_filed(timer))
		err = base_rearm(base, timer, deadline, slack, err) ?: 1;
	else
		err = base_arm(base, timer, deadline, slack, err);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_mod);

/**
 * wheel_timer_reduce - move a timer that is pending, but never later
 * @timer: timer
 * @deadline: as wheel_timer_arm(); nothing changes unless it is earlier than
 *	the present one
 * @slack: as wheel_timer_arm()
 *
 * The idea is that of timer_reduce().
 *
 * Context: As wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - its deadline is @deadline or earlier
 * * %-ENOENT - it is not pending; nothing changed
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME; nothing changed
 */
int wheel_timer_reduce(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base(timer);
	int err = time_check(deadline, slack);
	unsigned long flags;

	raw_spin_lock_irqsave(&base->lock, flags);
	if (!wheel_filed(timer))
		err = -ENOENT;
	else if (!err && deadline < timer->deadline)
		base_reduce(base, timer, deadline, slack);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_reduce);

/*
 * The next point of the grid deadline + k * period that lies after @now, and
 * how many between were missed. WHEEL_NEVER when there is none.
 */
static u64 next_period(u64 deadline, u64 period, u64 now, u64 *missed)
{
	*missed = now > deadline ? div64_u64(now - deadline, period) : 0;
	if (div64_u64(WHEEL_MAX_TIME - deadline, period) <= *missed)
		return WHEEL_NEVER;
	return deadline + (*missed + 1) * period;
}

/**
 * wheel_timer_arm_next - let a timer go on periodically
 * @timer: timer that is not pending; typically from its own callback
 * @period: nanoseconds
 *
 * The timer is armed on its own grid, a multiple of @period after its last
 * deadline, for the first point that lies in the future: the phase is kept, and
 * what was missed is counted and not made up for; without slack. As
 * hrtimer_forward_now() and a restart.
 *
 * Context: As wheel_timer_arm().
 *
 * Return: how many periods were missed; WHEEL_NEVER when the timer is not
 * armed, since it is pending, @period is 0, the next point is past
 * WHEEL_MAX_TIME, or for a reason that wheel_timer_arm() gives.
 */
u64 wheel_timer_arm_next(struct wheel_timer *timer, u64 period)
{
	struct wheel_base *base = timer_base(timer);
	u64 missed = WHEEL_NEVER;
	unsigned long flags;
	u64 next;

	if (unlikely(!period || !timer->function))
		return WHEEL_NEVER;
	raw_spin_lock_irqsave(&base->lock, flags);
	if (!wheel_filed(timer)) {
		next = next_period(timer->deadline, period,
				   wheel_now(base->owner), &missed);
		if (base_arm(base, timer, next, 0, time_check(next, 0)))
			missed = WHEEL_NEVER;
		else
			base->counts.overruns += missed;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return missed;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm_next);

/**
 * wheel_timer_wheel - the wheel that a timer belongs to
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: the wheel that wheel_timer_init() was given.
 */
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer)
{
	return timer_base(timer)->owner;
}
EXPORT_SYMBOL_GPL(wheel_timer_wheel);

/**
 * wheel_timer_pending - will a timer fire?
 * @timer: timer
 *
 * Unless the caller keeps others from it, the answer may be old when it comes.
 *
 * Context: Any.
 *
 * Return: true if it is pending.
 */
bool wheel_timer_pending(const struct wheel_timer *timer)
{
	return wheel_filed(timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_pending);

/**
 * wheel_timer_deadline - a timer's deadline
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: that of the last arming, in nanoseconds on the wheel's clock.
 */
u64 wheel_timer_deadline(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->deadline);
}
EXPORT_SYMBOL_GPL(wheel_timer_deadline);

/**
 * wheel_timer_fired - when a timer fired
 * @timer: timer that fired and was not armed since
 *
 * Context: Any; typically its callback.
 *
 * Return: the wheel's clock when the wheel took the timer, not less than its
 * deadline, in nanoseconds.
 */
u64 wheel_timer_fired(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->due);
}
EXPORT_SYMBOL_GPL(wheel_timer_fired);
