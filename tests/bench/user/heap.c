// SPDX-License-Identifier: GPL-2.0
/* A user-space binary heap. */
#include "alarm.h"
#include "contestant.h"
#include "machine.h"

struct entry {
	__u64 deadline;
	__u32 timer;
};

/* The heap, and the index in it of each timer. */
static struct entry *entries;
static __u32 *place;
static __u32 pending;

static void open_heap(__u32 count, unsigned int with)
{
	entries = allocate(count * sizeof(*entries));
	place = allocate(count * sizeof(*place));
	alarm_open(with);
}

static void close_heap(void)
{
	alarm_close();
	pending = 0;
}

static inline void put(__u32 at, struct entry entry)
{
	entries[at] = entry;
	place[entry.timer] = at;
}

static void rise(__u32 at, struct entry entry)
{
	while (at) {
		__u32 parent = (at - 1) / 2;

		if (entries[parent].deadline <= entry.deadline)
			break;
		put(at, entries[parent]);
		at = parent;
	}
	put(at, entry);
}

static void sink(__u32 at, struct entry entry)
{
	__u32 child;

	while ((child = 2 * at + 1) < pending) {
		if (child + 1 < pending &&
		    entries[child + 1].deadline < entries[child].deadline)
			child++;
		if (entry.deadline <= entries[child].deadline)
			break;
		put(at, entries[child]);
		at = child;
	}
	put(at, entry);
}

/* Restore the heap order after the entry at @at was replaced by @entry. */
static void settle(__u32 at, struct entry entry)
{
	if (at && entry.deadline < entries[(at - 1) / 2].deadline)
		rise(at, entry);
	else
		sink(at, entry);
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		rise(pending++, (struct entry){ deadlines[i], timers[i] });
		alarm_at(entries[0].deadline);
	}
}

static void rearm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		  __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		settle(place[timers[i]],
		       (struct entry){ deadlines[i], timers[i] });
		alarm_at(entries[0].deadline);
	}
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++) {
		__u32 at = place[timers[i]];

		if (at != --pending)
			settle(at, entries[pending]);
	}
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		if (!__atomic_load_n(&entries[place[timers[i]]].deadline,
				     __ATOMIC_RELAXED))
			die("a timer has no deadline");
}

static __u32 take_due(void)
{
	__u64 time = now();
	__u32 taken;

	for (taken = 0; pending && entries[0].deadline <= time; taken++)
		if (--pending)
			sink(0, entries[pending]);
	return taken;
}

static __u32 take(__u32 batch)
{
	__u32 taken;

	(void)batch;
	if (!alarm_rang())
		return 0;
	taken = take_due();
	if (pending)
		alarm_at(entries[0].deadline);
	return taken;
}

static __u32 wait_for_due(__u64 until)
{
	alarm_sleep(pending && entries[0].deadline < until ? entries[0].deadline : until);
	return take_due();
}

const struct contestant heap = {
	.name = "heap", .wakes = true, .reads_clock = true,
	.open = open_heap, .close = close_heap, .take = take, .wait = wait_for_due,
	.arm = arm, .rearm = rearm, .cancel = cancel, .query = query,
};
