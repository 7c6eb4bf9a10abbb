// SPDX-License-Identifier: GPL-2.0
/*
 * A pass: takes the timers that are due and calls them back.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "take.h"

/* So many callbacks are made before the pass looks around, and at the time. */
#define FEW	12U

static void base_callback(struct wheel_base *base, unsigned int n, u64 now)
{
	const struct wheel_config *config = &base->owner->config;
	struct wheel_timer *timer = base->running[0];

	lock_map_acquire_read(&base->owner->calling);
	if (config->expire)
		config->expire(base->owner, base->running, n, now);
	else
		timer->function(timer);
	lock_map_release(&base->owner->calling);
}

/*
 * Call back the timers that were taken. Afterwards they may be freed, or armed
 * again: nothing of them is touched.
 *
 *	this				wheel_timer_cancel_sync()
 *
 *	lock
 *	pop: not pending
 *	running = timer
 *	unlock
 *	function(timer)			lock
 *					not pending: nothing to cancel
 *					running == timer: awaited = true
 *					unlock, sleep or spin
 *	lock
 *	running = none
 *	unlock
 *	if awaited: wake up		running != timer: return
 */
static void base_call(struct wheel_base *base, unsigned int n, u64 now)
	__must_hold(&base->lock)
{
	base_begin_call(base, n);
	raw_spin_unlock_irq(&base->lock);

	base_callback(base, n, now);

	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->running_n, 0);
	if (unlikely(base->awaited)) {
		base->awaited = false;
		raw_spin_unlock_irq(&base->lock);
		wake_up_all(&base->idle);
		raw_spin_lock_irq(&base->lock);
	}
}

/**
 * struct pass - one run of the work item
 * @now: the clock when it was read last
 * @until: the tick that it showed, which the run goes up to
 * @room: timers a callback: one, or a batch if the owner takes batches
 * @serves: the clock is read again after so many callbacks; 0: at each lock hold
 * @served: callbacks since it was read
 * @looks: how many timers and places were looked at, in all
 * @timed: how many had been when it was last asked how long the run takes
 */
struct pass {
	u64		now;
	u64		until;
	unsigned int	room;
	unsigned int	serves;
	unsigned int	served;
	unsigned int	looks;
	unsigned int	timed;
};

/* Callbacks that may sleep take their time, and a clock that can be set jumps. */
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
 * Call back a few timers, each under a lock hold of its own, so that it can be cancelled until
 * its own callback begins; or a batch. Returns true if there is more.
 */
static bool pass_step(struct pass *pass, struct wheel_base *base)
	__must_hold(&base->lock)
{
	unsigned int few = min(pass->serves, FEW);
	unsigned int budget = WHEEL_BATCH;
	unsigned int served = 0, n;

	if (pass->served >= pass->serves)
		pass_read_clock(pass, base);
	do {
		n = base_collect(base, pass->now, pass->until, pass->room, &budget);
		if (!n)
			break;
		base_call(base, n, pass->now);
		served += n;
	} while (served < few && !base->stopped);
	pass->served += served;
	pass->looks += WHEEL_BATCH - budget + served * WHEEL_CALL;
	if (n)
		return true;
	if (budget) {
		/* Timers that have become due meanwhile are looked at with a new clock. */
		pass->served = pass->serves;
		return !wheel_base_settle(base);
	}
	raw_spin_unlock_irq(&base->lock);
	cpu_relax();
	raw_spin_lock_irq(&base->lock);
	return true;
}

/* Reads a clock for each few callbacks. */
static bool pass_took_long(struct pass *pass, u64 end)
{
	if (pass->looks < pass->timed + WHEEL_BATCH)
		return false;
	pass->timed = pass->looks;
	return ktime_get_mono_fast_ns() >= end;
}

/**
 * wheel_base_pass - go on with a pass
 * @base: base
 * @ns: give up after so many nanoseconds, with callbacks made
 *
 * A pass that is under way elsewhere takes what has become due meanwhile, too.
 *
 * Context: Interrupts enabled; softirq or process context as the wheel has it.
 *
 * Return: true if there is more to do.
 */
bool wheel_base_pass(struct wheel_base *base, u64 ns)
{
	struct pass pass = {
		.room	= base->owner->config.expire ? WHEEL_BATCH : 1,
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
	base->programmed = 0;
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

/**
 * wheel_base_calls - does the callback of a timer run?
 * @base: base of the timer, locked
 * @timer: timer
 *
 * Return: true if it does.
 */
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

/**
 * wheel_base_calls_us - are we in a callback of this base?
 * @base: base, locked
 *
 * A callback in softirq context runs on top of a task, which cannot get here
 * by itself meanwhile.
 *
 * Return: true if we are.
 */
bool wheel_base_calls_us(const struct wheel_base *base)
{
	lockdep_assert_held(&base->lock);
	return base->running_n && base->runner == current;
}

/**
 * wheel_calls_us - are we in a callback of a wheel?
 * @wheel: wheel
 *
 * Context: Any but NMI: we may be in a callback in hard interrupt context.
 *
 * Return: true if we are.
 */
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
