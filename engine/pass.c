// SPDX-License-Identifier: GPL-2.0
/*
 * Passes: expire the due timers and run their callbacks.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "take.h"

/* Minimum number of callbacks between two checks of the budget and the clock. */
#define FEW	12U

/*
 * Queue a dequeued timer again, or drop it, because it does not expire. The cost is 1, or a whole
 * lock hold if queueing walks a list.
 */
void wheel_base_keep(struct wheel_base *base, struct wheel_timer *timer, enum wheel_claim claim,
		     u64 deadline, unsigned int *budget)
{
	*budget -= min(*budget, WHEEL_BATCH / wheel_batch_max(base->owner));
	if (claim == WHEEL_GONE) {
		base->counts.cancelled++;
		trace_wheel_timer_cancel(timer);
		return;
	}
	base->counts.requeued++;
	wheel_requeue(&base->core, timer, deadline);
	wheel_debug_activate(timer);
	trace_wheel_timer_requeue(timer);
}

/*
 * Begin a call, which runs without the lock. From then on, a cancel of a timer in base->running
 * returns -EALREADY, or waits. A callback may free its timer or arm it again, so the timers are not
 * accessed after the call.
 *
 *	this				wheel_timer_cancel_sync()
 *
 *	lock
 *	pop: not pending
 *	running = timer
 *	unlock
 *	function(timer)			lock
 *					not pending: nothing to cancel
 *					running == timer: has_waiters = true
 *					unlock, sleep or spin
 *	lock
 *	running = none
 *	unlock
 *	if has_waiters: wake up		running != timer: return
 */
static void base_begin_call(struct wheel_base *base, unsigned int n)
	__releases(&base->lock)
{
	lockdep_assert_held(&base->lock);
	WRITE_ONCE(base->calls, base->calls + 1);
	WRITE_ONCE(base->running_n, n);
	raw_spin_unlock_irq(&base->lock);
	lock_map_acquire_read(&base->owner->calling);
}

static void base_end_call(struct wheel_base *base)
	__acquires(&base->lock)
{
	lock_map_release(&base->owner->calling);
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->running_n, 0);
	if (unlikely(base->has_waiters)) {
		base->has_waiters = false;
		raw_spin_unlock_irq(&base->lock);
		wake_up_all(&base->idle);
		raw_spin_lock_irq(&base->lock);
	}
}

/**
 * struct pass - State of one run of the work item
 * @now: time of the clock when it was last read
 * @until: tick of @now, up to which timers expire
 * @serves: number of callbacks after which the clock is read again; 0: before each step
 * @served: number of callbacks since the clock was read
 * @looks: work done: timers and buckets examined, plus WHEEL_CALL per callback
 * @timed: value of @looks when the runtime was last checked
 */
struct pass {
	u64		now;
	u64		until;
	unsigned int	serves;
	unsigned int	served;
	unsigned int	looks;
	unsigned int	timed;
};

/* A callback that sleeps may take long, and a clock that can be set may jump. */
static unsigned int pass_serves(const struct wheel *wheel)
{
	return wheel_sleeps(wheel) || wheel_settable(wheel->config.clock) ?
	       0 : WHEEL_BATCH;
}

static void pass_read_clock(struct pass *pass, struct wheel_base *base)
{
	pass->now = wheel_now(base->owner);
	pass->until = wheel_tick_at(&base->core, pass->now);
	pass->served = 0;
	if (wheel_settable(base->owner->config.clock))
		wheel_set_back(&base->core, pass->until);
}

/*
 * Expire the next due timer. The lock is taken for each timer, which can thus be cancelled until
 * its own callback begins. Returns the number of expired timers.
 */
static unsigned int pass_call(struct pass *pass, struct wheel_base *base, unsigned int *budget)
	__must_hold(&base->lock)
{
	struct wheel_timer *timer = base_take(base, pass->now, pass->until, budget);

	if (!timer)
		return 0;
	base->running[0] = timer;
	base_begin_call(base, 1);
	timer->function(timer);
	base_end_call(base);
	return 1;
}

