// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that arm timers.
 */
#include <linux/export.h>
#include <linux/smp.h>
#include "verbs.h"

/*
 * Forward the clock of a base's core to the current time. Afterwards, timers are due at the next
 * tick boundary at the earliest. For most deadlines, a read of the coarse clock, which costs almost
 * nothing, shows that this is not necessary.
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
 * Move a timer that is about to be armed to a base of this CPU. A pending timer, and one whose
 * callback is running, remains on its base, so that only one base has to be checked for it. The
 * task may migrate at any time: bases are selected by CPU number, but do not belong to a CPU.
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
	if (!wheel_is_queued(timer) && !wheel_base_calls(base, timer))
		WRITE_ONCE(timer->base, (unsigned long)ours |
					(timer->base & WHEEL_SHUTDOWN));
	timer_unlock(base, flags);
}

/* Arm a timer. The caller holds the lock under which WHEEL_SHUTDOWN is set. */
static __always_inline int base_arm(struct wheel_base *base,
				    struct wheel_timer *timer,
				    u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(!timer->function && !base->owner->config.expire && !base_is_owned(base)))
		return -EINVAL;
	if (unlikely(wheel_is_queued(timer)))
		return -EBUSY;
	err = arm_check_time(deadline, slack);
	if (likely(!err) && unlikely(timer->base & WHEEL_SHUTDOWN))
		err = -ESHUTDOWN;
	if (likely(!err) && unlikely(base->core.pending >= base->limit))
		err = base->stopped ? -ESHUTDOWN : -EDQUOT;
	if (likely(!err))
		return base_enqueue(base, timer, deadline, slack);
	base->counts.refused++;
	return err;
}

/**
 * wheel_timer_arm_locked() - Arm a timer of a locked wheel
 * @timer: timer that is not pending, of a wheel locked by wheel_lock()
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm()
 *
 * Context: Same as wheel_timer_arm(), between wheel_lock() and wheel_unlock().
 *
 * Return: Same as wheel_timer_arm().
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
 * wheel_timer_arm() - Arm a timer
 * @timer: timer that is not pending
 * @deadline: time of expiry in nanoseconds on the wheel's clock
 * @slack: permitted delay in nanoseconds; timers with slack can share wake-ups
 *
 * The timer expires at the first tick boundary at or after @deadline, or at a later one
 * within @slack; never before. If @deadline has passed, it expires at the next tick.
 *
 * Timers that are due at the same tick expire in the order in which they were armed. The same
 * applies to timers whose deadlines have passed when they are armed, with one exception: if they
 * are armed while the wheel's interrupt is delayed, because interrupts were disabled for a long
 * time, they may expire in the order of their deadlines' ticks.
 *
 * Context: Any context including hardirq, except NMI. No lock of the scheduler, of hrtimers or of
 * timekeeping may be held.
 *
 * Return:
 *
 * * %0 - armed
 * * %-EBUSY - @timer is pending; nothing changed
 * * %-EINVAL - @timer was not initialized, which causes a warning; or it has no function and
 *   its wheel has neither an expire function nor an owner
 * * %-ERANGE - @deadline or @slack is past WHEEL_MAX_TIME, @deadline exceeds the range of a
 *   bounded wheel, or the clock is at its last tick
 * * %-EDQUOT - the number of pending timers has reached the wheel's limit
 * * %-ESHUTDOWN - the wheel was stopped or @timer was shut down
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
