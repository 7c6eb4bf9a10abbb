/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The model of the contract: an array that is searched, too simple to be wrong.
 */
#ifndef _CONTRACT_MODEL_H
#define _CONTRACT_MODEL_H

#include <stdbool.h>

#include "side.h"

enum model_state { FREE, ARMED, FIRED, STOPPED, RESTING };

/**
 * struct model_timer - what the model knows of a slot that is used
 * @state: FREE and the like
 * @gen: of its last arm
 * @deadline: by which it was filed
 * @due: the tick at which it is looked at
 * @order: of filing
 * @period: 0: once
 * @slack: as armed
 * @cookie: as armed
 * @fired: the clock when it fired
 * @missed: periods missed until it was @ended
 * @seq: the number of its last event
 * @touch: its word governs
 * @keep: and it is the program's also while it is RESTING, neither filed nor FIRED
 * @ended: no more periods
 * @again: an event of it was consumed, and it went on
 */
struct model_timer {
	enum model_state state;
	__u64 gen;
	__u64 deadline;
	__u64 due;
	__u64 order;
	__u64 period;
	__u64 slack;
	__u64 cookie;
	__u64 fired;
	__u64 missed;
	__u32 seq;
	bool touch;
	bool keep;
	bool ended;
	bool again;
};

/* Numbers of timers, in a row, the oldest first. */
struct model_queue {
	__u32 nr[SIDE_SLOTS];
	__u32 count;
};

/**
 * struct model - a wheel
 * @side: how it is asked
 * @setup: what is in force
 * @apart: how far apart the slots are that are used
 * @timer: of these
 * @word: of these
 * @now: the clock
 * @stopped: and since when
 * @order: counts filings
 * @seq: number of the next event
 * @fired: events that wait
 * @free: slots that were used and can be picked
 * @reclaimed: slots of parked timers that can be picked when no other is free
 * @next_unused: the first slot that was never picked
 * @ring: events in the completion ring
 * @published: how many came there
 * @taken: how many were taken from there
 * @stats: counters
 */
struct model {
	struct side side;
	struct wheel_setup setup;
	__u32 apart;
	struct model_timer timer[SIDE_SLOTS];
	__u64 word[SIDE_SLOTS];
	__u64 now;
	__u64 stopped;
	__u64 order;
	__u32 seq;
	struct model_queue fired;
	struct model_queue free;
	struct model_queue reclaimed;
	__u32 next_unused;
	struct wheel_event ring[SIDE_SLOTS];
	__u32 published;
	__u32 taken;
	struct wheel_stats stats;
};

/*
 * @setup is in force, for SIDE_TIMERS() of any distance, but of 1 where the wheel picks the
 * slots. Its completion ring has room for SIDE_SLOTS events at most.
 */
void model_init(struct model *m, const struct wheel_setup *setup);

#endif
