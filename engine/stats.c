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

/**
 * wheel_read_stats - read a wheel's counters
 * @wheel: wheel
 * @stats: filled, but for what the device alone knows
 *
 * All of a base belong to one moment.
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
		stats_add(stats, &base->counts);
		stats->pending += base->core.pending;
		stats->cascaded += base->core.cascaded;
		raw_spin_unlock_irqrestore(&base->lock, flags);
	}
}
EXPORT_SYMBOL_GPL(wheel_read_stats);
