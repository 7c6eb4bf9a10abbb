// SPDX-License-Identifier: GPL-2.0
/*
 * Passes in the context of the owner: include/linux/wheel_timer_owner.h. A pass consists of steps.
 * A step is one lock hold with a bounded amount of work: the interrupt runs a short one, calls of
 * the owner run the others.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include "pop.h"
#include "verbs.h"

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

/**
 * wheel_scan_at() - Set the time of the owner's next scan
 * @wheel: locked wheel
 * @time: time in nanoseconds on the wheel's clock, possibly in the past; WHEEL_NEVER: no scan.
 *	Replaces the time that was set before
 *
 * Context: Locked wheel.
 */
void wheel_scan_at(struct wheel *wheel, u64 time)
{
	struct wheel_base *base = wheel->base;

	lockdep_assert_held(&base->lock);
	/* Like a timer, a scan is due at tick 1 at the earliest. */
	base->scan_tick = time == WHEEL_NEVER ? WHEEL_NO_TICK :
			  wheel_tick_ceil(&base->core.tick, clamp_t(u64, time, 1, WHEEL_MAX_TIME));
	base_wake_at(base, base->scan_tick);
}
EXPORT_SYMBOL_GPL(wheel_scan_at);

/* Pop the last timer of a step, and determine whether another one is due. */
static noinline struct wheel_timer *base_pop_last(struct wheel_base *base, u64 now, u64 until)
{
	return base_pop(base, base->wheel->claim, now, until, &base->budget, true);
}

/*
 * Deliver up to @max due timers to the owner, in order. Returns their number. Not inline, because
 * its loop needs all registers.
 */
static noinline unsigned int base_expire(struct wheel_base *base, u64 now, u64 until,
					 unsigned int max)
{
	wheel_claim_fn claim = base->wheel->claim;
	struct wheel_timer *timer;
	unsigned int n = 0;

	do {
		if (likely(n + 1 < max))
			timer = base_pop(base, claim, now, until, &base->budget, false);
		else
			timer = base_pop_last(base, now, until);
		if (!timer)
			break;
		base->due[n++] = timer;
	} while (n < max && !wheel_popped_all(&base->core, until));
	if (n)
		base->wheel->owner->expire(base->data, base->due, n, now);
	return n;
}

/*
 * Return the tick up to which timers expire: @until, or the one before a scan that is due by then.
 * Scans that take longer than a tick would otherwise follow one another. On a bounded wheel with a
 * VIRTUAL clock, no timers expire before a scan: if a periodic timer that expires is armed again,
 * the range begins now, and the scan could queue no due timer.
 */
static u64 base_expire_by(const struct wheel_base *base, u64 until)
{
	if (likely(base->scan_tick > until))
		return until;
	if (base->wheel->config.clock == WHEEL_CLOCK_VIRTUAL && base->core.scheme->follow)
		return 0;
	return base->scan_tick - 1;
}

/*
 * Run a due scan. Returns true if the pass may continue: the scan is complete, and the next one is
 * not late, too.
 */
static noinline bool base_scan(struct wheel_base *base, u64 now, u64 until)
{
	/* An overdue timer that the scan arms is due at the tick of the scan, not earlier. */
	base->scan_until = until;
	wheel_base_forward_clock(base, 0);
	/* Queuing a timer takes longer than expiring one. */
	base->budget -= min(base->budget, 2 * base->wheel->owner->scan(base->data, now));
	base->scan_until = 0;
	return base->scan_tick > until && base->budget;
}

/**
 * wheel_step() - Run one step of a pass
 * @wheel: locked wheel
 * @now: time of the wheel's clock, read with the wheel locked
 * @max: maximum number of timers to expire, 0 to WHEEL_BATCH
 *
 * Expires due timers, in order, and scans for timers to arm if a scan is due. A step examines at
 * most WHEEL_BATCH timers and buckets, and runs one part of a scan. It delivers the timers that it
 * takes before it returns, so no other lock hold meets a timer that is neither pending nor
 * delivered. Until wheel_settle() or wheel_restart() is called, the hrtimer is not started, even if
 * timers are armed. The division of work between interrupt and owner follows NAPI.
 *
 * Context: Locked wheel.
 *
 * Return: true if more timers are due or may be; false if none is due or the wheel was stopped.
 */
