/* SPDX-License-Identifier: MIT */
/*
 * A device in user space with its own clock, which can break guarantees.
 */
#ifndef FAKE_H
#define FAKE_H

#include "device.h"

#define FAKE_TIMERS	128
#define FAKE_EVENTS	1024

enum fault {
	FAULT_NONE,
	/* Expire before the deadline. */
	FAULT_EARLY,
	/* Expire before the deadline, but report a later time. */
	FAULT_LIAR,
	/* Expire without an event. */
	FAULT_LOSE,
	/* Never expire. */
	FAULT_FORGET,
	/* Expire three ticks too late. */
	FAULT_LATER,
	/* Expire before the timers that were armed earlier for the same tick. */
	FAULT_FIRST,
	/* Deliver the event twice. */
	FAULT_TWICE,
	/* Change the deadline of the event. */
	FAULT_DEADLINE,
	/* Change the cookie of the event. */
	FAULT_COOKIE,
	/* Skip a sequence number. */
	FAULT_SEQ,
	/* Return 0 from a cancel, but let the timer expire. */
	FAULT_CANCEL,
	/* Reject an arm. */
	FAULT_REFUSE,
	/* Omit a timer from LIST. */
	FAULT_UNLISTED,
	/* Change a deadline in LIST. */
	FAULT_LIST,
	/* Increase a counter in STATS. */
	FAULT_COUNT,
	/* Move an expiry in STATS to another bucket. */
	FAULT_BUCKET,
};

/**
 * struct fake_timer - a slot
 * @gen: generation
 * @deadline: deadline
 * @cookie: cookie
 * @period: period, or 0
 * @due: time at which it expires
 * @order: number of its arm or re-arm
 * @state: state
 */
struct fake_timer {
	u64 gen;
	u64 deadline;
	u64 cookie;
	u64 period;
	u64 due;
	u64 order;
	enum { FAKE_FREE, FAKE_PENDING, FAKE_FIRED } state;
};

/**
 * struct fake - the device
 * @fault: guarantee to break once
 * @after: number of occasions to skip before that
 * @now: current time of all clocks
 * @tick: tick length in nanoseconds
 * @sleepy: time from an event to the end of device_wait()
 * @stopped: time for which the program stops once, before a reading of the clock
 * @readings: number of readings before that
 * @timer: slots
 * @event: unread events
 * @events: number of unread events
 * @seq: sequence number of the next event
 * @stats: counters
 */
struct fake {
	enum fault fault;
	u64 after;
	u64 now;
	u64 tick;
	u64 sleepy;
	u64 stopped;
	u64 readings;
	struct fake_timer timer[FAKE_TIMERS];
	struct wheel_event event[FAKE_EVENTS];
	u32 events;
	u32 seq;
	struct wheel_stats stats;
};

extern struct fake fake;

#endif
