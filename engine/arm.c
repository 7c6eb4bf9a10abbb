// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: armed and moved. What kernel modules call.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include "debug.h"

static int time_check(u64 deadline, u64 slack)
{
	return deadline > WHEEL_MAX_TIME || slack > WHEEL_MAX_TIME ? -ERANGE : 0;
}

/*
 * Why a timer that is not pending cannot be armed, or 0. The shutdown bit is
 * looked at under the lock under which wheel_timer_shutdown_sync() sets it.
 */
static int arm_check(const struct wheel_base *base,
		     const struct wheel_timer *timer, u64 deadline, u64 slack)
{
	int err = time_check(deadline, slack);

	if (err)
		return err;
	if (unlikely(timer->base & WHEEL_SHUTDOWN))
		return -ESHUTDOWN;
	if (unlikely(base->core.pending >= base->limit))
		return base->stopped ? -ESHUTDOWN : -EDQUOT;
	return 0;
}

/* A timer was filed: is it the earliest? */
static void base_reprogram(struct wheel_base *base, const struct wheel_timer *timer)
{
	if (timer->due_tick < base->programmed)
		wheel_base_program(base, timer->due_tick);
}

static noinline void base_forward_clock(struct wheel_base *base)
{
	struct wheel_core *core = &base->core;
	u64 tick = wheel_tick_at(core, wheel_now(base->owner));

	if (wheel_settable(base->owner->config.clock))
		wheel_set_back(core, tick);
	wheel_forward(core, tick);
}

/* Does it? An idle wheel, one with a bound, a clock that can be set. */
static bool base_needs_clock(const struct wheel_base *base)
{
	return unlikely(!base->core.pending || base->needs_clock);
}

/*
 * A timer that is armed goes to a base of this CPU's. One that is pending or
 * running keeps its own, so that there is one base to ask. The CPU may go, or be
 * left at once: bases are numbers, not owned by CPUs.
 */
static void arm_percpu(struct wheel_timer *timer)
{
	struct wheel *wheel = timer_base(timer)->owner;
	struct wheel_base *near, *base;
	unsigned long flags;

	near = &wheel->base[raw_smp_processor_id() % wheel->count];
	if (near == timer_base(timer))
		return;
	base = timer_lock(timer, &flags);
	if (!wheel_filed(timer) && !wheel_base_calls(base, timer))
		WRITE_ONCE(timer->base, (unsigned long)near |
					(timer->base & WHEEL_SHUTDOWN));
	timer_unlock(base, flags);
}

static inline struct wheel_base *arm_lock(struct wheel_timer *timer,
					  unsigned long *flags)
{
	if (unlikely(timer_base(timer)->percpu))
		arm_percpu(timer);
	return timer_lock(timer, flags);
}

/* Move a timer that is pending to an earlier deadline. */
static int base_reduce(struct wheel_base *base, struct wheel_timer *timer,
		       u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (base_needs_clock(base))
		base_forward_clock(base);
	err = wheel_reduce(&base->core, timer, deadline, slack);
	if (unlikely(err))
		return err;
	base_reprogram(base, timer);
	base->counts.rearmed++;
	debug_rearm(timer);
	return 0;
}

/* In line twice, so that what is called most is one function. */
static __always_inline int base_arm(struct wheel_base *base,
				    struct wheel_timer *timer,
				    u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(!timer->function && !base->owner->config.expire))
		return -EINVAL;
	if (unlikely(wheel_filed(timer)))
		return -EBUSY;
	err = arm_check(base, timer, deadline, slack);
	if (likely(!err)) {
		if (base_needs_clock(base))
			base_forward_clock(base);
		err = wheel_place(&base->core, timer, deadline, slack);
	}
	if (unlikely(err)) {
		base->counts.refused++;
		return err;
	}
	base_reprogram(base, timer);
	base->counts.armed++;
	debug_arm(timer);
	return 0;
}

/**
 * wheel_timer_arm_locked - start a timer that is not pending
 * @timer: timer of a wheel that is locked by wheel_lock()
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Context: As wheel_timer_arm(), between wheel_lock() and wheel_unlock().
 *
 * Return: As wheel_timer_arm().
 */
