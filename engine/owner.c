// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels with an owner, which runs the passes in its own context:
 * include/linux/wheel_timer_owner.h. A pass consists of steps. A step is one lock hold with a
 * bounded amount of work: the interrupt runs a short one, the owner's calls run the others.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include "take.h"
#include "verbs.h"

/* On a kernel for one CPU, locks only disable preemption, so an interrupt needs this mark. */
static inline void base_set_held(struct wheel_base *base, bool held)
{
	if (!IS_ENABLED(CONFIG_SMP))
		WRITE_ONCE(base->held, held);
}

static inline bool base_trylock(struct wheel_base *base)
{
	/* raw_spin_trylock() has a sparse annotation that does not work in a function. */
	if ((!IS_ENABLED(CONFIG_SMP) && READ_ONCE(base->held)) ||
	    !_raw_spin_trylock(&base->lock))
		return false;
	base_set_held(base, true);
	return true;
}

/**
 * wheel_lock() - Lock a wheel for operations of its owner
 * @wheel: wheel with an owner
 *
 * Interrupts remain enabled, so a lock hold delays none. Preemption is disabled, so one should arm
 * at most wheel_batch_max() timers. The interrupt of the hrtimer may arrive meanwhile, also on this
 * CPU: see wheel_trylock().
 *
 * Context: Process or softirq context. If a softirq locks the same wheel, softirqs must be
 * disabled.
 */
void wheel_lock(struct wheel *wheel)
	__acquires(&wheel->base->lock)
{
	WARN_ON_ONCE(!base_is_owned(wheel->base));
	raw_spin_lock(&wheel->base->lock);
	base_set_held(wheel->base, true);
}
EXPORT_SYMBOL_GPL(wheel_lock);

/*
 * Start the hrtimer, and unlock. If its time has passed, it interrupts at once. In the lock hold,
 * that interrupt would find the lock held and cause another start, so interrupts are disabled.
 */
static noinline void base_unlock_program(struct wheel_base *base)
	__releases(&base->lock)
{
	unsigned long flags;

	local_irq_save(flags);
	wheel_base_program(base);
	base_set_held(base, false);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

static inline void base_unlock_owned(struct wheel_base *base)
	__releases(&base->lock)
{
	if (unlikely(base->reprogram)) {
		base_unlock_program(base);
	} else {
		base_set_held(base, false);
		raw_spin_unlock(&base->lock);
	}
}

/* Start the hrtimer again for the interrupt that has found the lock held. */
static noinline void base_retry_missed(struct wheel_base *base)
{
	while (READ_ONCE(base->missed) && base_trylock(base)) {
		__acquire(&base->lock);
		WRITE_ONCE(base->missed, false);
		base->reprogram = base->by_hrtimer && base->wake_tick != WHEEL_NO_TICK;
		base_unlock_owned(base);
		/* Same as in wheel_base_check_missed(). */
		smp_mb();
	}
}

/* Start the hrtimer again if its interrupt has found the lock held that was just released. */
inline void wheel_base_check_missed(struct wheel_base *base)
{
	/* Order the unlock before the read of @missed. Pairs with wheel_trylock(). */
	smp_mb();
	if (unlikely(READ_ONCE(base->missed)))
		base_retry_missed(base);
}

/**
 * wheel_unlock() - Unlock a wheel, and start its hrtimer if necessary
 * @wheel: wheel locked by wheel_lock() or wheel_trylock()
 *
 * The hrtimer is started at most once per lock hold: if a timer was armed that is due before the
 * others, after wheel_settle(), or for an interrupt that has found the lock held.
 *
 * Context: Same as wheel_lock(). Do not hold a lock that the scheduler or hrtimers take.
 */
void wheel_unlock(struct wheel *wheel)
	__releases(&wheel->base->lock)
{
	struct wheel_base *base = wheel->base;

	base_unlock_owned(base);
	wheel_base_check_missed(base);
}
EXPORT_SYMBOL_GPL(wheel_unlock);

/**
 * wheel_trylock() - Lock a wheel in owner->interrupt() if it is not locked
 * @wheel: wheel with an owner
 *
 * An interrupt does not wait for the lock, because it may have interrupted the holder, or the
 * holder may be preempted by a hypervisor. If the lock is held, it leaves a mark, and must return
 * HRTIMER_NORESTART. The holder then starts the hrtimer again after its unlock. The mark
 * corresponds to NAPI's MISSED.
 *
 * ::
 *
 *	interrupt			holder of the lock
 *
 *	trylock: held
 *	missed = true			unlock
 *	full barrier			full barrier
 *	trylock				missed: trylock, start the hrtimer, unlock
 *
 * Either the second trylock succeeds, or the holder reads the mark.
 *
 * Context: Hard interrupt or softirq context: owner->interrupt().
 *
 * Return: true if the wheel was locked, as if by wheel_lock().
 */
bool wheel_trylock(struct wheel *wheel)
{
	struct wheel_base *base = wheel->base;

	if (likely(base_trylock(base)))
		return true;
	WRITE_ONCE(base->missed, true);
	/* The interrupt that follows counts, this one has done nothing. */
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups - 1);
	/* Order the mark before the second attempt. Pairs with wheel_base_check_missed(). */
	smp_mb();
	if (!base_trylock(base))
		return false;
	WRITE_ONCE(base->missed, false);
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups + 1);
	return true;
}
EXPORT_SYMBOL_GPL(wheel_trylock);

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

