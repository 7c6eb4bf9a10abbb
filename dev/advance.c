// SPDX-License-Identifier: GPL-2.0
/* WHEEL_IOC_ADVANCE: move a VIRTUAL clock. */
#include <linux/sched/signal.h>
#include "dev.h"

/* Publish the time for tasks that wait in ENTER until a time. */
static void publish_advanced(struct wheel_file *file, u64 time)
{
	wheel_lock(file->slots.wheel);
	WRITE_ONCE(file->advanced, max(file->advanced, time));
	wheel_unlock(file->slots.wheel);
	wake_up_interruptible(&file->pollers);
}

/* WHEEL_IOC_ADVANCE. If a signal is pending, the call is restarted and continues. */
int wheel_file_advance(struct wheel_file *file, void *arg)
{
	struct wheel *wheel = wheel_file_ready(file);
	struct wheel_advance *advance = arg;
	bool more;

	if (advance->flags)
		return -EINVAL;
	if (advance->now > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!wheel || file->slots.setup.clock != WHEEL_CLOCK_VIRTUAL)
		return -EOPNOTSUPP;
	/* Timers that the program has armed by their words may be due by then. */
	if (wheel_file_kick(file) == -ERESTARTNOINTR)
		return -ERESTARTNOINTR;
	wheel_advance_to(wheel, advance->now);
	while ((more = wheel_file_run(file, U32_MAX)) && !signal_pending(current))
		;
	wheel_file_hand_over(file);
	/* A killed task may not have moved the clock. */
	if (more || wheel_now(wheel) < advance->now)
		return -ERESTARTNOINTR;
	if (file->ring.size)
		publish_advanced(file, advance->now);
	advance->next = wheel_advance_to(wheel, advance->now);
	advance->now = wheel_now(wheel);
	return 0;
}
