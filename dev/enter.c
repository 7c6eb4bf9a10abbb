// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_ENTER: scan the words, run the pass, and wait for events in the completion ring.
 */
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include "dev.h"

/*
 * Run the pass, if it was left to the owner or if @due. Returns the number of events in the ring.
 * If it is less than @wanted, the next wake-up occurs when @wanted events are in the ring.
 */
static u32 enter_run(struct wheel_file *file, u32 wanted, bool due)
{
	bool run = wheel_file_deferred(file) || due;
	u32 ready;

	if (run)
		wheel_file_run(file, U32_MAX);
	wheel_file_await(file, wanted, &ready);
	/* If the pass is left to the owner again, this wakes up the calling task, too. */
	if (run || wheel_file_deferred(file))
		wheel_file_hand_over(file);
	return ready;
}

/*
 * Check whether there is a reason to return. The clock is read first: timers that were due by
 * @until have then expired, however late the task runs. ADVANCE publishes the time of a VIRTUAL
 * clock under the wheel's lock after these expiries. The lock is taken here afterwards.
 */
static bool arrived(struct wheel_file *file, struct wheel_enter *enter)
{
	bool virtual = file->slots.setup.clock == WHEEL_CLOCK_VIRTUAL;
	u64 now = virtual ? READ_ONCE(file->advanced) : wheel_now(file->slots.wheel);
	bool late = now >= enter->until;

	enter->ready = enter_run(file, enter->wait, late);
	return enter->ready >= enter->wait || late || READ_ONCE(file->stopped);
}

/* Return true if @until is a time, and not 0 or WHEEL_NEVER. */
static bool timed(u64 until)
{
	return until && until != WHEEL_NEVER;
}

/* Sleep until the wheel's clock reaches a time. On a VIRTUAL clock, ADVANCE wakes up the task. */
static void sleep_until(const struct wheel_file *file, u64 until)
{
	ktime_t time = wheel_ktime(file->slots.wheel, until);

	if (!timed(until) || file->slots.setup.clock == WHEEL_CLOCK_VIRTUAL)
		schedule();
	else
		schedule_hrtimeout_range_clock(&time, current->timer_slack_ns, HRTIMER_MODE_ABS,
					       wheel_clockid(file->slots.wheel));
}

static int wait_for(struct wheel_file *file, struct wheel_enter *enter)
{
	int err;

	might_sleep();
	err = ___wait_event(file->pollers, arrived(file, enter), TASK_INTERRUPTIBLE, 0, 0,
			    sleep_until(file, enter->until));
	if (enter->ready)
		return 0;
	if (err == -ERESTARTSYS)
		return -EINTR;
	return READ_ONCE(file->stopped) ? -ESHUTDOWN : 0;
}

/* WHEEL_IOC_ENTER */
int wheel_file_enter(struct wheel_file *file, void *arg)
{
	struct wheel_enter *enter = arg;
	bool kicks = enter->flags & WHEEL_ENTER_KICK;
	int err;

	if (enter->flags & ~WHEEL_ENTER_KICK)
		return -EINVAL;
	if (!wheel_file_ready(file) || (!file->ring.size && !kicks))
		return -EOPNOTSUPP;
	if (enter->wait > file->slots.setup.events)
		return -EINVAL;
	if (enter->until > WHEEL_MAX_TIME && enter->until != WHEEL_NEVER)
		return -ERANGE;
	if (timed(enter->until) && wheel_file_shifted(file))
		return -EOPNOTSUPP;
	err = kicks ? wheel_file_kick(file) : 0;
	if (err)
		return err;
	enter->ready = enter_run(file, enter->until ? enter->wait : 0, false);
	if (!file->ring.size)
		enter->ready = 0;
	if (enter->ready >= enter->wait || !enter->until)
		return 0;
	return wait_for(file, enter);
}
