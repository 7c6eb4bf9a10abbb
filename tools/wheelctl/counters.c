// SPDX-License-Identifier: MIT
/*
 * A wheel's counters, shown.
 */
#include "counters.h"

#include <stdio.h>

#include "histogram.h"
#include "json.h"
#include "text.h"

#define COUNTER(member, goes_down, told, meaning)			       \
	{ #member, offsetof(struct wheel_stats, member), goes_down, told, meaning }

const struct counter counters[] = {
	COUNTER(armed, false, true, "armed, and periods that went on"),
	COUNTER(fired, false, true, "expired"),
	COUNTER(cancelled, false, true, "cancelled while pending"),
	COUNTER(pending, true, true, "armed - fired - cancelled"),
	COUNTER(rearmed, false, false, "deadlines moved while pending"),
	COUNTER(requeued, false, false, "touched timers placed again"),
	COUNTER(refused, false, false, "arms refused: a limit, a time, a stop"),
	COUNTER(overruns, false, false, "periods missed"),
	COUNTER(unread, true, true, "events not yet taken"),
	COUNTER(deferred, false, false, "passes that an interrupt left to the program"),
	COUNTER(cascaded, false, false, "placements in a lower level"),
	COUNTER(passes, false, false, "advances of the wheel"),
	COUNTER(wakeups, false, false, "timer interrupts"),
	{ NULL }
};

u64 counter_value(const struct counter *counter,
		  const struct wheel_stats *stats)
{
	return *(const u64 *)((const char *)stats + counter->offset);
}

/**
 * counters_print - the counters and the lateness histogram, for people
 * @stats: of the device
 * @all: not only those that fdinfo tells
 */
void counters_print(const struct wheel_stats *stats, bool all)
{
	const struct counter *c;

	for (c = counters; c->name; c++)
		if (all || c->told)
			printf("%-11s %15s  %s\n", c->name,
			       text_count(counter_value(c, stats)).s, c->meaning);
	if (!all || !stats->fired)
		return;
	puts("\nlate by                 events");
	histogram_draw(stdout, stats->late, HISTOGRAM_WIDTH);
	histogram_sum_up(stats->late);
}

/**
 * counters_json - the same as members of the open object
 * @stats: of the device
 * @all: not only those that fdinfo tells
 */
void counters_json(const struct wheel_stats *stats, bool all)
{
	const struct counter *c;

	for (c = counters; c->name; c++)
		if (all || c->told)
			json_u64(c->name, counter_value(c, stats));
	if (all)
		histogram_json(stats->late);
}
