/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reference model of the ABI, written from include/uapi/linux/wheel_timer.h alone. It is an array
 * that is searched from the first to the last timer, and shares no function and no constant with
 * the wheel or with slots/.
 *
 * The ABI leaves some results open, for example the due tick of a timer within its slack. The
 * model therefore follows another side: it receives each result of that side, keeps it if the ABI
 * permits it, and otherwise replaces it by a permitted one. The comparison finds the difference.
 */
#ifndef _CONTRACT_MODEL_H
#define _CONTRACT_MODEL_H

#include <stdbool.h>

#include "side.h"

/**
 * enum model_state - state of a slot
 * @FREE: never armed, cancelled, or its last event was taken
 * @PENDING: armed, without a word
 * @OWNED: the timer has a word, which is its state
 * @FIRED: expired, and the event was not read; only without a ring
 * @STOPPED: was pending when the wheel was stopped
 */
enum model_state { FREE, PENDING, OWNED, FIRED, STOPPED };

/**
 * struct model_span - a value that the ABI specifies up to a range
 * @min: smallest permitted value
 * @max: greatest permitted value
 */
struct model_span {
	__u64 min;
	__u64 max;
};

/**
 * struct model_timer - the timer of a used slot
 * @state: state of the slot
 * @gen: generation of the last arm
 * @deadline: deadline; with a word, the one that the model has last read from it
 * @due: time of the tick boundary at which the timer is due
 * @order: number of the arm; a range if the ABI does not determine whether a step or another
 *	operation of the same call came first
 * @period: period; 0 for a one-shot timer
 * @slack: slack of the last arm or re-arm
 * @cookie: cookie
 * @word: the timer has a word
 * @ended: a fired timer that was cancelled: a periodic one does not continue, and the slot of one
 *	with a word no longer belongs to the program
 * @queued: the kernel has counted a timer with a word as armed
 * @visit: due time for which it was queued
 * @visit_deadline: deadline for which it was queued
 * @beyond: the wheel could not hold the timer at the last scan: its word was beyond the range of a
 *	bounded wheel, or the clock had no later tick
 * @until: missed periods are counted until this time; valid only if @ended is set
 * @epoch: number of the ADVANCE in which the timer fired
 * @fired: time of the expiry
 * @seq: number of the last event in the ring
 * @published: the last arm has an event in the ring
 */
struct model_timer {
	enum model_state state;
	__u64 gen;
	__u64 deadline;
	struct model_span due;
	struct model_span order;
	__u64 period;
	__u64 slack;
	__u64 cookie;
	bool word;
	bool ended;
	__u64 until;
	bool queued;
	struct model_span visit;
	__u64 visit_deadline;
	bool beyond;
	__u64 epoch;
	struct model_span fired;
	__u32 seq;
	bool published;
};

/* Number of due times of cancelled and moved timers that are stored. */
#define MODEL_GHOSTS	4096

/**
 * struct model - model of a wheel
 * @side: interface of the model
 * @setup: effective configuration
 * @apart: distance between used slots
 * @timer: timers of the used slots
 * @word: words of the used slots
 * @now: current time
 * @is_stopped: the wheel was stopped
 * @stopped: time of the stop
 * @epoch: number of calls of ADVANCE
 * @order: number of arms
 * @step: value of @order at the start of the call
 * @seq: number of the next event
 * @taken: number of events taken from the ring
 * @ring: events of the ring, by their number
 * @seen: number of events of the ring that the other side has published
 * @ghost: due times of cancelled and moved timers, which ADVANCE may return
 * @ghosts: their number
 * @vague: the times of visits depend on slack, so some counters are not determined
 * @late: lateness of the events without missed periods
 * @stats: counters
 */
struct model {
	struct side side;
	struct wheel_setup setup;
	__u32 apart;
	struct model_timer timer[SIDE_SLOTS];
	__u64 word[SIDE_SLOTS];
	__u64 now;
	bool is_stopped;
	__u64 stopped;
	__u64 epoch;
	__u64 order;
	__u64 step;
	__u32 seq;
	__u32 taken;
	struct wheel_event ring[SIDE_SLOTS];
	__u32 seen;
	__u64 ghost[MODEL_GHOSTS];
	__u32 ghosts;
	bool vague;
	__u64 late[64];
	struct wheel_stats stats;
};

/*
 * Initialize a model that follows @side, with the configuration @setup. The number of timers must
 * be SIDE_TIMERS() of any distance. The completion ring may have at most SIDE_SLOTS entries.
 */
void model_init(struct model *m, const struct wheel_setup *setup, struct side *side);

#endif
