// SPDX-License-Identifier: GPL-2.0
/*
 * A lazy user-space heap with four children per node. Postponing or cancelling a timer stores its
 * deadline. The heap has an entry with an earlier time, at which the deadline is read. Only an
 * earlier deadline needs another entry.
 */
#include <stdlib.h>

#include "../lazy.h"
#include "alarm.h"
#include "contestant.h"
#include "machine.h"

/**
 * struct lazy_timer - timer
 * @deadline: deadline; 0: not armed
 * @queued: time of its valid entry; 0: it has none
 */
struct lazy_timer {
	__u64 deadline;
	__u64 queued;
};

static struct lazy_entry *entries;
static struct lazy_timer *states;
static __u32 used;
static __u32 room;

static void open_lazy(__u32 count, unsigned int with)
{
	/* Entries that became invalid by an earlier deadline take memory, too. */
	room = 2 * count;
	entries = malloc(room * sizeof(*entries));
	states = allocate(count * sizeof(*states));
	if (!entries)
		die("malloc");
	alarm_open(with);
}

static void close_lazy(void)
{
	alarm_close();
	free(entries);
	used = 0;
}

static void add(__u32 timer, __u64 time)
{
	if (used == room) {
		room *= 2;
		entries = realloc(entries, room * sizeof(*entries));
		if (!entries)
			die("realloc");
	}
	states[timer].queued = time;
	lazy_rise(entries, used++, (struct lazy_entry){ time, timer });
	alarm_at(entries[0].time);
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		struct lazy_timer *state = &states[timers[i]];

		state->deadline = deadlines[i];
		if (!state->queued || deadlines[i] < state->queued)
			add(timers[i], deadlines[i]);
	}
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		states[timers[i]].deadline = 0;
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		if (!__atomic_load_n(&states[timers[i]].deadline, __ATOMIC_RELAXED))
			die("a timer has no deadline");
}

static __u32 take_due(void)
{
	__u64 time = now();
	__u32 taken = 0;

	while (used && entries[0].time <= time) {
		struct lazy_entry entry = entries[0];
		struct lazy_timer *state = &states[entry.timer];

		if (state->queued == entry.time) {
			if (state->deadline && state->deadline <= time) {
				state->deadline = 0;
				taken++;
			}
			state->queued = state->deadline;
			entry.time = state->deadline;
		} else {
			entry.time = 0;
		}
		if (entry.time)
			lazy_sink(entries, used, entry);
		else if (--used)
			lazy_sink(entries, used, entries[used]);
	}
	return taken;
}

static __u32 take(__u32 batch)
{
	__u32 taken;

	(void)batch;
	if (!alarm_rang())
		return 0;
	taken = take_due();
	if (used)
		alarm_at(entries[0].time);
	return taken;
}

static __u32 wait_for_due(__u64 until)
{
	alarm_sleep(used && entries[0].time < until ? entries[0].time : until);
	return take_due();
}

const struct contestant lazy_heap = {
	.name = "lazy heap", .wakes = true, .reads_clock = true,
	.open = open_lazy, .close = close_lazy, .take = take, .wait = wait_for_due,
	.arm = arm, .rearm = arm, .cancel = cancel, .query = query,
};
