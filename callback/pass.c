// SPDX-License-Identifier: GPL-2.0
/*
 * Passes: pop the due timers one after the other, and call their functions.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include "../engine/pop.h"
#include "callback.h"

/* Maximum runtime of one run of the work item, in nanoseconds. */
#define RUN_NS		NSEC_PER_MSEC

/*
 * Maximum work of one run: each timer or bucket examined counts 1, each callback CALL_WORK. The
 * next run begins with an interrupt, so the maximum is high enough for 1638 trivial callbacks.
 */
#define RUN_WORK	8192
#define CALL_WORK	4

/* Maximum number of callbacks between two checks of the runtime. */
#define STEP_CALLS	16

/*
 * Call a timer's function, without the lock. From then on, a cancel of the timer returns -EALREADY,
 * or waits. The function may free the timer or arm it again, so the timer is not accessed after
 * the call.
 *
 *	this				wheel_timer_cancel_sync()
 *
 *	lock
 *	pop: not pending
 *	running = timer
 *	unlock
 *	function(timer)			lock
 *					not pending: nothing to cancel
 *					running == timer: unlock, sleep or spin
 *	lock
 *	running = none
 *	unlock
 *	wake up waiters			running != timer: return
 */
static void callback_call(struct callback_base *callback, struct wheel_timer *timer)
	__must_hold(&callback->base->lock)
{
	struct wheel_base *base = callback->base;

	WRITE_ONCE(callback->calls, callback->calls + 1);
	WRITE_ONCE(callback->running, timer);
	raw_spin_unlock_irq(&base->lock);
	lock_map_acquire_read(&callback->calling);
	timer->function(timer);
	lock_map_release(&callback->calling);
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(callback->running, NULL);
	/* A waiter reads @running with the lock held, after it has joined the queue. */
	if (unlikely(waitqueue_active(&callback->idle))) {
		raw_spin_unlock_irq(&base->lock);
		wake_up_all(&callback->idle);
		raw_spin_lock_irq(&base->lock);
	}
}

/**
 * struct pass - State of one run of the work item
 * @now: time of the clock when it was last read
 * @until: tick of @now, up to which timers expire
 * @work: work done: timers and buckets examined, plus CALL_WORK per callback
 */
struct pass {
	u64		now;
	u64		until;
	unsigned int	work;
};

/*
 * End a pass: all timers that were due when the clock was read have been taken. Program the
 * hrtimer, unless more timers have become due meanwhile. Returns false if they have.
 */
static bool pass_settle(struct wheel_base *base)
	__must_hold(&base->lock)
{
	const struct wheel *wheel = base->wheel;

	if (wheel->config.clock != WHEEL_CLOCK_VIRTUAL &&
	    base_next_tick(base) <= wheel_tick_at(&base->core, wheel_now(wheel)))
		return false;
	base_settle(base);
	if (base->reprogram)
		wheel_base_program(base);
	return true;
}

/*
 * Read the clock, and expire due timers. The lock is released for each callback, so a timer can be
 * cancelled until its own callback begins. Returns true if the pass must continue.
 */
static bool pass_step(struct pass *pass, struct callback_base *callback)
	__must_hold(&callback->base->lock)
{
	struct wheel_base *base = callback->base;
	const struct wheel *wheel = base->wheel;
	/* A callback that sleeps may take long, and a clock that can be set may jump. */
	bool one = wheel_sleeps(wheel) || wheel_settable(wheel->config.clock);
	unsigned int budget = WHEEL_BATCH, calls = 0, most = one ? 1 : STEP_CALLS;
	struct wheel_timer *timer = NULL;

	pass->now = wheel_now(wheel);
	pass->until = wheel_tick_at(&base->core, pass->now);
	if (wheel_settable(wheel->config.clock))
		wheel_set_back(&base->core, pass->until);
	while (calls < most && base->state != BASE_STOPPED) {
		timer = base_pop(base, NULL, pass->now, pass->until, &budget, false);
		if (!timer)
			break;
		callback_call(callback, timer);
		calls++;
	}
	pass->work += WHEEL_BATCH - budget + calls * CALL_WORK;
	if (timer)
		return true;
	if (budget)
		return !pass_settle(base);
	raw_spin_unlock_irq(&base->lock);
	cpu_relax();
	raw_spin_lock_irq(&base->lock);
	return true;
}

/*
 * Run a pass, or continue one that has yielded, for at most RUN_NS including callbacks. Interrupts
 * are enabled. Returns at once if the base is stopped, or if a pass of it is already in progress:
 * that pass also expires the timers that have become due meanwhile. Returns true if the pass must
 * be continued.
 */
bool wheel_callback_pass(struct callback_base *callback)
{
	struct wheel_base *base = callback->base;
	u64 end = ktime_get_mono_fast_ns() + RUN_NS;
	struct pass pass = {};
	bool more;
	u64 fired;

	raw_spin_lock_irq(&base->lock);
	if (callback->passing || base->state == BASE_STOPPED) {
		raw_spin_unlock_irq(&base->lock);
		return false;
	}
	callback->passing = true;
	callback->runner = current;
	base_begin(base, WHEEL_NEVER);
	fired = base->counts.fired;
	do {
		more = base->state != BASE_STOPPED && pass_step(&pass, callback);
	} while (more && pass.work < RUN_WORK && ktime_get_mono_fast_ns() < end);
	more &= base->state != BASE_STOPPED;
	callback->passing = false;
	trace_wheel_pass_end(base, pass.now, base->counts.fired - fired, pass.work, more);
	raw_spin_unlock_irq(&base->lock);
	return more;
}
