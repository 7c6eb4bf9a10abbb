// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: armed. Kernel modules call this.
 */
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include "verbs.h"

/**
 * wheel_base_forward_clock - tell a base's core the present
 * @base: base, locked
 * @deadline: for which a timer is about to be armed
 *
 * Nothing is due before the next tick boundary afterwards. The coarse clock costs
 * next to nothing and tells of most deadlines that they are ahead.
 */
noinline void wheel_base_forward_clock(struct wheel_base *base, u64 deadline)
{
	const struct wheel *wheel = base->owner;
	struct wheel_core *core = &base->core;
	u64 tick;

	lockdep_assert_held(&base->lock);
	if (core->pending && !base->needs_clock &&
	    wheel_far_ahead(wheel, deadline))
		return;
	tick = unlikely(base->scanning) ? base->scan_from :
					  wheel_tick_at(core, wheel_now(wheel));
	if (wheel_settable(wheel->config.clock))
		wheel_set_back(core, tick);
	wheel_forward(core, tick);
}

/*
 * A timer that is armed goes to a base of this CPU's. One that is pending or
 * running keeps its own, so that there is one base to ask. The CPU may go, or be
 * left at once: bases are numbers, not owned by CPUs.
 */
void wheel_timer_to_this_cpu(struct wheel_timer *timer)
{
	struct wheel *wheel = timer_base(timer)->owner;
	struct wheel_base *ours, *base;
	unsigned long flags;

	ours = &wheel->base[raw_smp_processor_id() % wheel->count];
	if (ours == timer_base(timer))
		return;
	base = timer_lock(timer, &flags);
	if (!wheel_filed(timer) && !wheel_base_calls(base, timer))
		WRITE_ONCE(timer->base, (unsigned long)ours |
					(timer->base & WHEEL_SHUTDOWN));
	timer_unlock(base, flags);
}

/* The shutdown bit is looked at under the lock under which it is set. */
static __always_inline int base_arm(struct wheel_base *base,
				    struct wheel_timer *timer,
				    u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(!timer->function && !base->owner->config.expire && !base_is_owned(base)))
		return -EINVAL;
	if (unlikely(wheel_filed(timer)))
		return -EBUSY;
	err = arm_check_time(deadline, slack);
	if (likely(!err) && unlikely(timer->base & WHEEL_SHUTDOWN))
		err = -ESHUTDOWN;
	if (likely(!err) && unlikely(base->core.pending >= base->limit))
		err = base->stopped ? -ESHUTDOWN : -EDQUOT;
	if (likely(!err))
		return base_file(base, timer, deadline, slack);
	base->counts.refused++;
	return err;
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
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_arm(base, timer, deadline, slack);
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
 * tick. Timers due at one tick fire in the order in which they were armed, and so do
 * those whose deadlines have passed when they are armed. Only if these are armed while the
 * interrupt of the wheel is late, since interrupts were disabled for long, they may fire
 * in the order of their deadlines' ticks.
 *
 * Context: Any, hardirq included, but not NMI, and not with a lock of the
 * scheduler's, hrtimers' or timekeeping's core held.
 *
 * Return:
 *
 * * %0 - armed
 * * %-EBUSY - it is pending; nothing changed
 * * %-EINVAL - it was not initialized, which is a bug and warned of; or it has no
 *   function and its wheel does not take batches
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

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	err = base_arm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm);

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
	if (unlikely(!timer_base_or_warn(timer)))
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
