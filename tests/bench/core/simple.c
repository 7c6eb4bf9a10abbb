// SPDX-License-Identifier: GPL-2.0
/*
 * Implementations without a general data structure.
 *
 * floor: no timers. Each operation is one store into an array of deadlines that is not read, the
 * minimum cost of any operation.
 *
 * field: an array of deadlines; a scan of the whole array finds the due timers. No other
 * implementation arms at a lower cost. The disadvantages are the cost of a scan, and the latency
 * of a timer that becomes due just after one.
 *
 * queue: timers whose timeouts have the same length. The timer armed last is due last, so
 * appending keeps the queue sorted.
 */
#include <stdlib.h>

#include "contestant.h"

struct timer {
	struct timer	*next;
	struct timer	*prev;
	u64		deadline;
};

static struct timer *timers;
static struct timer ends;
static u64 *deadlines;
static u32 fields;

static bool create_timers(u32 count)
{
	ends.next = &ends;
	ends.prev = &ends;
	timers = calloc(count, sizeof(*timers));
	return timers;
}

static void append(u32 i, u64 deadline)
{
	struct timer *t = &timers[i];

	t->deadline = deadline;
	t->next = &ends;
	t->prev = ends.prev;
	t->prev->next = t;
	ends.prev = t;
}

static void dequeue(u32 i)
{
	struct timer *t = &timers[i];

	t->next->prev = t->prev;
	t->prev->next = t->next;
}

static void expire_first(void)
{
	while (ends.next != &ends && ends.next->deadline <= bench_now) {
		dequeue((u32)(ends.next - timers));
		bench_fire();
	}
}

static bool create_field(u32 count)
{
	deadlines = calloc(count, sizeof(*deadlines));
	fields = count;
	return deadlines;
}

static void arm_field(u32 i, u64 deadline)
{
	WRITE_ONCE(deadlines[i], deadline);
}

static void cancel_field(u32 i)
{
	WRITE_ONCE(deadlines[i], 0);
}

static void scan_field(void)
{
	u32 i;

	for (i = 0; i < fields; i++) {
		if (!deadlines[i] || deadlines[i] > bench_now)
			continue;
		deadlines[i] = 0;
		bench_fire();
	}
}

const struct contestant floor_of_all = {
	"floor", create_field, arm_field, arm_field, cancel_field, NULL,
};

const struct contestant plain_field = {
	"field", create_field, arm_field, arm_field, cancel_field, scan_field,
};

const struct contestant timeout_queue = {
	"queue", create_timers, append, NULL, dequeue, expire_first,
};
