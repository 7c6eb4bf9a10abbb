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

#include "user.h"

#define NS_PER_SEC	1000000000

/* A time in the past on every clock: the descriptor becomes readable at once. */
#define READY		1

/* Create the descriptor that the program polls. Returns 0 or a negative errno. */
int watch_open(struct user *u)
{
	u32 clock = u->handle.setup.clock;

	/* timerfd_create() does not support TAI. */
	if (clock == WHEEL_CLOCK_TAI)
		clock = WHEEL_CLOCK_REALTIME;
	if (is_virtual(u))
		u->handle.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	else
		u->handle.fd = timerfd_create(clock_ids[clock], TFD_CLOEXEC | TFD_NONBLOCK);
	return u->handle.fd < 0 ? -errno : 0;
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
		     time > offset ? time - offset : READY) &&
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
	return u->slots.unread || u->stopped;
}

/* Returns the time at which the program must call next. */
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

/* Set the timerfd if its expiry is too late. */
void watch_sooner(struct user *u)
{
	u64 time;

	if (u->mode & LIBWHEEL_NO_FD)
		return;
	time = time_to_call(u);
	if (time < u->watched && !(time == READY && is_readable(u)))
		watch_set(u, time);
}

/*
 * Set the timerfd to the exact time after events were taken. After the clock was set back, the
 * timerfd may be readable regardless of its expiry.
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

/* Returns 0 if events are available, otherwise the next expiry or scan, or WHEEL_NEVER. */
u64 watch_next(const struct user *u)
{
	if (has_events(u))
		return 0;
	return is_virtual(u) ? user_next_timer(u) : wheel_next(&u->wheel);
}
