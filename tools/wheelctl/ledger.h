/* SPDX-License-Identifier: MIT */
/*
 * Our own book of what the device owes us: the witness of its promises.
 *
 * A timer of the ledger is in one of three states:
 *
 *	           ARM: 0                REARM, CANCEL: ENOENT
 *	IDLE ------------------> PENDING ---------------------> OWED
 *	  ^                       |   |                          |
 *	  |       CANCEL: 0       |   |   its event              |
 *	  +-----------------------+---+--------------------------+
 *
 * A pending timer may fire while we decide to re-arm or to cancel it. Then the
 * device answers ENOENT, the one answer that is no promise broken, and owes us
 * exactly that event. Nothing else is asked of the timer until it is here.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "breach.h"
#include "histogram.h"
#include "samples.h"
#include "wheelctl.h"
#include "words.h"

enum ledger_state {
	LEDGER_IDLE,
	LEDGER_PENDING,
	LEDGER_OWED,
};

/**
 * struct ledger_timer - what we know of one slot
 * @gen: generation of the last arm
 * @deadline: what we asked for
 * @due: when that is due; if it was not asked in time, at the latest
 * @cookie: what we gave along
 * @filed: the how manieth arm or re-arm it was
 * @line: of the trace, for messages
 * @state: enum ledger_state
 * @touched: its place among those of the same tick is the kernel's choice
 * @in_time: the device had the deadline before it had passed
 * @listed: WHEEL_IOC_LIST told of it
 */
struct ledger_timer {
	u64 gen;
	u64 deadline;
	u64 due;
	u64 cookie;
	u64 filed;
	u32 line;
	u8 state;
	bool touched;
	bool in_time;
	bool listed;
};

/**
 * struct ledger_request - something to ask the device for
 * @deadline: to arm or re-arm for; NEVER: cancel
 * @asked: our clock, before it is asked
 * @timer: number of the timer, and its slot
 * @line: of the trace
 */
struct ledger_request {
	u64 deadline;
	u64 asked;
	u32 timer;
	u32 line;
};

/**
 * struct ledger - the book
 * @timer: one a slot
 * @timers: how many
 * @tick: the wheel's, nanoseconds
 * @closing: every pending timer must have been listed
 * @seq: of the next event
 * @armed: arms that the device took
 * @rearmed: deadlines that it moved
 * @cancelled: timers that it cancelled
 * @fired: events that came
 * @idle_cancels: cancels of timers that had fired, refused as they must be
 * @races: ENOENT because the timer fired in that moment
 * @pending: timers in LEDGER_PENDING or LEDGER_OWED
 * @owed: timers in LEDGER_OWED
 * @last_due: when the newest event of a timer that was asked in time was due
 * @last_filed: its number
 * @horizon: no event is awaited beyond this time
 * @awaited: timers pending that are due by then
 * @late: fired - deadline, each event's
 * @late_in_time: the same of deadlines that the device had before they passed
 * @buckets: the same as a histogram, as the device counts it
 * @by_word: operations that the device does not count: a revived timer was never
 *	cancelled for it, and is not armed again
 * @breaches: promises broken
 */
struct ledger {
	struct ledger_timer *timer;
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
	u64 owed;
	u64 last_due;
	u64 last_filed;
	u64 horizon;
	u64 awaited;
	struct samples late;
	struct samples late_in_time;
	u64 buckets[HISTOGRAM_BUCKETS];
	struct words by_word;
	struct breaches breaches;
};

void ledger_init(struct ledger *l, u32 timers, u64 tick);
void ledger_free(struct ledger *l);

void ledger_ask(struct ledger *l, const struct ledger_request *r,
		struct wheel_op *op);
bool ledger_answer(struct ledger *l, const struct ledger_request *r,
		   const struct wheel_op *op, u64 now);
void ledger_event(struct ledger *l, const struct wheel_event *event,
		  u64 received);
void ledger_await(struct ledger *l, u64 horizon);
void ledger_lose(struct ledger *l);
void ledger_listed(struct ledger *l, const struct wheel_op *op);
void ledger_compare(struct ledger *l, const struct wheel_stats *stats);

#endif
