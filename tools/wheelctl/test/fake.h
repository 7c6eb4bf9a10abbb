/* SPDX-License-Identifier: MIT */
/*
 * A device in this process, with a clock of its own, that can break promises.
 */
#ifndef FAKE_H
#define FAKE_H

#include "device.h"

#define FAKE_TIMERS	128
#define FAKE_EVENTS	1024

enum fault {
	FAULT_NONE,
	/* An expiry: fired before its deadline. */
	FAULT_EARLY,
	/* An expiry: comes before its deadline and denies it. */
	FAULT_LIAR,
	/* An expiry: counted, but there is no event. */
	FAULT_LOSE,
	/* An expiry: never happens. */
	FAULT_FORGET,
	/* An expiry: three ticks too late. */
	FAULT_LATER,
	/* An expiry: before those that were armed earlier for the same tick. */
	FAULT_FIRST,
	/* An expiry: the event comes twice. */
	FAULT_TWICE,
	/* An expiry: the event has another deadline. */
	FAULT_DEADLINE,
	/* An expiry: the event has another cookie. */
	FAULT_COOKIE,
	/* An expiry: the event's number leaves one out. */
	FAULT_SEQ,
	/* A cancel: answers 0, and the timer fires. */
	FAULT_CANCEL,
	/* An arm: refused. */
	FAULT_REFUSE,
	/* LIST leaves a timer out. */
	FAULT_UNLISTED,
	/* LIST tells another deadline. */
	FAULT_LIST,
	/* STATS counts one too many. */
	FAULT_COUNT,
	/* STATS has an expiry in another bucket. */
	FAULT_BUCKET,
};

struct fake_timer {
	u64 gen;
	u64 deadline;
	u64 cookie;
	u64 period;
	u64 due;
	u64 filed;
	enum { FAKE_FREE, FAKE_PENDING, FAKE_FIRED } state;
};

/**
 * struct fake - the device
 * @fault: the promise that it breaks, once
 * @after: so many good occasions
 * @now: its clock and ours
 * @tick: nanoseconds
 * @sleepy: for so long its reader goes on sleeping when there is an event
 * @stopped: for so long it is stopped, once, just before it reads the clock
 * @readings: so many readings of the clock before
 * @timer: its slots
 * @event: waiting to be read
 * @events: how many
 * @seq: of the next event
 * @stats: its counters
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
