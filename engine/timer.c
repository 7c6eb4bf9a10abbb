// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions of timers: initialize, arm, move, cancel, wait for the callback, shut down.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include "verbs.h"

/**
 * wheel_timer_init() - Initialize a timer
 * @timer: timer that is not pending; not on the stack, which debugobjects reports
 * @wheel: wheel that the timer belongs to from now on
 * @function: callback, called when the timer expires, without a lock held; in softirq
 *	context or, on a WHEEL_SLEEPABLE wheel, in process context. It may arm, cancel or
 *	free its own timer, arm and cancel other timers, and free timers that are not
 *	pending and whose callback is not running
 *
 * Context: Any.
 */
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel, wheel_timer_fn function)
{
	debug_object_init(timer, &wheel_timer_debug);
	INIT_LIST_HEAD(&timer->node);
	timer->deadline = WHEEL_IDLE;
	timer->fired = 0;
	timer->function = function;
	timer->base = (unsigned long)wheel->base;
	timer->place = WHEEL_UNFILED;
}
EXPORT_SYMBOL_GPL(wheel_timer_init);

/**
 * wheel_timer_wheel() - Get the wheel that a timer belongs to
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: the wheel passed to wheel_timer_init(); NULL, with a warning, if the timer was not
 * initialized.
 */
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	return likely(base) ? base->wheel : NULL;
}
EXPORT_SYMBOL_GPL(wheel_timer_wheel);

/*
 * Forward the clock of a base's core to the current time, or to the tick of a scan that is late.
 * Afterwards, timers are due at the next tick boundary, or at that tick, at the earliest. For most
 * deadlines, a read of the coarse clock, which costs almost nothing, shows that it is unnecessary.
 */
noinline void wheel_base_forward_clock(struct wheel_base *base, u64 deadline)
{
	const struct wheel *wheel = base->wheel;
	struct wheel_core *core = &base->core;
	u64 tick;

	lockdep_assert_held(&base->lock);
	if (core->pending && !base->needs_clock && wheel_far_ahead(wheel, deadline))
		return;
	tick = base->scan_until ? base->scan_until - 1 : wheel_tick_at(core, wheel_now(wheel));
	if (wheel_settable(wheel->config.clock))
		wheel_set_back(core, tick);
	/* A timer that a late scan finds is due at its own tick. A limited range begins now. */
	if (!core->scheme->follow)
		tick = min(tick, base->scan_tick - 1);
	wheel_forward(core, tick);
}

/*
 * Move a timer that is about to be armed to a base of this CPU. A pending timer, and one whose
 * callback is running, remains on its base, so that only one base has to be checked for it. The
 * task may migrate at any time: bases are selected by CPU number, but do not belong to a CPU.
 */
void wheel_timer_to_this_cpu(struct wheel_timer *timer)
{
	struct wheel *wheel = timer_base(timer)->wheel;
	struct wheel_base *ours, *base;
	unsigned long flags;

	ours = &wheel->base[raw_smp_processor_id() % wheel->count];
	if (ours == timer_base(timer))
		return;
	base = timer_lock(timer, &flags);
	if (!wheel_is_queued(timer) && base->running != timer)
		WRITE_ONCE(timer->base, (unsigned long)ours | (timer->base & WHEEL_SHUTDOWN));
	timer_unlock(base, flags);
}

/* Arm a timer. The caller holds the lock under which WHEEL_SHUTDOWN is set. */
static __always_inline int base_arm(struct wheel_base *base, struct wheel_timer *timer,
				    u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(wheel_is_queued(timer)))
		return -EBUSY;
	err = arm_check_time(deadline, slack);
	if (likely(!err) && unlikely(base->stopped || timer->base & WHEEL_SHUTDOWN))
		err = -ESHUTDOWN;
	if (likely(!err) && unlikely(base->core.pending >= base->wheel->config.limit))
		err = -EDQUOT;
	if (likely(!err))
		return base_enqueue(base, timer, deadline, slack);
	base->counts.refused++;
	return err;
}

