// SPDX-License-Identifier: GPL-2.0
/* WHEEL_IOC_ADVANCE: move a VIRTUAL clock. */
#include <linux/math64.h>
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

/* Return true if a scan finds timers that it cannot queue, because they are beyond the range. */
static bool has_words_beyond(const struct wheel_file *file)
{
	return file->slots.words && file->slots.setup.scheme == WHEEL_BOUNDED;
}

/*
 * Move the clock. On a bounded wheel with words, the pass scans again: timers that were beyond the
 * range before may be due now.
 */
static void move_clock(struct wheel_file *file, u64 now)
{
	struct wheel *wheel = file->slots.wheel;
	u64 tick = file->slots.setup.tick_ns;

	wheel_advance_to(wheel, now);
	/* Nothing is due before the first tick boundary. */
	if (!has_words_beyond(file) || now < tick)
		return;
	wheel_lock(wheel);
	/* The clock may be ahead of @now. The scan is due at the boundary of the current tick. */
	if (!file->slots.stopping)
		wheel_scan_at(wheel, div64_u64(wheel_now(wheel), tick) * tick);
	wheel_unlock(wheel);
}

/*
 * Get the time and the next expiry. Returns false if timers are due that this call can expire,
 * because another thread has moved the clock meanwhile. If the ring is full, they stay pending.
 */
static bool advance_ends(struct wheel_file *file, struct wheel_advance *advance)
{
	struct wheel *wheel = file->slots.wheel;
	bool stuck = false;

	wheel_lock(wheel);
	advance->now = wheel_now(wheel);
	advance->next = wheel_next_locked(wheel);
	/* STOP has ended the timers that the last scan found. */
	if (has_words_beyond(file) && !file->slots.stopping)
		advance->next = min(advance->next, wheel_scan_earliest(&file->slots));
	if (file->ring.size)
		stuck = wheel_event_ring_ready(&file->ring) == file->ring.size;
	stuck |= file->slots.stopping;
	wheel_unlock(wheel);
	return advance->next > advance->now || stuck;
}

/* WHEEL_IOC_ADVANCE. If a signal is pending, the call is restarted and continues. */
int wheel_file_advance(struct wheel_file *file, void *arg)
{
	struct wheel *wheel = wheel_file_ready(file);
	struct wheel_advance *advance = arg;
	u64 until = advance->now;
	bool ends;

	if (advance->flags)
		return -EINVAL;
	if (until > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!wheel || file->slots.setup.clock != WHEEL_CLOCK_VIRTUAL)
		return -EOPNOTSUPP;
	/* Timers that the program has armed by their words may be due by then. */
	if (wheel_file_kick(file) == -ERESTARTNOINTR)
		return -ERESTARTNOINTR;
	move_clock(file, until);
	do {
		ends = !wheel_file_run(file, U32_MAX) && advance_ends(file, advance);
	} while (!ends && !signal_pending(current));
	wheel_file_hand_over(file);
	/* A killed task may not have moved the clock. */
	if (!ends || advance->now < until)
		return -ERESTARTNOINTR;
	if (file->ring.size)
		publish_advanced(file, until);
	return 0;
}
