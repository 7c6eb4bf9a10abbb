/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reference model of the ABI. It searches an array, so it is easy to verify by inspection.
 */
#ifndef _CONTRACT_MODEL_H
#define _CONTRACT_MODEL_H

#include <stdbool.h>

#include "side.h"

enum model_state { FREE, ARMED, FIRED, STOPPED, DISARMED };

/**
 * struct model_timer - state of a used slot
 * @state: state of the slot
 * @gen: generation of the last arm
 * @deadline: deadline for which the timer was queued
 * @due: tick at which the timer is dequeued
 * @order: sequence number of the enqueue
 * @period: period; 0 for a one-shot timer
 * @slack: slack of the last arm or re-arm
 * @cookie: cookie of the last arm
 * @fired: time at which the timer fired
 * @missed: number of missed periods; valid only if @ended is set
 * @seq: sequence number of its last event
 * @word: true if the timer has a word; DISARMED if it is then neither queued nor FIRED
 * @ended: a periodic timer was cancelled after it had fired
 * @again: the timer was armed again after an event was consumed
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
	bool word;
	bool ended;
	bool again;
};

/* FIFO of timer indices. */
struct model_queue {
	__u32 nr[SIDE_SLOTS];
	__u32 count;
};

/**
 * struct model - model of a wheel
 * @side: interface of the model
 * @setup: effective configuration
 * @apart: distance between used slots
 * @timer: timers of the used slots
 * @word: words of the used slots
 * @now: current time
 * @stopped: time of the stop, or NEVER
 * @order: number of enqueues
 * @seq: sequence number of the next event
 * @fired: expired timers whose events were not consumed
 * @ring: completion ring
 * @published: number of events written to @ring
 * @taken: number of events taken from @ring
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
	struct wheel_event ring[SIDE_SLOTS];
	__u32 published;
	__u32 taken;
	struct wheel_stats stats;
};

/*
 * Initialize a model with the configuration @setup. The number of timers must be SIDE_TIMERS()
 * of any distance. The completion ring may have at most SIDE_SLOTS entries.
 */
void model_init(struct model *m, const struct wheel_setup *setup);

#endif