/* Return true if a timer is initialized and has a function. Timers of an owner have none. */
static bool timer_can_call(const struct wheel_timer *timer)
{
	return timer_base_or_warn(timer) && timer->function;
}

/**
 * wheel_timer_arm_locked() - Arm a timer of a locked wheel
 * @timer: timer of a wheel with an owner
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm()
 *
 * Context: Locked wheel: wheel_lock().
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
 * * %-EINVAL - @timer was not initialized, which causes a warning; or it has no function
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

	if (unlikely(!timer_can_call(timer)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	err = base_arm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_arm);

/**
 * wheel_timer_rearm_locked() - Move the deadline of a pending timer of a locked wheel
 * @timer: timer of a wheel with an owner
 * @deadline: same as wheel_timer_rearm()
 * @slack: same as wheel_timer_rearm()
 *
 * Context: Locked wheel: wheel_lock().
 *
 * Return: Same as wheel_timer_rearm().
 */
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_rearm(base, timer, deadline, slack);
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm_locked);

/**
 * wheel_timer_rearm() - Move the deadline of a pending timer
 * @timer: timer
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm(); replaces the previous slack
 *
 * The timer becomes the last one of those that are due at the same tick.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - moved
 * * %-ENOENT - @timer is not pending; nothing changed
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ERANGE - same as wheel_timer_arm(); nothing changed
 * * %-ESHUTDOWN - the wheel is being stopped; nothing changed
 */
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = timer_lock(timer, &flags);
	err = base_rearm(base, timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_rearm);

/**
 * wheel_timer_mod() - Arm a timer, or move its deadline if it is pending
 * @timer: timer
 * @deadline: same as wheel_timer_arm()
 * @slack: same as wheel_timer_arm()
 *
 * Equivalent to mod_timer(). A caller that counts references must take one if and only if this
 * function returns 0.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - the timer was not pending and was armed
 * * %1 - the timer was pending and was moved
 * * negative - an error of wheel_timer_arm(); nothing changed
 */
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_can_call(timer)))
		return -EINVAL;
	base = arm_lock(timer, &flags);
	if (wheel_is_queued(timer))
		err = wheel_timer_rearm_locked(timer, deadline, slack) ?: 1;
	else
		err = wheel_timer_arm_locked(timer, deadline, slack);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_mod);

/**
 * wheel_timer_push() - Postpone a pending timer without a lock
 * @timer: timer of a wheel whose owner, if it has one, has no claim function
 * @deadline: new earliest time of expiry in nanoseconds on the wheel's clock
 *
 * For timeouts that are postponed by every packet. Only the deadline is modified. At the time of
 * the old deadline, the wheel finds the new one and queues the timer again, with the same slack.
 * Modelled on the timers of tokio, which are also postponed by one atomic operation.
 *
 * Context: Any, including NMI.
 *
 * Return: true if the timer is pending and will not expire before @deadline; false, with nothing
 * changed, if it is not pending, if it was not initialized, which causes a warning, or if
 * @deadline is past WHEEL_MAX_TIME.
 */
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline)
{
	u64 old = READ_ONCE(timer->deadline);

	if (unlikely(!timer_base_or_warn(timer)))
		return false;
	/* WHEEL_IDLE makes @old greater than any time. */
	while (old < deadline) {
		if (unlikely(deadline > WHEEL_MAX_TIME))
			return false;
		/* Pairs with the cmpxchg in claim_own(): for a given @old, one of them succeeds. */
		if (likely(try_cmpxchg(&timer->deadline, &old, deadline)))
			return true;
	}
	return old <= WHEEL_MAX_TIME;
}
EXPORT_SYMBOL_GPL(wheel_timer_push);

/**
 * wheel_timer_cancel_locked() - Cancel a timer of a locked wheel
 * @timer: timer of a wheel with an owner
 *
 * Context: Locked wheel: wheel_lock().
 *
 * Return: Same as wheel_timer_cancel().
 */
