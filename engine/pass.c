// SPDX-License-Identifier: GPL-2.0
/*
 * Passes: expire the due timers and run their callbacks.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#define CREATE_TRACE_POINTS
#include "take.h"

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
 * Queue a dequeued timer again, or drop it, because it does not expire. The cost is 1, or a whole
 * lock hold if queueing walks a list.
 */
void wheel_base_keep(struct wheel_base *base, struct wheel_timer *timer, enum wheel_claim claim,
		     u64 deadline, unsigned int *budget)
{
	*budget -= min(*budget, WHEEL_BATCH / base_batch_max(base));
	if (claim == WHEEL_GONE) {
		base->counts.cancelled++;
		trace_wheel_timer_cancel(timer);
		return;
	}
	base->counts.requeued++;
	wheel_requeue(&base->core, timer, deadline);
	debug_object_activate(timer, &wheel_timer_debug);
	trace_wheel_timer_requeue(timer);
}

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
static void base_call(struct wheel_base *base, struct wheel_timer *timer)
	__must_hold(&base->lock)
{
	WRITE_ONCE(base->calls, base->calls + 1);
	WRITE_ONCE(base->running, timer);
	raw_spin_unlock_irq(&base->lock);
	lock_map_acquire_read(&base->wheel->calling);
	timer->function(timer);
	lock_map_release(&base->wheel->calling);
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->running, NULL);
	/* A waiter reads @running with the lock held, after it has joined the queue. */
	if (unlikely(waitqueue_active(&base->idle))) {
		raw_spin_unlock_irq(&base->lock);
		wake_up_all(&base->idle);
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
static bool pass_step(struct pass *pass, struct wheel_base *base)
	__must_hold(&base->lock)
{
	const struct wheel *wheel = base->wheel;
	/* A callback that sleeps may take long, and a clock that can be set may jump. */
	bool one = wheel_sleeps(wheel) || wheel_settable(wheel->config.clock);
	unsigned int budget = WHEEL_BATCH, calls = 0, most = one ? 1 : STEP_CALLS;
	struct wheel_timer *timer = NULL;

	pass->now = wheel_now(wheel);
	pass->until = wheel_tick_at(&base->core, pass->now);
	if (wheel_settable(wheel->config.clock))
		wheel_set_back(&base->core, pass->until);
	while (calls < most && !base->stopped) {
		timer = base_take(base, pass->now, pass->until, &budget, false);
		if (!timer)
			break;
		base_call(base, timer);
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
 * are enabled. Returns at once if a pass of the base is already in progress: that pass also expires
 * the timers that have become due meanwhile. Returns true if the pass must be continued.
 */
bool wheel_base_pass(struct wheel_base *base)
{
	u64 end = ktime_get_mono_fast_ns() + RUN_NS;
	struct pass pass = {};
	bool more;
	u64 fired;

	raw_spin_lock_irq(&base->lock);
	if (base->passing) {
		raw_spin_unlock_irq(&base->lock);
		return false;
	}
	base->passing = true;
	base->runner = current;
	base->by_hrtimer = false;
	WRITE_ONCE(base->needs_clock_until, WHEEL_NEVER);
	base->counts.passes++;
	fired = base->counts.fired;
	trace_wheel_pass_begin(base);
	do {
		more = !base->stopped && pass_step(&pass, base);
	} while (more && pass.work < RUN_WORK && ktime_get_mono_fast_ns() < end);
	more &= !base->stopped;
	base->passing = false;
	trace_wheel_pass_end(base, pass.now, base->counts.fired - fired, pass.work, more);
	raw_spin_unlock_irq(&base->lock);
	return more;
}