/* Expire a batch of due timers by a call of the expire function. Returns their number. */
static unsigned int pass_call_batch(struct pass *pass, struct wheel_base *base,
				    unsigned int *budget)
	__must_hold(&base->lock)
{
	unsigned int n = base_collect(base, pass->now, pass->until, WHEEL_BATCH, budget);
	struct wheel *wheel = base->owner;

	if (!n)
		return 0;
	base_begin_call(base, n);
	wheel->config.expire(wheel, base->running, n, pass->now);
	base_end_call(base);
	return n;
}

/* Run some callbacks. Returns true if the pass must continue. */
static bool pass_step(struct pass *pass, struct wheel_base *base)
	__must_hold(&base->lock)
{
	unsigned int few = min(pass->serves, FEW);
	unsigned int budget = WHEEL_BATCH;
	unsigned int served = 0, n;

	if (pass->served >= pass->serves)
		pass_read_clock(pass, base);
	do {
		n = base->owner->config.expire ? pass_call_batch(pass, base, &budget) :
						 pass_call(pass, base, &budget);
		served += n;
	} while (n && served < few && !base->stopped);
	pass->served += served;
	pass->looks += WHEEL_BATCH - budget + served * WHEEL_CALL;
	if (n)
		return true;
	if (budget) {
		/* More timers may have become due meanwhile: read the clock again. */
		pass->served = pass->serves;
		return !wheel_base_settle(base);
	}
	raw_spin_unlock_irq(&base->lock);
	cpu_relax();
	raw_spin_lock_irq(&base->lock);
	return true;
}

/* Check whether the runtime is used up. Reads a clock once per WHEEL_BATCH of work. */
static bool pass_took_long(struct pass *pass, u64 end)
{
	if (pass->looks < pass->timed + WHEEL_BATCH)
		return false;
	pass->timed = pass->looks;
	return ktime_get_mono_fast_ns() >= end;
}

/*
 * Run a pass, or continue one that has yielded, for at most @ns nanoseconds including callbacks.
 * Interrupts are enabled. Returns at once if a pass of the base is already in progress: that pass
 * also expires the timers that have become due meanwhile. Returns true if the pass must be
 * continued.
 */
bool wheel_base_pass(struct wheel_base *base, u64 ns)
{
	struct pass pass = {
		.serves = pass_serves(base->owner),
		.served = WHEEL_BATCH,
	};
	u64 end = ktime_get_mono_fast_ns() + ns;
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
	} while (more && pass.looks < WHEEL_RUN && !pass_took_long(&pass, end));
	more &= !base->stopped;
	base->passing = false;
	trace_wheel_pass_end(base, pass.now, base->counts.fired - fired,
			     pass.looks, more);
	raw_spin_unlock_irq(&base->lock);
	return more;
}

/* Check whether the callback of a timer is running. The base is locked. */
bool wheel_base_calls(const struct wheel_base *base,
		      const struct wheel_timer *timer)
{
	u32 i;

	lockdep_assert_held(&base->lock);
	for (i = 0; i < base->running_n; i++) {
		if (base->running[i] == timer)
			return true;
	}
	return false;
}

/*
 * Check whether the caller is a callback of this base, which is locked. Compares the current task.
 * A callback in softirq context runs on top of a task, which cannot call this function itself at
 * the same time.
 */
bool wheel_base_calls_us(const struct wheel_base *base)
{
	lockdep_assert_held(&base->lock);
	return base->running_n && base->runner == current;
}

/* Check whether the caller is a callback of this wheel. */
bool wheel_calls_us(struct wheel *wheel)
{
	struct wheel_base *base;
	bool calls = false;
	unsigned long flags;

	for_each_base(base, wheel) {
		raw_spin_lock_irqsave(&base->lock, flags);
		calls |= wheel_base_calls_us(base);
		raw_spin_unlock_irqrestore(&base->lock, flags);
	}
	return calls;
}
