/* SPDX-License-Identifier: MIT */
/*
 * The descriptor that wakes up the program's event loop.
 */
#ifndef LIBWHEEL_WATCH_H
#define LIBWHEEL_WATCH_H

#include "../../slots/env.h"

/* A time in the past on every clock: the descriptor becomes readable at once. */
#define WATCH_READY	((u64)1)

/* Without a descriptor, all times are late enough. */
#define WATCH_OFF	((u64)0)

/**
 * struct watch - the descriptor of a wheel
 * @fd: timerfd, or eventfd for a VIRTUAL clock
 * @clock: WHEEL_CLOCK_*
 * @time: expiry of the timerfd, or WATCH_OFF
 *
 * The functions get the time at which the program must call next, and the current time.
 */
struct watch {
	int fd;
	u32 clock;
	u64 time;
};

int watch_open(struct watch *watch, u32 clock);
void watch_earlier(struct watch *watch, u64 time, u64 now);
/* Set the timerfd to the exact time after events were taken. Returns true if it has woken up. */
bool watch_again(struct watch *watch, u64 time, u64 now);

/* Set the timerfd if its expiry is too late. */
static inline void watch_sooner(struct watch *watch, u64 time, u64 now)
{
	if (unlikely(time < watch->time))
		watch_earlier(watch, time, now);
}

#endif
