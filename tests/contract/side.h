/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One side of a comparison: something that keeps the contract of a wheel whose clock
 * is VIRTUAL. The device is one, the library's own wheel another, the model a third.
 */
#ifndef _CONTRACT_SIDE_H
#define _CONTRACT_SIDE_H

#include <linux/wheel_timer.h>
#include <stdbool.h>

/**
 * struct side - what can be asked of it, as the ABI has it
 * @words: touch words, by slot; NULL: it has none
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
