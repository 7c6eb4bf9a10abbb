// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_ENTER: look at kept timers, and wait for events in the completion ring.
 */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include "clock.h"
#include "event.h"
#include "keep.h"
#include "ring.h"

/* Move to the ring what has room there. Returns how many events are in it. */
static u32 publish_all(struct wheel_file *file)
{
	bool more;
	u32 ready;

	do {
		spin_lock_irq(&file->lock);
		more = wheel_event_ring_publish(file);
		ready = wheel_event_ring_ready(file->ring);
		spin_unlock_irq(&file->lock);
		cond_resched();
	} while (more && !fatal_signal_pending(current));
	return ready;
}

/*
 * A VIRTUAL clock is read when its move has made all expire that is due. That is written
 * under the file's lock, behind these expiries, and whoever looks takes the lock after it.
 */
static u64 time_passed(const struct wheel_file *file)
{
	return file->slots.setup.clock == WHEEL_CLOCK_VIRTUAL ?
	       READ_ONCE(file->advanced) : wheel_now(file->slots.wheel);
}

/*
 * Has what ENTER waits for come, or is there no use in waiting? The clock is read
 * first: what came before the time is then seen, however late we are.
 */
static bool arrived(struct wheel_file *file, struct wheel_enter *enter,
		    enum wheel_news *news)
{
	bool late = time_passed(file) >= enter->until;

	*news = wheel_file_news(file, enter->wait, &enter->ready);
	return *news != WHEEL_NOTHING || late;
}

/* Is that a time, and not at once or never? */
static bool timed(u64 until)
{
	return until && until != WHEEL_NEVER;
}

/*
 * Sleep until the wheel's clock shows a time, also when it is set meanwhile; a
 * VIRTUAL clock's owner wakes us.
 */
static void sleep_until(const struct wheel_file *file, u64 until)
{
	ktime_t time = ns_to_ktime(until);

	if (!timed(until) || file->slots.setup.clock == WHEEL_CLOCK_VIRTUAL)
		schedule();
	else
		schedule_hrtimeout_range_clock(&time, current->timer_slack_ns,
					       HRTIMER_MODE_ABS,
					       wheel_clockid(file->slots.wheel));
}

static int wait_for(struct wheel_file *file, struct wheel_enter *enter)
{
	enum wheel_news news = WHEEL_NOTHING;
	int err;

	might_sleep();
	err = ___wait_event(file->pollers, arrived(file, enter, &news),
			    TASK_INTERRUPTIBLE, 0, 0,
			    sleep_until(file, enter->until));
	if (enter->ready)
		return 0;
	if (err == -ERESTARTSYS)
		return -EINTR;
	return news == WHEEL_OVER ? -ESHUTDOWN : 0;
}

/**
 * wheel_file_enter - WHEEL_IOC_ENTER
 * @file: file
 * @arg: what to wait for; filled
 *
 * Return: 0 or an errno.
 */
int wheel_file_enter(struct wheel_file *file, void *arg)
{
	struct wheel_enter *enter = arg;
	bool kicks = enter->flags & WHEEL_ENTER_KICK;
	int err;

	if (enter->flags & ~WHEEL_ENTER_KICK)
		return -EINVAL;
	if (!wheel_file_ready(file) || (!file->ring && !kicks))
		return -EOPNOTSUPP;
	if (enter->wait > file->slots.setup.events)
		return -EINVAL;
	if (enter->until > WHEEL_MAX_TIME && enter->until != WHEEL_NEVER)
		return -ERANGE;
	if (timed(enter->until) && wheel_clock_shifted(file->slots.setup.clock))
		return -EOPNOTSUPP;
	err = kicks ? wheel_file_kick(file) : 0;
	if (err)
		return err;
	enter->ready = file->ring ? publish_all(file) : 0;
	if (enter->ready >= enter->wait || !enter->until)
		return 0;
	return wait_for(file, enter);
}