bool wheel_step(struct wheel *wheel, u64 now, unsigned int max)
{
	struct wheel_base *base = wheel->base;
	unsigned int n = 0;
	u64 until, by;
	bool full, more;

	lockdep_assert_held(&base->lock);
	if (unlikely(base->state == BASE_STOPPED))
		return false;
	max = min(max, base_batch_max(base));
	base->budget = WHEEL_BATCH;
	until = wheel_tick_at(&base->core, now);
	if (unlikely(wheel_settable(wheel->config.clock)))
		wheel_set_back(&base->core, until);
	/* wheel_pop() and base_scan() forward the clock before the owner arms timers. */
	base_begin(base, 0);
	do {
		by = base_expire_by(base, until);
		if (likely(n < max) && (likely(by == until) || !wheel_popped_all(&base->core, by)))
			n += base_expire(base, now, by, max - n);
		full = n == max || !base->budget;
	} while (unlikely(by != until) && !full && base_scan(base, now, until));
	more = unlikely(base->scan_tick <= until) ||
	       (unlikely(n == max || !base->budget) && !wheel_popped_all(&base->core, until));
	/* A step that may expire no timers has popped none. wheel_settle() relies on the floor. */
	if (likely(!more))
		wheel_raise_floor(&base->core, until);
	WRITE_ONCE(base->needs_clock_until, WHEEL_NEVER);
	trace_wheel_pass_end(base, now, n, WHEEL_BATCH - base->budget, more);
	return more;
}
EXPORT_SYMBOL_GPL(wheel_step);

/**
 * wheel_settle() - End a pass
 * @wheel: locked wheel, after wheel_step() has returned false
 *
 * wheel_unlock() starts the hrtimer for the next expiry.
 *
 * Context: Locked wheel.
 */
void wheel_settle(struct wheel *wheel)
{
	base_settle(wheel->base);
}
EXPORT_SYMBOL_GPL(wheel_settle);

/**
 * wheel_next_locked() - Get the time at which the next pass is needed
 * @wheel: locked wheel
 *
 * Context: Locked wheel.
 *
 * Return: time in nanoseconds on the wheel's clock, possibly in the past, and too early if a timer
 * was cancelled; WHEEL_NEVER if no timer is pending and no scan is due.
 */
u64 wheel_next_locked(const struct wheel *wheel)
{
	const struct wheel_base *base = wheel->base;
	u64 next = base_next(base);

	lockdep_assert_held(&base->lock);
	if (base->scan_tick == WHEEL_NO_TICK)
		return next;
	return min(next, wheel_time_of(&base->core, base->scan_tick));
}
EXPORT_SYMBOL_GPL(wheel_next_locked);

/**
 * wheel_restart() - End or suspend a pass in owner->interrupt()
 * @wheel: locked wheel
 * @from: earliest time of the next interrupt, in nanoseconds on the wheel's clock, also if timers
 *	are due before: an interrupt that has left some pauses before it continues. 0: no pause
 *
 * The hrtimer is queued again when the interrupt returns, which costs less than starting it. A call
 * that held the lock when the interrupt began may already have started it. Then its time must not
 * be changed, and its own interrupt runs the next step:
 *
 * ::
 *
 *	interrupt			a call that arms a timer
 *
 *					lock
 *	hrtimer removed from its queue	due before @wake_tick
 *					start the hrtimer
 *					unlock
 *	trylock, wheel_step()
 *	queued: leave it alone
 *
 * Context: Locked wheel, in owner->interrupt().
 *
 * Return: the value that owner->interrupt() must return.
 */
enum hrtimer_restart wheel_restart(struct wheel *wheel, u64 from)
{
	struct wheel_base *base = wheel->base;
	u64 time;

	lockdep_assert_held(&base->lock);
	if (unlikely(base->state == BASE_STOPPED))
		return HRTIMER_NORESTART;
	base->wake_tick = base_next_tick(base);
	base->state = BASE_TIMED;
	if (base->wake_tick == WHEEL_NO_TICK || unlikely(hrtimer_is_queued(&base->hrtimer)))
		return HRTIMER_NORESTART;
	time = max(wheel_time_of(&base->core, base->wake_tick), from);
	base_need_clock(base, time);
	hrtimer_set_expires(&base->hrtimer, wheel_ktime(wheel, time));
	return HRTIMER_RESTART;
}
EXPORT_SYMBOL_GPL(wheel_restart);