int wheel_timer_cancel_locked(struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_cancel(base, timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_locked);

/**
 * wheel_timer_cancel() - Cancel a timer
 * @timer: timer
 *
 * Does not wait for the callback. If %-EALREADY is returned, the callback may
 * still access the timer.
 *
 * Context: Same as wheel_timer_arm().
 *
 * Return:
 *
 * * %0 - the timer was pending and will not expire
 * * %-EALREADY - the timer is not pending, and its callback is running
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ENOENT - the timer is not pending
 */
int wheel_timer_cancel(struct wheel_timer *timer)
{
	struct wheel_base *base;
	unsigned long flags;
	int err;

	if (unlikely(!timer_base_or_warn(timer)))
		return -EINVAL;
	base = timer_lock(timer, &flags);
	err = base_cancel(base, timer);
	timer_unlock(base, flags);
	return err;
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel);

/*
 * A callback may arm its timer again. Therefore, after waiting for the callback, repeat until it
 * does not run. Without WHEEL_SHUTDOWN, cancel only then, so that at most one cancel is counted,
 * as callers that count references require. With WHEEL_SHUTDOWN, the timer cannot be armed again.
 */
static int cancel_sync(struct wheel_timer *timer, unsigned long state)
{
	struct wheel_base *base = timer_base_or_warn(timer);
	unsigned long flags;
	struct wheel *wheel;
	bool running, us;
	int ret = -ENOENT;
	u64 call;

	if (unlikely(!base))
		return -EINVAL;
	wheel = base->wheel;
	might_sleep_if(wheel_sleeps(wheel) || IS_ENABLED(CONFIG_PREEMPT_RT));
	do {
		base = timer_lock(timer, &flags);
		running = base->running == timer;
		call = base->calls;
		us = base_calls_us(base);
		if (us && running) {
			timer_unlock(base, flags);
			return -EDEADLK;
		}
		/* In hardirq context, only the -EDEADLK case above is permitted. */
		WARN_ON_ONCE(in_hardirq());
		WRITE_ONCE(timer->base, timer->base | state);
		if ((!running || state) && !wheel_timer_cancel_locked(timer))
			ret = 0;
		timer_unlock(base, flags);
		if (!us)
			wheel_may_wait(wheel);
		if (running)
			wheel_base_wait(base, call);
	} while (running);
	return ret;
}

/**
 * wheel_timer_cancel_sync() - Cancel a timer and wait for its callback
 * @timer: timer
 *
 * When this function returns, the timer is not pending and its callback is not running, unless
 * another thread arms the timer. Do not hold a lock that the callback takes:
 *
 * ::
 *
 *	CPU 0				CPU 1
 *
 *	callback runs
 *					spin_lock_bh(&lock)
 *	spin_lock(&lock): spins		wheel_timer_cancel_sync(): waits
 *
 * Likewise, a callback of a WHEEL_PERCPU wheel must not wait for a timer of another base, whose
 * callback may be waiting for a timer of its base. Lockdep reports both.
 *
 * Context: Any except hardirq, where only a callback may call it for its own timer. For a
 * WHEEL_SLEEPABLE wheel, and for all wheels with PREEMPT_RT: process context, may sleep.
 *
 * Return:
 *
 * * %0 - the timer was pending and will not expire
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ENOENT - the timer was not pending
 * * %-EDEADLK - called from the callback of this timer; nothing changed, and the timer was not
 *   shut down
 */
int wheel_timer_cancel_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, 0);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_sync);

/**
 * wheel_timer_shutdown_sync() - Shut down a timer and wait for its callback
 * @timer: timer
 *
 * Same as wheel_timer_cancel_sync(). In addition, arming the timer afterwards fails with
 * -ESHUTDOWN, also in its own callback. Call this function before you free the object that
 * contains the timer. Modelled on timer_shutdown_sync().
 *
 * Context: Same as wheel_timer_cancel_sync().
 *
 * Return: Same as wheel_timer_cancel_sync().
 */
int wheel_timer_shutdown_sync(struct wheel_timer *timer)
{
	return cancel_sync(timer, WHEEL_SHUTDOWN);
}
EXPORT_SYMBOL_GPL(wheel_timer_shutdown_sync);
