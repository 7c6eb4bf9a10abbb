// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatch: hrtimers, and the work items that run the passes.
 */
#include <linux/ktime.h>
#include "trace.h"

/*
 * Wheels with an owner whose hrtimers expire in hard interrupt context. If these are due together,
 * they expire one after the other while interrupts are disabled. The hrtimers of all others expire
 * in softirq context, which takes about 320 instructions more.
 */
#define MAX_HARD_OWNERS	4

static atomic_t hard_owners = ATOMIC_INIT(0);

/* Workqueue of all wheels whose callbacks may sleep; each base is one work item. */
static struct workqueue_struct *sleepers;

static void base_queue(struct wheel_base *base)
{
	if (wheel_sleeps(base->wheel))
		queue_work(sleepers, &base->work);
	else
		bh_work_queue(&base->bh);
}

static enum hrtimer_restart base_wakeup(struct hrtimer *hrtimer)
{
	struct wheel_base *base = container_of(hrtimer, struct wheel_base, hrtimer);

	WRITE_ONCE(base->needs_clock_until, WHEEL_NEVER);
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups + 1);
	trace_wheel_wakeup(base);
	if (base_is_owned(base))
		return base->wheel->owner->interrupt(base->data);
	base_queue(base);
	return HRTIMER_NORESTART;
}

/*
 * Start the hrtimer for @wake_tick. A timer that was armed for a time in the past is due at the
 * next tick boundary, so timers cause at most one interrupt per tick. A scan can cause others.
 */
void wheel_base_program(struct wheel_base *base)
{
	u64 time = wheel_time_of(&base->core, base->wake_tick);

	lockdep_assert_held(&base->lock);
	base->reprogram = false;
	base_need_clock(base, time);
	hrtimer_start(&base->hrtimer, ns_to_ktime(time), base->mode);
}

/*
 * Schedule the continuation of a pass that has yielded after @ns nanoseconds, in softirq context.
 * The hrtimer continues the pass after one sixteenth of @ns. A softirq that queues itself would
 * leave no CPU time to the tasks of this CPU.
 */
static void base_resume(struct wheel_base *base, u64 ns)
{
	raw_spin_lock_irq(&base->lock);
	if (!base->stopped && !base->passing) {
		u64 time = wheel_now(base->wheel) + ns / 16;

		/* Timers can be due earlier only if the clock is set back. */
		base->wake_tick = base->core.floor;
		base->by_hrtimer = true;
		hrtimer_start(&base->hrtimer, ns_to_ktime(time), base->mode);
	}
	raw_spin_unlock_irq(&base->lock);
}

static void base_pass_bh(struct bh_work *bh)
{
	struct wheel_base *base = container_of(bh, struct wheel_base, bh);
	u64 begun = ktime_get_mono_fast_ns();

	if (wheel_base_pass(base))
		base_resume(base, ktime_get_mono_fast_ns() - begun);
}

static void base_pass_work(struct work_struct *work)
{
	struct wheel_base *base = container_of(work, struct wheel_base, work);

	if (wheel_base_pass(base))
		base_queue(base);
}

/* Initialize an idle base of @wheel. Its core is initialized. */
void wheel_base_init(struct wheel_base *base, struct wheel *wheel)
{
	raw_spin_lock_init(&base->lock);
	base->wheel = wheel;
	base->percpu = wheel->config.flags & WHEEL_PERCPU;
	base->needs_clock = base->core.scheme->follow || wheel_settable(wheel->config.clock);
	base->by_hrtimer = wheel->config.clock != WHEEL_CLOCK_VIRTUAL;
	base->wake_tick = WHEEL_NO_TICK;
	base->scan_tick = WHEEL_NO_TICK;
	base_need_clock(base, 0);
	/* Owners wake up tasks, which PREEMPT_RT does not permit in hard interrupt context. */
	if (!wheel->owner)
		base->mode = HRTIMER_MODE_ABS_HARD;
	else if (base->by_hrtimer && atomic_add_unless(&hard_owners, 1, MAX_HARD_OWNERS))
		base->mode = HRTIMER_MODE_ABS;
	else
		base->mode = HRTIMER_MODE_ABS_SOFT;
	hrtimer_setup(&base->hrtimer, base_wakeup, wheel_clockid(wheel), base->mode);
	bh_work_init(&base->bh, base_pass_bh);
	INIT_WORK(&base->work, base_pass_work);
	init_waitqueue_head(&base->idle);
}

/* Undo wheel_base_init(). A wheel with an owner has one base. */
void wheel_base_exit(struct wheel_base *base)
{
	if (base->mode == HRTIMER_MODE_ABS)
		atomic_dec(&hard_owners);
}

/* Wait until no pass of a stopped base is running and none will be started. May sleep. */
void wheel_base_quiesce(struct wheel_base *base)
{
	struct wheel *wheel = base->wheel;

	hrtimer_cancel(&base->hrtimer);
	if (wheel_sleeps(wheel))
		cancel_work_sync(&base->work);
	else
		bh_work_cancel_sync(&base->bh);

	/* Wait for a wheel_advance_to() in another task, which runs passes. */
	mutex_lock(&wheel->advance_lock);
	mutex_unlock(&wheel->advance_lock);
}

/* Return true if call number @call has not returned yet. A later call does not count. */
static bool base_still_calls(struct wheel_base *base, u64 call)
{
	unsigned long flags;
	bool calls;

	raw_spin_lock_irqsave(&base->lock, flags);
	calls = base->running && base->calls == call;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return calls;
}

/*
 * Wait until the callback that was running when base->calls was @call has returned. With
 * PREEMPT_RT, the waiting task may have preempted a callback in softirq context, so it must sleep
 * instead of spinning. All stores of the callback are visible afterwards.
 */
void wheel_base_wait(struct wheel_base *base, u64 call)
{
	unsigned long flags;

	if (wheel_sleeps(base->wheel) || IS_ENABLED(CONFIG_PREEMPT_RT)) {
		wait_event(base->idle, !base_still_calls(base, call));
		return;
	}
	while (READ_ONCE(base->running) && READ_ONCE(base->calls) == call)
		cpu_relax();
	/*
	 * Acquire the lock, to order the callback's stores before later reads of the caller. Pairs
	 * with the release of the lock in base_call() after it has cleared @running.
	 */
	raw_spin_lock_irqsave(&base->lock, flags);
	raw_spin_unlock_irqrestore(&base->lock, flags);
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
