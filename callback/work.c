// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels whose passes run in work items, in softirq or in process context.
 */
#include <linux/bottom_half.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include "callback.h"

/* Maximum number of bases of a wheel with WHEEL_PERCPU. More CPUs share them. */
#define MAX_BASES		64

/* Workqueue of all wheels whose callbacks may sleep; each base is one work item. */
static struct workqueue_struct *sleepers;

/*
 * Schedule the continuation of a pass that has yielded after @ns nanoseconds, in softirq context.
 * The hrtimer continues the pass after one sixteenth of @ns. A softirq that queues itself would
 * leave no CPU time to the tasks of this CPU.
 */
static void callback_resume(struct callback_base *callback, u64 ns)
{
	struct wheel_base *base = callback->base;

	raw_spin_lock_irq(&base->lock);
	if (base->state != BASE_STOPPED && !callback->passing) {
		u64 time = wheel_now(base->wheel) + ns / 16;

		/* Timers can be due earlier only if the clock is set back. */
		base->wake_tick = base->core.floor;
		base->state = BASE_TIMED;
		hrtimer_start(&base->hrtimer, wheel_ktime(base->wheel, time), base->mode);
	}
	raw_spin_unlock_irq(&base->lock);
}

static void pass_bh(struct bh_work *bh)
{
	struct callback_base *callback = container_of(bh, struct callback_base, bh);
	u64 begun = ktime_get_mono_fast_ns();

	if (wheel_callback_pass(callback))
		callback_resume(callback, ktime_get_mono_fast_ns() - begun);
}

static void pass_work(struct work_struct *work)
{
	struct callback_base *callback = container_of(work, struct callback_base, work);

	if (wheel_callback_pass(callback))
		queue_work(sleepers, &callback->work);
}

static enum hrtimer_restart interrupt_bh(void *data)
{
	struct callback_base *callback = data;

	bh_work_queue(&callback->bh);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart interrupt_work(void *data)
{
	struct callback_base *callback = data;

	queue_work(sleepers, &callback->work);
	return HRTIMER_NORESTART;
}

static bool callback_calls_us(void *data)
{
	struct callback_base *callback = data;
	unsigned long flags;
	bool us;

	raw_spin_lock_irqsave(&callback->base->lock, flags);
	us = callback_is_us(callback);
	raw_spin_unlock_irqrestore(&callback->base->lock, flags);
	return us;
}

static bool run_bh(void *data)
{
	bool more;

	local_bh_disable();
	more = wheel_callback_pass(data);
	local_bh_enable();
	return more;
}

static bool run_work(void *data)
{
	return wheel_callback_pass(data);
}

static void quiesce_bh(void *data)
{
	struct callback_base *callback = data;

	callback_may_wait(callback);
	bh_work_cancel_sync(&callback->bh);
}

static void quiesce_work(void *data)
{
	struct callback_base *callback = data;

	callback_may_wait(callback);
	cancel_work_sync(&callback->work);
}

static const struct wheel_owner softirq_owner = {
	.context	= "softirq",
	.hard		= true,
	.interrupt	= interrupt_bh,
	.run		= run_bh,
	.calls_us	= callback_calls_us,
	.quiesce	= quiesce_bh,
};

static const struct wheel_owner process_owner = {
	.context	= "process",
	.hard		= true,
	.interrupt	= interrupt_work,
	.run		= run_work,
	.calls_us	= callback_calls_us,
	.quiesce	= quiesce_work,
};

static void callback_init(struct wheel_base *base, struct wheel_class *class)
{
	struct callback_base *callback = base->data;

	callback->base = base;
	if (wheel_sleeps(base->wheel))
		INIT_WORK(&callback->work, pass_work);
	else
		bh_work_init(&callback->bh, pass_bh);
	init_waitqueue_head(&callback->idle);
	lockdep_init_map(&callback->calling, "wheel.calling", &class->calling, 0);
}

/**
 * wheel_create_class() - Create a wheel
 * @config: configuration of the wheel
 * @class: lockdep classes of wheels of this kind, in static memory
 *
 * Nothing runs until the first timer is armed. The memory is charged to the cgroup of the caller.
 *
 * Context: Process context. May sleep.
 *
 * Return: the wheel, or an ERR_PTR:
 *
 * * %-EINVAL - no name; or an invalid clock, scheme, flag, tick, number of buckets or limit
 * * %-EOPNOTSUPP - a clock that can be set with a scheme other than WHEEL_HASHED and
 *   WHEEL_BOUNDED
 * * %-ENOMEM - out of memory
 * * %-EINTR - the calling task has received a fatal signal
 */
struct wheel *wheel_create_class(const struct wheel_config *config, struct wheel_class *class)
{
	int err = wheel_config_check(config);
	const struct wheel_owner *owner;
	struct wheel_base *base;
	struct wheel *wheel;
	u32 count = 1;

	if (!err && (config->flags & ~(WHEEL_SLEEPABLE | WHEEL_PERCPU) ||
		     (config->flags & WHEEL_PERCPU && config->limit)))
		err = -EINVAL;
	if (err)
		return ERR_PTR(err);
	owner = config->flags & WHEEL_SLEEPABLE ? &process_owner : &softirq_owner;
	if (config->flags & WHEEL_PERCPU)
		count = min_t(u32, num_possible_cpus(), MAX_BASES);
	wheel = wheel_new(config, owner, class, count, sizeof(struct callback_base));
	if (IS_ERR(wheel))
		return wheel;
	for_each_base(base, wheel)
		callback_init(base, class);
	return wheel;
}
EXPORT_SYMBOL_GPL(wheel_create_class);

int wheel_callback_init(void)
{
	sleepers = alloc_workqueue("wheel_timer", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return sleepers ? 0 : -ENOMEM;
}

void wheel_callback_exit(void)
{
	destroy_workqueue(sleepers);
}