/* Take the last timer of a step, and determine whether another one is due. */
static noinline struct wheel_timer *base_take_last(struct wheel_base *base, u64 now, u64 until,
						   unsigned int *budget)
{
	return base_take(base, now, until, budget, true);
}

/* Deliver up to @max due timers to the owner, in order. Returns their number. */
static noinline unsigned int base_expire(struct wheel_base *base, u64 now, u64 until,
						unsigned int max, unsigned int *budget)
{
	struct wheel_timer *timer;
	unsigned int n = 0;

	while (n < max) {
		if (likely(n + 1 < max))
			timer = base_take(base, now, until, budget, false);
		else
			timer = base_take_last(base, now, until, budget);
		if (!timer)
			break;
		base->due[n++] = timer;
		if (wheel_popped_all(&base->core, until))
			break;
	}
	if (n)
		base->wheel->owner->expire(base->data, base->due, n, now);
	return n;
}

/*
 * Run a due scan. Timers due before its tick expire first, because scans that take longer than a
 * tick would otherwise follow one another. Not on a bounded wheel with a VIRTUAL clock: if a
 * periodic timer that expires is armed again, the range begins now, and the scan could queue no due
 * timer.
 * Returns the number of expired timers. A scan remains due if some of these timers are left, if the
 * scan is incomplete, or if the next one is late, too.
 */
static noinline unsigned int base_scan(struct wheel_base *base, u64 now, u64 until,
				       unsigned int max, unsigned int *budget)
{
	const struct wheel *wheel = base->wheel;
	unsigned int n = 0;

	if (wheel->config.clock != WHEEL_CLOCK_VIRTUAL || !base->core.scheme->follow) {
		if (!wheel_popped_all(&base->core, base->scan_tick - 1))
			n = base_expire(base, now, base->scan_tick - 1, max, budget);
		if (n == max || !*budget)
			return n;
	}
	/* Forward the clock once for all timers that the scan arms. */
	base->scan_until = until;
	wheel_base_forward_clock(base, 0);
	base_need_clock(base, 0);
	/* Queuing a timer takes longer than expiring one. */
	*budget -= min(*budget, 2 * wheel->owner->scan(base->data, now));
	base_need_clock(base, now);
	base->scan_until = 0;
	return n;
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
	unsigned int budget = WHEEL_BATCH, n = 0;
	bool scanned, more;
	u64 until;

	lockdep_assert_held(&base->lock);
	if (unlikely(base->stopped))
		return false;
	max = min(max, base_batch_max(base));
	until = wheel_tick_at(&base->core, now);
	if (unlikely(wheel_settable(wheel->config.clock)))
		wheel_set_back(&base->core, until);
	base->by_hrtimer = false;
	base->reprogram = false;
	/* Timers that are armed by the step are armed at @now. */
	base_need_clock(base, now);
	base->counts.passes++;
	trace_wheel_pass_begin(base);
	if (unlikely(base->scan_tick <= until))
		n = base_scan(base, now, until, max, &budget);
	scanned = base->scan_tick > until;
	if (likely(scanned && n < max && budget))
		n += base_expire(base, now, until, max - n, &budget);
	more = !scanned || ((n == max || !budget) && !wheel_popped_all(&base->core, until));
	/* A step that may expire no timers has popped none. wheel_settle() relies on the floor. */
	if (likely(!more))
		wheel_raise_floor(&base->core, until);
	WRITE_ONCE(base->needs_clock_until, WHEEL_NEVER);
	trace_wheel_pass_end(base, now, n, WHEEL_BATCH - budget, more);
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
	if (unlikely(base->stopped))
		return HRTIMER_NORESTART;
	base->wake_tick = base_next_tick(base);
	base->by_hrtimer = true;
	if (base->wake_tick == WHEEL_NO_TICK || unlikely(hrtimer_is_queued(&base->hrtimer)))
		return HRTIMER_NORESTART;
	time = max(wheel_time_of(&base->core, base->wake_tick), from);
	base_need_clock(base, time);
	hrtimer_set_expires(&base->hrtimer, ns_to_ktime(time));
	return HRTIMER_RESTART;
}
EXPORT_SYMBOL_GPL(wheel_restart);
