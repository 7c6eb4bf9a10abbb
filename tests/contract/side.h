/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One side of a comparison: something that keeps the contract of a wheel whose clock
 * is VIRTUAL. The device is one, the library's own wheel another, the model a third.
 */
#ifndef _CONTRACT_SIDE_H
#define _CONTRACT_SIDE_H

#include <linux/wheel_timer.h>
#include <stdbool.h>

/* So many slots are used: all of a table of so many, and of a larger one some. */
#define SIDE_SLOTS	48

/* A table whose slots are used at this distance, the last one, too. */
#define SIDE_TIMERS(apart)	((SIDE_SLOTS - 1) * (apart) + 1)

/* How far apart they are. */
static inline __u32 side_apart(const struct wheel_setup *setup)
{
	return (setup->timers - 1) / (SIDE_SLOTS - 1);
}

/*
 * In a large table, so far that few share a page, be it of slots, of words or of doorbells,
 * and that the table of the pages takes several pages itself.
 */
static inline __u32 side_far(__u32 scheme)
{
	return scheme == WHEEL_OVERFLOW ? 43 : 2789;
}

/* So many may be had for any scheme. */
static inline __u32 side_buckets(__u32 timers)
{
	__u32 buckets = 64;

	while (32 * buckets < timers)
		buckets *= 2;
	return buckets;
}

/**
 * struct side - what can be asked of it, as the ABI has it
 * @words: touch words; NULL: it has none
 * @apart: so far apart are those of the slots that are used
 * @bells: doorbells; NULL: it needs none
 * @summary: of the doorbells
 * @slack: it knows what slack does to the order of expiries
 * @submit: make operations, which are answered; 0 or an errno
 * @advance: move the clock; says when the next timer is looked at
 * @take: take events, at most so many: how many came, or an errno
 * @list: list timers from slot 0 on; how many
 * @stop: stop; says how many were pending
 * @stats: counters
 */
struct side {
	__u64 *words;
	__u32 apart;
	__u64 *bells;
	__u64 *summary;
	bool slack;
	int (*submit)(struct side *side, struct wheel_op *ops, __u32 count);
	int (*advance)(struct side *side, __u64 now, __u64 *next);
	int (*take)(struct side *side, struct wheel_event *events, __u32 room);
	int (*list)(struct side *side, struct wheel_op *ops, __u32 room);
	int (*stop)(struct side *side, __u64 *unfired);
	int (*stats)(struct side *side, struct wheel_stats *stats);
};

#endif
