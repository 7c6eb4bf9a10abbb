// SPDX-License-Identifier: GPL-2.0
/* Scans for timers that the program has armed, by passes and by kicks: see slots/scan.c. */
#include <linux/sched/signal.h>
#include "../slots/scan.h"
#include "dev.h"

/* Begin one lock hold of a scan. If queueing a timer walks a list, it costs a whole lock hold. */
static void scan_allow(struct wheel_scan *scan, const struct wheel *wheel)
{
	scan->cost = WHEEL_BATCH / wheel_batch_max(wheel);
	scan->budget = DEV_HOLD;
}

/*
 * Begin or continue a scan in a step of a pass. The wheel is locked. Returns the number of timers
 * examined.
 */
unsigned int wheel_file_scan(void *data, u64 now)
{
	struct wheel_slots *slots = data;
	struct wheel_scan scan = {
		/* The scan in progress, or the next one. */
		.number	= slots->scanner.scans + !slots->scanner.scanning,
		.now	= now,
	};

	scan_allow(&scan, slots->wheel);
	wheel_scan_run(slots, &scan);
	return DEV_HOLD - scan.budget;
}

/* Run one lock hold of a kick, the last one if @last. Returns true if the scan is incomplete. */
static bool kick_step(struct wheel_slots *slots, struct wheel_scan *scan, bool last)
{
	bool more;

	wheel_lock(slots->wheel);
	scan->number = scan->number ?: slots->scanner.scans + 1;
	scan->now = wheel_now(slots->wheel);
	scan_allow(scan, slots->wheel);
	more = wheel_scan_run(slots, scan);
	/* The next pass continues it; on a VIRTUAL clock, the caller does. */
	if (more && last)
		wheel_scan_now(slots);
	wheel_unlock(slots->wheel);
	return more;
}

/*
 * Scan a file now. If a signal is pending, the next pass completes the scan. A VIRTUAL clock has no
 * passes: the result is -ERESTARTNOINTR then. Fails with -EOPNOTSUPP without words, and with
 * -ESHUTDOWN if STOP has begun.
 */
int wheel_file_kick(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;
	struct wheel_scan scan = {};
	bool more, last;

	if (!slots->words)
		return -EOPNOTSUPP;
	do {
		/* Read once, because a signal may arrive at any time. */
		last = signal_pending(current);
		more = kick_step(slots, &scan, last);
		cond_resched();
	} while (more && !last);
	if (more && slots->setup.clock == WHEEL_CLOCK_VIRTUAL)
		return -ERESTARTNOINTR;
	return READ_ONCE(slots->stopping) ? -ESHUTDOWN : 0;
}

/*
 * A mapping of the doorbells was removed, by munmap(), at exit, or by the task of another user. A
 * program that was killed after it exchanged a word, and before it set the doorbell or kicked, has
 * left a timer that no scan would find. Request one of all words, regardless of their doorbells;
 * the program's stores are visible to it, because the mapping was removed.
 */
void wheel_file_bells_unmapped(struct wheel_file *file)
{
	wheel_lock(file->slots.wheel);
	file->slots.scanner.all_next = true;
	wheel_scan_now(&file->slots);
	wheel_unlock(file->slots.wheel);
}
