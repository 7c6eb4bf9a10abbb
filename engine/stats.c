// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of wheels.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "engine.h"

/* Add the counters of a base, which are the members of struct wheel_stats from @armed. */
static void base_read_stats(struct wheel_base *base, struct wheel_stats *stats)
{
	const u64 *part = &base->counts.armed;
	u64 *sum = &stats->armed;

	lockdep_assert_held(&base->lock);
	/* Pairs with the lockless WRITE_ONCE() of @wakeups in base_wakeup(). */
	while (sum < (u64 *)(stats + 1))
		*sum++ += READ_ONCE(*part++);
	stats->pending += base->core.pending;
	stats->cascaded += base->core.cascaded;
}

/**
 * wheel_read_stats() - Read a wheel's counters
 * @wheel: wheel
 * @stats: filled in, except for the counters that only the device maintains
 *
 * The counters of a base are a consistent snapshot.
 *
 * Context: Process context.
 */
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats)
{
	struct wheel_base *base;

	memset(stats, 0, sizeof(*stats));
	for_each_base(base, wheel) {
		base_lock(base);
		base_read_stats(base, stats);
		base_unlock(base);
	}
}
EXPORT_SYMBOL_GPL(wheel_read_stats);

/* wheel_read_stats() for a wheel that is locked by wheel_lock(), which has one base */
void wheel_read_stats_locked(struct wheel *wheel, struct wheel_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	base_read_stats(wheel->base, stats);
}
