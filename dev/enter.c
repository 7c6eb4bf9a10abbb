// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_ENTER: wait for events in the completion ring.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include "clock.h"
#include "event.h"
#include "ring.h"
#include "setup.h"

/* Move to the ring what has room there. */
static u32 publish_all(struct wheel_file *file)
{
	bool more;
	u32 ready;

	do {
		spin_lock_bh(&file->lock);
		more = ring_publish(file, wheel_now(file->wheel));
		ready = ring_ready(file->ring);
		spin_unlock_bh(&file->lock);
		cond_resched();
	} while (more && !fatal_signal_pending(current));
	return ready;
}

/* Has what ENTER waits for come, or is there no use in waiting? */
static bool arrived(struct wheel_file *file, struct wheel_enter *enter,
		    enum news *news)
{
	*news = file_look(file, enter->wait, &enter->ready);
	return *news != NOTHING || wheel_now(file->wheel) >= enter->until;
}

/* Is that a time, and not at once or never? */
static bool timed(u64 until)
{
	return until && until <= WHEEL_MAX_TIME;
}

/*
 * Sleep until the wheel's clock shows a time, also when it is set meanwhile; a
 * VIRTUAL clock's owner wakes us.
 */
static void sleep_until(const struct wheel_file *file, u64 until)
{
	ktime_t time = ns_to_ktime(until);

	if (!timed(until) || file->setup.clock == WHEEL_CLOCK_VIRTUAL)
		schedule();
	else
		schedule_hrtimeout_range_clock(&time, current->timer_slack_ns,
					       HRTIMER_MODE_ABS,
					       wheel_clockid(file->wheel));
}

static int wait_for(struct wheel_file *file, struct wheel_enter *enter)
{
	enum news news = NOTHING;
	int err;

	might_sleep();
	err = ___wait_event(file->pollers, arrived(file, enter, &news),
			    TASK_INTERRUPTIBLE, 0, 0,
			    sleep_until(file, enter->until));
	if (enter->ready)
		return 0;
	if (err == -ERESTARTSYS)
		return -EINTR;
	return news == OVER ? -ESHUTDOWN : 0;
}

/**
 * file_enter - WHEEL_IOC_ENTER
 * @file: file
 * @enter: what to wait for; filled
 *
 * Return: 0 or an errno.
 */
int file_enter(struct wheel_file *file, struct wheel_enter *enter)
{
	struct wheel *wheel;

	enter->ready = 0;
	if (enter->flags)
		return -EINVAL;
	wheel = file_wheel(file);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	if (!file->ring)
		return -EOPNOTSUPP;
	if (enter->wait > file->setup.events)
		return -EINVAL;
	if (timed(enter->until) && clock_shifted(file->setup.clock))
		return -EOPNOTSUPP;
	enter->ready = publish_all(file);
	if (enter->ready >= enter->wait || !enter->until)
		return 0;
	return wait_for(file, enter);
}
