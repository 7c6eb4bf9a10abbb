/* SPDX-License-Identifier: MIT */
/*
 * Arms one timer and checks its events.
 */
#ifndef ARM_H
#define ARM_H

#include "device.h"
#include "histogram.h"

/**
 * struct alarm - a timer and its events
 * @device: the wheel
 * @interrupt: result of interrupt_open(), or -1
 * @tick: tick length of the wheel
 * @delay: time from each arm to its deadline
 * @period: period, or 0 to arm the timer again after each event
 * @slack: slack of the timer
 * @count: number of events to wait for; 0: until interrupted
 * @show: reports an event, called before @deadline is that of the next event
 * @began: time of the first arm
 * @deadline: expected deadline of the next event
 * @due: latest time at which the next event is due
 * @gen: generation of the timer
 * @events: number of events
 * @early: number of events that fired or were received before their deadline
 * @wrong: number of unexpected events and results
 * @lost: number of missing events
 * @late: lateness of the events that were not early
 * @status: 128 + the signal that interrupted the wait
 * @cancelled: true if the timer was still pending at that time
 * @ended: true if the clock ends before the next period
 */
struct alarm {
	struct device *device;
	int interrupt;
	u64 tick;
	u64 delay;
	u64 period;
	u64 slack;
	u64 count;
	void (*show)(const struct alarm *a, const struct wheel_event *event, u64 received);
	u64 began;
	u64 deadline;
	u64 due;
	u64 gen;
	u64 events;
	u64 early;
	u64 wrong;
	u64 lost;
	struct samples late;
	int status;
	bool cancelled;
	bool ended;
};

/* Arm the timer and wait; the caller sets the members before @began and clears the others. */
void alarm_run(struct alarm *a);
/* Check whether the device broke a guarantee. */
bool alarm_broken(const struct alarm *a);

#endif
