// SPDX-License-Identifier: MIT
/*
 * A wheel's counters, shown.
 */
#include "counters.h"

#include <stdio.h>

#include "histogram.h"
#include "json.h"
#include "text.h"

#define COUNTER(member, meaning)					       \
	{ #member, offsetof(struct wheel_stats, member), meaning }

static const struct {
	const char *name;
	size_t offset;
	const char *meaning;
} counters[] = {
	COUNTER(armed, "armed, and periods that went on"),
	COUNTER(fired, "expired"),
	COUNTER(cancelled, "cancelled while pending"),
	COUNTER(pending, "armed - fired - cancelled"),
	COUNTER(rearmed, "deadlines moved while pending"),
	COUNTER(requeued, "touched timers placed again"),
	COUNTER(refused, "arms refused: a limit, a time, a stop"),
	COUNTER(overruns, "periods missed"),
	COUNTER(unread, "events not yet taken"),
	COUNTER(backlogged, "events that waited for ring space"),
	COUNTER(cascaded, "placements in a lower level"),
	COUNTER(passes, "advances of the wheel"),
	COUNTER(wakeups, "timer interrupts"),
};

static u64 value_of(const struct wheel_stats *stats, size_t i)
{
	return *(const u64 *)((const char *)stats + counters[i].offset);
}

/**
 * counters_print - the counters and the lateness histogram, for people
 * @stats: of the device
 */
void counters_print(const struct wheel_stats *stats)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		printf("%-11s %15s  %s\n", counters[i].name,
		       text_count(value_of(stats, i)).s, counters[i].meaning);
	if (stats->fired) {
		puts("\nlate by                 events");
		histogram_draw(stats->late);
	}
}

/**
 * counters_json - the same as members of the open object
 * @stats: of the device
 */
void counters_json(const struct wheel_stats *stats)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		json_u64(counters[i].name, value_of(stats, i));
	json_u64s("late", stats->late, ARRAY_SIZE(stats->late));
}
