// SPDX-License-Identifier: MIT
/*
 * The timerfd, which becomes readable when the program must call a function of the library.
 * Setting it is the only system call of this backend. It is set when an earlier timer is armed,
 * and after events were taken. A cancel does not set it, and causes at most one unnecessary
 * wake-up.
 *
 * A VIRTUAL clock needs no timer. Its descriptor is an eventfd, which is readable as soon as it
 * is written; a timerfd is readable only after the next interrupt.
 *
 * With LIBWHEEL_NO_FD there is no descriptor: the program calls libwheel_next().
 */
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../handle.h"
#include "engine.h"
#include "watch.h"

#define NS_PER_SEC	1000000000

/* Create the descriptor that the program polls, on a clock. Returns 0 or a negative errno. */
int watch_open(struct watch *watch, u32 clock)
{
	watch->clock = clock;
	watch->time = WHEEL_NEVER;
	/* timerfd_create() does not support TAI. */
	if (clock == WHEEL_CLOCK_TAI)
		clock = WHEEL_CLOCK_REALTIME;
	if (clock == WHEEL_CLOCK_VIRTUAL)
		watch->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	else
		watch->fd = timerfd_create(clock_ids[clock], TFD_CLOEXEC | TFD_NONBLOCK);
	return watch->fd < 0 ? -errno : 0;
}

/* Returns the offset of TAI from REALTIME, in whole seconds. */
static u64 tai_offset(void)
{
	u64 real = clock_read(WHEEL_CLOCK_REALTIME);
	u64 tai = clock_read(WHEEL_CLOCK_TAI);

	return (tai - real + NS_PER_SEC / 2) / NS_PER_SEC * NS_PER_SEC;
}

/* A @time of 0 disarms it. */
static int timerfd_set(int fd, int flags, u64 time)
{
	struct itimerspec spec = {
		.it_value = {
			.tv_sec = (time_t)(time / NS_PER_SEC),
			.tv_nsec = (long)(time % NS_PER_SEC),
		},
	};

	return timerfd_settime(fd, TFD_TIMER_ABSTIME | flags, &spec, NULL);
}

/* Also readable after the clock was set, because the offset may have changed. */
static void timerfd_set_tai(int fd, u64 time)
{
	int tries = 3;
	u64 offset;

	do {
		offset = tai_offset();
	} while (timerfd_set(fd, TFD_TIMER_CANCEL_ON_SET,
		     time > offset ? time - offset : WATCH_READY) &&
		 errno == ECANCELED && --tries);
}

/*
 * write() and read() would be cancellation points: a thread cancelled there would not release
 * the lock.
 */
static void signal_eventfd(int fd, bool on)
{
	u64 value = 1;

	syscall(on ? SYS_write : SYS_read, fd, &value, sizeof(value));
}

static void watch_set(struct watch *watch, u64 time)
{
	int saved = errno;

	watch->time = time;
	if (watch->clock == WHEEL_CLOCK_VIRTUAL)
		signal_eventfd(watch->fd, time == WATCH_READY);
	else if (time == WHEEL_NEVER)
		timerfd_set(watch->fd, 0, 0);
	else if (watch->clock == WHEEL_CLOCK_TAI && time != WATCH_READY)
		timerfd_set_tai(watch->fd, time);
	else
		timerfd_set(watch->fd, 0, time);
	errno = saved;
}

/* READY has passed on each clock, although a VIRTUAL one begins at 0. */
static bool is_readable(const struct watch *watch, u64 now)
{
	return watch->time <= max(now, WATCH_READY);
}

void watch_earlier(struct watch *watch, u64 time, u64 now)
{
	if (time != WATCH_READY ? watch->clock != WHEEL_CLOCK_VIRTUAL : !is_readable(watch, now))
		watch_set(watch, time);
}

/* After the clock was set back, the timerfd may be readable regardless of its expiry. */
bool watch_again(struct watch *watch, u64 time, u64 now)
{
	bool readable = is_readable(watch, now);

	if (time == WATCH_READY ? readable : watch->time == WATCH_OFF)
		return false;
	if (watch->clock == WHEEL_CLOCK_VIRTUAL && time != WATCH_READY)
		time = WHEEL_NEVER;
	if (time == watch->time && !readable && !wheel_settable(watch->clock))
		return false;
	watch_set(watch, time);
	return readable;
}
