// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions of timers: initialize, push; and arm, move and cancel on a locked wheel.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include "verbs.h"

static_assert(offsetof(struct wheel_timer, function) == 40, "the members that the wheel accesses");
static_assert(sizeof(struct wheel_timer) == 56);

/**
 * wheel_timer_init() - Initialize a timer
 * @timer: timer that is not pending; not on the stack, which debugobjects reports
 * @wheel: wheel that the timer belongs to from now on
 * @function: callback of a timer of wheel_timer.h, called without a lock held when the timer
 *	expires, in softirq context or, if callbacks may sleep, in process context. It may arm,
 *	cancel or free its own timer, arm and cancel other timers, and free timers that are not
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
 * Return:
 *
 * * %0 - the timer was pending and will not expire
 * * %-EINVAL - @timer was not initialized, which causes a warning
 * * %-ENOENT - the timer is not pending
 */
int wheel_timer_cancel_locked(struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	if (unlikely(!base))
		return -EINVAL;
	return base_cancel(base, timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_cancel_locked);
