// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatch: from the hrtimer's interrupt to the callbacks.
 */
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "engine.h"

/* One queue for all wheels whose callbacks sleep; a wheel is one item on it. */
static struct workqueue_struct *sleepers;

static void base_queue(struct wheel_base *base)
{
	if (wheel_sleeps(base->owner))
		queue_work(sleepers, &base->work);
	else
		bh_work_queue(&base->bh);
}

static enum hrtimer_restart base_wakeup(struct hrtimer *hrtimer)
{
	struct wheel_base *base = container_of(hrtimer, struct wheel_base,
					       hrtimer);

	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups + 1);
	base_queue(base);
	return HRTIMER_NORESTART;
}

static void base_start(struct wheel_base *base, u64 tick)
{
	ktime_t time = ns_to_ktime(wheel_time_of(&base->core, tick));

	base->programmed = tick;
	hrtimer_start(&base->hrtimer, time, HRTIMER_MODE_ABS_HARD);
}

/**
 * wheel_base_program - have a pass made at a tick
 * @base: base, locked
 * @tick: that a pass is needed at
 *
 * Not before the next tick boundary, however long ago @tick was: nobody can
 * make more than one interrupt a tick.
 */
void wheel_base_program(struct wheel_base *base, u64 tick)
{
	struct wheel_core *core = &base->core;

	lockdep_assert_held(&base->lock);
	if (tick >= base->programmed)
		return;
	tick = max(tick, wheel_tick_at(core, wheel_now(base->owner)) + 1);
	if (tick >= base->programmed)
		return;
	base_start(base, tick);
}

/*
 * All that was due when the clock was read has been taken: hand the watch back to
 * the hrtimer, unless more has become due meanwhile.
 */
static bool base_settle(struct wheel_base *base)
{
	struct wheel_core *core = &base->core;

	if (base->owner->clock == WHEEL_CLOCK_VIRTUAL)
		return true;
	if (core->next <= wheel_tick_at(core, wheel_now(base->owner)))
		return false;
	if (core->next == WHEEL_NO_TICK)
		base->programmed = WHEEL_NO_TICK;
	else
		base_start(base, core->next);
	return true;
}

static void count_expiry(struct wheel_stats *counts, u64 late)
{
	counts->fired++;
	counts->late[ilog2(late | 1)]++;
}

/*
 * Call back one timer that was popped. Afterwards it may be freed, or armed
 * again: nothing of it is touched.
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
 *	running = NULL
 *	unlock
 *	if awaited: wake up		running != timer: return
 */
static void base_call(struct wheel_base *base, struct wheel_timer *timer,
		      u64 now)
	__must_hold(&base->lock)
{
	wheel_timer_fn function = timer->function;

	lockdep_assert_held(&base->lock);
	count_expiry(&base->counts, now - timer->deadline);
	timer->due = now;
	WRITE_ONCE(base->calls, base->calls + 1);
	WRITE_ONCE(base->running, timer);
	base->runner = current;
	raw_spin_unlock_irq(&base->lock);

	function(timer);

	raw_spin_lock_irq(&base->lock);
	base->runner = NULL;
	WRITE_ONCE(base->running, NULL);
	if (unlikely(base->awaited)) {
		base->awaited = false;
		raw_spin_unlock_irq(&base->lock);
		wake_up_all(&base->idle);
		raw_spin_lock_irq(&base->lock);
	}
}

/**
 * wheel_base_pass - go on with a pass
 * @base: base
 *
 * Context: Interrupts enabled; softirq or process context as the wheel has it.
 *
 * Return: true if there is more to do.
 */
bool wheel_base_pass(struct wheel_base *base)
{
	struct wheel_core *core = &base->core;
	unsigned int run = 0, calls = 0;
	bool more = true;
	u64 now = 0;

	raw_spin_lock_irq(&base->lock);
	base->programmed = 0;
	base->counts.passes++;
	while (more && run < WHEEL_RUN && !base->stopped) {
		unsigned int budget = WHEEL_HOLD;
		struct wheel_timer *timer;

		/* A reading of the clock serves many callbacks, if they are short. */
		if (calls++ % WHEEL_HOLD == 0 || wheel_sleeps(base->owner))
			now = wheel_now(base->owner);
		timer = wheel_pop(core, wheel_tick_at(core, now), &budget);
		run += WHEEL_HOLD - budget + WHEEL_CALL;
		if (timer) {
			base_call(base, timer, now);
		} else if (budget) {
			more = !base_settle(base);
			calls = 0;
		} else {
			raw_spin_unlock_irq(&base->lock);
			cpu_relax();
			raw_spin_lock_irq(&base->lock);
		}
	}
	more &= !base->stopped;
	raw_spin_unlock_irq(&base->lock);
	return more;
}

