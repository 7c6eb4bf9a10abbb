// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of wheels.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "engine.h"

static void stats_add(struct wheel_stats *sum, const struct wheel_stats *part)
{
	unsigned int i;

	sum->armed += part->armed;
	sum->fired += part->fired;
	sum->cancelled += part->cancelled;
	sum->pending += part->pending;
	sum->rearmed += part->rearmed;
	sum->requeued += part->requeued;
	sum->refused += part->refused;
	sum->overruns += part->overruns;
	sum->cascaded += part->cascaded;
	sum->passes += part->passes;
	/* The hrtimer counts without the lock. */
	sum->wakeups += READ_ONCE(part->wakeups);
	for (i = 0; i < ARRAY_SIZE(sum->late); i++)
		sum->late[i] += part->late[i];
}

static void base_read_stats(struct wheel_base *base, struct wheel_stats *stats)
{
	lockdep_assert_held(&base->lock);
	stats_add(stats, &base->counts);
	stats->pending += base->core.pending;
	stats->cascaded += base->core.cascaded;
}

/**
 * wheel_read_stats() - Read a wheel's counters
 * @wheel: wheel
 * @stats: filled, except for what only the device counts
 *
 * All counters of a base are of the same moment.
 *
 * Context: Any but NMI.
 */
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats)
{
	struct wheel_base *base;
	unsigned long flags;

	memset(stats, 0, sizeof(*stats));
	for_each_base(base, wheel) {
		raw_spin_lock_irqsave(&base->lock, flags);
		base_read_stats(base, stats);
		raw_spin_unlock_irqrestore(&base->lock, flags);
	}
}
EXPORT_SYMBOL_GPL(wheel_read_stats);

/**
 * wheel_read_stats_locked() - Read the counters of a locked wheel
 * @wheel: wheel that is locked by wheel_lock()
 * @stats: as wheel_read_stats()
 *
 * Context: As wheel_timer_arm_locked().
 */
void wheel_read_stats_locked(struct wheel *wheel, struct wheel_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	base_read_stats(wheel->base, stats);
}
EXPORT_SYMBOL_GPL(wheel_read_stats_locked);