int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	return base_arm(timer_base(timer), timer, deadline, slack);
}
EXPORT_SYMBOL_GPL(wheel_timer_arm_locked);

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
	struct wheel_base *base;
	unsigned long flags;
	int err;

	base = arm_lock(timer, &flags);
	err = base_arm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm);

static __always_inline int base_rearm(struct wheel_base *base,
				      struct wheel_timer *timer,
				      u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(!wheel_filed(timer)))
		return -ENOENT;
	err = time_check(deadline, slack);
	if (unlikely(err))
		return err;
	if (base_needs_clock(base))
		base_forward_clock(base);
	err = wheel_move(&base->core, timer, deadline, slack);
	if (unlikely(err))
		return err;
	base_reprogram(base, timer);
	base->counts.rearmed++;
	debug_rearm(timer);
	return 0;
}

/**
 * wheel_timer_rearm_locked - move a timer that is pending
 * @timer: timer of a wheel that is locked by wheel_lock()
 * @deadline: as wheel_timer_rearm()
 * @slack: as wheel_timer_rearm()
 *
 * Context: As wheel_timer_arm_locked().
 *
 * Return: As wheel_timer_rearm().
 */
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	return base_rearm(timer_base(timer), timer, deadline, slack);
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm_locked);

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
	struct wheel_base *base;
	unsigned long flags;
	int err;

	base = timer_lock(timer, &flags);
	err = base_rearm(base, timer, deadline, slack);
	timer_unlock(base, flags);
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
	struct wheel_base *base;
	unsigned long flags;
	int err;

	base = arm_lock(timer, &flags);
	if (wheel_filed(timer))
		err = wheel_timer_rearm_locked(timer, deadline, slack) ?: 1;
	else
		err = wheel_timer_arm_locked(timer, deadline, slack);
	timer_unlock(base, flags);
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
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME, or a clock was set back and
 *   @deadline is later now than a bounded wheel can hold; nothing changed
 */
int wheel_timer_reduce(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	int err = time_check(deadline, slack);
	struct wheel_base *base;
	unsigned long flags;

	base = timer_lock(timer, &flags);
	if (!wheel_filed(timer))
		err = -ENOENT;
	else if (!err && deadline < READ_ONCE(timer->deadline))
		err = base_reduce(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_reduce);

/**
 * wheel_timer_push - move a timer that is pending later, without a lock
 * @timer: timer
 * @deadline: not before this time, in nanoseconds on the wheel's clock
 *
 * For timeouts that are pushed at each packet: the wheel looks at the timer when
 * its old time comes and files it again then. Its slack goes on to hold. Not for a
 * timer whose wheel has a claim function. The idea is that of tokio's timers,
 * whose deadlines move by one atomic operation when they move later.
 *
 * Context: Any, NMI included.
 *
 * Return: true if it is pending and will not fire before @deadline; false if it is
 * not pending or @deadline is past WHEEL_MAX_TIME: nothing changed.
 */
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline)
{
	u64 old = READ_ONCE(timer->deadline);

	/* WHEEL_IDLE makes @old greater than any time. */
	while (old < deadline) {
		if (unlikely(deadline > WHEEL_MAX_TIME))
			return false;
		/* Pairs with the exchange in claim_own(). */
		if (likely(try_cmpxchg(&timer->deadline, &old, deadline)))
			return true;
	}
	return old <= WHEEL_MAX_TIME;
}
EXPORT_SYMBOL_GPL(wheel_timer_push);

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
	u64 missed = WHEEL_NEVER;
	struct wheel_base *base;
	unsigned long flags;
	u64 next;

	if (unlikely(!period))
		return WHEEL_NEVER;
	base = arm_lock(timer, &flags);
	if (!wheel_filed(timer)) {
		next = next_period(timer->deadline & ~WHEEL_IDLE, period,
				   wheel_now(base->owner), &missed);
		if (wheel_timer_arm_locked(timer, next, 0))
			missed = WHEEL_NEVER;
		else
			base->counts.overruns += missed;
	}
	timer_unlock(base, flags);
	return missed;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm_next);

