// SPDX-License-Identifier: MIT
/*
 * The timerfd: readable when it is time for the program to call. Setting it is
 * the only system call of this backend, so it is set when something comes
 * earlier than it knows and when events have been taken; a cancel leaves it
 * alone and costs an empty wake-up at most.
 *
 * A clock that the program moves needs no timer: there it is an eventfd, which is
 * readable as soon as it is written, and not only at the next interrupt.
 *
 * With LIBWHEEL_NO_FD there is no descriptor: the program calls libwheel_next().
 */
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "user.h"

#define NS_PER_SEC	1000000000

/* A time that has passed on every clock: readable at once. */
#define READY		1

static int watch_new(u32 clock)
{
	switch (clock) {
	case WHEEL_CLOCK_VIRTUAL:
		return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	case WHEEL_CLOCK_TAI:
		/* There are no timerfds on TAI. */
		clock = WHEEL_CLOCK_REALTIME;
		break;
	}
	return timerfd_create(clock_id(clock), TFD_CLOEXEC | TFD_NONBLOCK);
}

/**
 * watch_open - make what the program polls
 * @clock: WHEEL_CLOCK_*
 *
 * Return: a file descriptor, or an errno.
 */
int watch_open(u32 clock)
{
	int fd = watch_new(clock);

	return fd < 0 ? -errno : fd;
}

/* How far TAI is ahead of REALTIME: whole seconds. */
static u64 tai_offset(void)
{
	u64 real = clock_read(WHEEL_CLOCK_REALTIME);
	u64 tai = clock_read(WHEEL_CLOCK_TAI);

	return (tai - real + NS_PER_SEC / 2) / NS_PER_SEC * NS_PER_SEC;
}

/* 0: off. */
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

/* Readable also when the clock is set, as then the offset may be another. */
static void timerfd_set_tai(int fd, u64 time)
{
	int tries = 3;
	u64 offset;

	do {
		offset = tai_offset();
	} while (timerfd_set(fd, TFD_TIMER_CANCEL_ON_SET,
		     time > offset ? time - offset : READY) &&
		 errno == ECANCELED && --tries);
}

/* Not by write() and read(), in which a thread may be cancelled: it has the lock. */
static void signal_eventfd(int fd, bool on)
{
	u64 value = 1;

	syscall(on ? SYS_write : SYS_read, fd, &value, sizeof(value));
}

static void watch_set(struct user *u, u64 time)
{
	int fd = u->handle.fd;
	int saved = errno;

	u->watched = time;
	if (is_virtual(u))
		signal_eventfd(fd, time == READY);
	else if (time == WHEEL_NEVER)
		timerfd_set(fd, 0, 0);
	else if (u->handle.setup.clock == WHEEL_CLOCK_TAI && time != READY)
		timerfd_set_tai(fd, time);
	else
		timerfd_set(fd, 0, time);
	errno = saved;
}

static bool has_events(const struct user *u)
{
	return u->slots.fired.count || u->stopped;
}

/* When the program has to call next. */
static u64 time_to_call(const struct user *u)
{
	if (has_events(u))
		return READY;
	if (is_virtual(u))
		return WHEEL_NEVER;
	return wheel_next(&u->wheel);
}

static bool is_readable(const struct user *u)
{
	if (is_virtual(u))
		return u->watched == READY;
	return u->watched <= u->wheel.now;
}

/**
 * watch_sooner - set the timerfd, if it is set to a time that is too late
 * @u: wheel, locked
 */
void watch_sooner(struct user *u)
{
	u64 time;

	if (u->mode & LIBWHEEL_NO_FD)
		return;
	time = time_to_call(u);
	if (time < u->watched && !(time == READY && is_readable(u)))
		watch_set(u, time);
}

/**
 * watch_again - events were taken: set the timerfd exactly
 * @u: wheel, locked
 *
 * A clock that was set back may have left it readable, whatever it is set to.
 */
void watch_again(struct user *u)
{
	u64 time;

	if (u->mode & LIBWHEEL_NO_FD)
		return;
	time = time_to_call(u);
	if (time == READY && is_readable(u))
		return;
	if (time == u->watched && !is_readable(u) &&
	    !wheel_settable(u->handle.setup.clock))
		return;
	if (is_readable(u))
		u->wheel.counts.wakeups++;
	watch_set(u, time);
}

/**
 * watch_next - libwheel_next()
 * @u: wheel, locked
 *
 * Return: the time of the next call, 0 if events are available, or WHEEL_NEVER if no timer is
 * pending.
 */
u64 watch_next(const struct user *u)
{
	return has_events(u) ? 0 : wheel_next(&u->wheel);
}
