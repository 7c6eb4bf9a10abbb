/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One side of a comparison: an implementation of the ABI, on a wheel with a VIRTUAL clock.
 * The sides are the device, libwheel's user-space backend, and the model.
 */
#ifndef _CONTRACT_SIDE_H
#define _CONTRACT_SIDE_H

#include <linux/wheel_timer.h>
#include <stdbool.h>

/* Number of slots used by a test; the table may be larger. */
#define SIDE_SLOTS	48

/* Size of a table in which every @apart-th slot is used, including the first and the last. */
#define SIDE_TIMERS(apart)	((SIDE_SLOTS - 1) * (apart) + 1)

/* Returns the distance between used slots. */
static inline __u32 side_apart(const struct wheel_setup *setup)
{
	return (setup->timers - 1) / (SIDE_SLOTS - 1);
}

/*
 * Distance of the used slots in a large table. Few of them share a page of slots, words or
 * doorbells, and the array of page pointers itself has several pages.
 */
static inline __u32 side_far(__u32 scheme)
{
	return scheme == WHEEL_OVERFLOW ? 5 : 2789;
}

/* Returns a number of buckets that is valid for all schemes. */
static inline __u32 side_buckets(__u32 timers)
{
	__u32 buckets = 64;

	while (32 * buckets < timers)
		buckets *= 2;
	return buckets;
}

/**
 * struct side - implementation of the ABI
 * @follows: the side that this one follows, or NULL. Outputs then contain the results of that side
 *	on entry. This side keeps those that the ABI permits and replaces the others, or fails
 * @result: result of the same call on the side that is followed
 * @words: words; NULL if not available
 * @apart: distance in @words between the words of used slots
 * @bells: doorbells; NULL if not needed
 * @summary: summary of the doorbells
 * @submit: executes operations and sets their results; returns 0 or an errno
 * @advance: moves the clock and sets *@next to the due time of the next timer
 * @peek: copies the events of the completion ring that were not taken, and returns their number;
 *	NULL without a ring
 * @take: takes at most @room events; returns their number, or an errno
 * @list: lists timers from slot 0; returns their number
 * @stop: stops the wheel and sets *@unfired to the number of pending timers
 * @stats: reads the counters
 */
struct side {
	struct side *follows;
	int result;
	__u64 *words;
	__u32 apart;
	__u64 *bells;
	__u64 *summary;
	int (*submit)(struct side *side, struct wheel_op *ops, __u32 count);
	int (*advance)(struct side *side, __u64 now, __u64 *next);
	int (*peek)(struct side *side, struct wheel_event *events);
	int (*take)(struct side *side, struct wheel_event *events, __u32 room);
	int (*list)(struct side *side, struct wheel_op *ops, __u32 room);
	int (*stop)(struct side *side, __u64 *unfired);
	int (*stats)(struct side *side, struct wheel_stats *stats);
};

#endif