static void base_pass_bh(struct bh_work *bh)
{
	struct wheel_base *base = container_of(bh, struct wheel_base, bh);

	if (wheel_base_pass(base))
		base_queue(base);
}

static void base_pass_work(struct work_struct *work)
{
	struct wheel_base *base = container_of(work, struct wheel_base, work);

	if (wheel_base_pass(base))
		base_queue(base);
}

static clockid_t base_clockid(const struct wheel *wheel)
{
	switch (wheel->clock) {
	case WHEEL_CLOCK_BOOTTIME:
		return CLOCK_BOOTTIME;
	case WHEEL_CLOCK_REALTIME:
		return CLOCK_REALTIME;
	case WHEEL_CLOCK_TAI:
		return CLOCK_TAI;
	default:
		return CLOCK_MONOTONIC;
	}
}

/**
 * wheel_base_init - make a base that is idle
 * @base: base whose core is set up
 * @owner: its wheel
 */
void wheel_base_init(struct wheel_base *base, struct wheel *owner)
{
	bool driven = owner->clock != WHEEL_CLOCK_VIRTUAL;

	raw_spin_lock_init(&base->lock);
	base->owner = owner;
	base->programmed = driven ? WHEEL_NO_TICK : 0;
	hrtimer_setup(&base->hrtimer, base_wakeup, base_clockid(owner),
		      HRTIMER_MODE_ABS_HARD);
	bh_work_init(&base->bh, base_pass_bh);
	INIT_WORK(&base->work, base_pass_work);
	init_waitqueue_head(&base->idle);
}

/**
 * wheel_base_quiesce - wait until no pass is made and none will be
 * @base: base that is stopped
 *
 * Context: Process context. May sleep.
 */
void wheel_base_quiesce(struct wheel_base *base)
{
	struct wheel *wheel = base->owner;

	hrtimer_cancel(&base->hrtimer);
	if (wheel_sleeps(wheel))
		cancel_work_sync(&base->work);
	else
		bh_work_cancel_sync(&base->bh);

	/* A pass over a VIRTUAL clock runs in the task that moves it. */
	if (wheel->clock == WHEEL_CLOCK_VIRTUAL) {
		mutex_lock(&wheel->advancing);
		mutex_unlock(&wheel->advancing);
	}
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
	return base->running && base->runner == current;
}

/* Is that call still under way? Not the next one, of a timer armed again. */
static bool base_still_calls(struct wheel_base *base, u64 call)
{
	unsigned long flags;
	bool calls;

	raw_spin_lock_irqsave(&base->lock, flags);
	calls = base->running && base->calls == call;
	if (calls)
		base->awaited = true;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return calls;
}

/**
 * wheel_base_wait - wait until a callback has returned
 * @base: base
 * @call: which, by the count of calls when it ran
 *
 * With PREEMPT_RT a callback in softirq context can be preempted by who waits for
 * it, so there it is waited for asleep.
 *
 * Context: As wheel_timer_cancel_sync().
 */
void wheel_base_wait(struct wheel_base *base, u64 call)
{
	if (wheel_sleeps(base->owner) || IS_ENABLED(CONFIG_PREEMPT_RT)) {
		wait_event(base->idle, !base_still_calls(base, call));
		return;
	}
	/* The caller takes the lock next, and so sees what the callback did. */
	while (READ_ONCE(base->running) && READ_ONCE(base->calls) == call)
		cpu_relax();
}

int wheel_dispatch_init(void)
{
	sleepers = alloc_workqueue("wheel_timer", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return sleepers ? 0 : -ENOMEM;
}

void wheel_dispatch_exit(void)
{
	destroy_workqueue(sleepers);
}
