/* SPDX-License-Identifier: MIT */
/*
 * One timer, armed and watched.
 */
#ifndef ALARM_H
#define ALARM_H

#include "device.h"
#include "samples.h"

/**
 * struct alarm - one timer and what came of it
 * @device: its wheel
 * @interrupt: of interrupt_open(), or -1
 * @tick: of the wheel
 * @delay: from each arm to its deadline
 * @period: 0: it is armed anew after each event
 * @slack: of the timer
 * @count: events to wait for; 0: until interrupted
 * @show: told of each event, before @deadline is that of the next
 * @began: when the first arm was made
 * @deadline: of the next event, as we expect it
 * @due: when that event is to come, at the latest
 * @gen: of the timer
 * @events: how many came
 * @early: fired or were received before their deadline
 * @wrong: events and answers that are not what we expect
 * @lost: did not come
 * @late: fired - deadline, where that was not early
 * @status: 128 + the signal that ended it
 * @cancelled: the timer was still pending then
 * @over: the clock ends before the next period
 */
struct alarm {
	struct device *device;
	int interrupt;
	u64 tick;
	u64 delay;
	u64 period;
	u64 slack;
	u64 count;
	void (*show)(const struct alarm *a, const struct wheel_event *event,
		     u64 received);
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
	bool over;
};

void alarm_run(struct alarm *a);
bool alarm_broken(const struct alarm *a);

#endif
