/* SPDX-License-Identifier: MIT */
/*
 * A model of the device, which predicts the results, events and counters.
 *
 * A timer of the model is in one of three states:
 *
 *	           ARM: 0                REARM, CANCEL: ENOENT
 *	IDLE ------------------> PENDING ---------------------> FIRED
 *	  ^                       |   |                          |
 *	  |       CANCEL: 0       |   |   its event              |
 *	  +-----------------------+---+--------------------------+
 *
 * A pending timer may expire before the device receives the operation that re-arms or cancels
 * it. The result is ENOENT, and the device must deliver the timer's event. The timer is not
 * used until this event was received.
 */
#ifndef MODEL_H
#define MODEL_H

#include "histogram.h"
#include "replay.h"

enum model_state {
	MODEL_IDLE,
	MODEL_PENDING,
	MODEL_FIRED,
};

/**
 * struct model_timer - expected state of a slot
 * @gen: generation of the last arm
 * @deadline: requested deadline
 * @due: latest tick at which it is due
 * @cookie: cookie of the last arm
 * @order: number of the arm or re-arm
 * @line: line of the trace, for messages
 * @state: enum model_state
 * @word: true if it was armed or moved by a word, so that its place in the order is unknown
 * @in_time: true if the device received the deadline before it passed
 * @listed: true if WHEEL_IOC_LIST returned it
 */
struct model_timer {
	u64 gen;
	u64 deadline;
	u64 due;
	u64 cookie;
	u64 order;
	u32 line;
	u8 state;
	bool word;
	bool in_time;
	bool listed;
};

/**
 * struct request - an operation of the trace
 * @deadline: requested deadline, or NEVER to cancel
 * @submitted: current time before the operation was submitted
 * @timer: number of the timer, which is its slot
 * @line: line of the trace
 */
struct request {
	u64 deadline;
	u64 submitted;
	u32 timer;
	u32 line;
};

/**
 * struct model - expected state of the device
 * @timer: expected state of each slot
 * @timers: number of slots
 * @tick: tick length of the wheel
 * @closing: true if all pending timers must have been listed
 * @seq: sequence number of the next event
 * @armed: number of successful arms
 * @rearmed: number of successful re-arms
 * @cancelled: number of successful cancels
 * @fired: number of events
 * @idle_cancels: number of cancels of expired timers, which must fail
 * @races: number of operations that failed because the timer had just expired
 * @pending: number of timers in MODEL_PENDING or MODEL_FIRED
 * @missing: number of timers in MODEL_FIRED
 * @last_due: due time of the last event of a timer that was armed in time
 * @last_order: order of this timer
 * @horizon: events that are due later are not awaited
 * @awaited: number of pending timers that are due by @horizon
 * @late: lateness of each event
 * @late_in_time: lateness of the events whose deadlines were received in time
 * @buckets: histogram of the lateness, as in struct wheel_stats
 * @words: true if timers have words; the device does not count those that it has not queued
 * @breaches: violations of the guarantees
 */
struct model {
	struct model_timer *timer;
	u32 timers;
	u64 tick;
	bool closing;
	u32 seq;
	u64 armed;
	u64 rearmed;
	u64 cancelled;
	u64 fired;
	u64 idle_cancels;
	u64 races;
	u64 pending;
	u64 missing;
	u64 last_due;
	u64 last_order;
	u64 horizon;
	u64 awaited;
	struct samples late;
	struct samples late_in_time;
	u64 buckets[HISTOGRAM_BUCKETS];
	bool words;
	struct breaches breaches;
};

void model_init(struct model *m, u32 timers, u64 tick);
void model_free(struct model *m);

/* Make an operation from a request. A timer has at most one operation at a time. */
void model_request(struct model *m, const struct request *r, struct wheel_op *op);
/*
 * Check the result of an operation; @now is the time after it completed. Returns true if the
 * request must be repeated after the missing event was received.
 */
bool model_result(struct model *m, const struct request *r, const struct wheel_op *op, u64 now);
/* Check an event; @received is the time after it was read. */
void model_event(struct model *m, const struct wheel_event *event, u64 received);
/* Count the pending timers that are due by @horizon in @awaited. */
void model_await(struct model *m, u64 horizon);
/* The missing events were not received in time: they are lost. */
void model_lose(struct model *m);
/* Check a listed timer, after all events were read. */
void model_listed(struct model *m, const struct wheel_op *op);
/* Compare the counters, after all events were read. */
void model_compare(struct model *m, const struct wheel_stats *stats);

#endif
