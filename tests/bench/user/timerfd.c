// SPDX-License-Identifier: GPL-2.0
/*
 * One timerfd per timer, all of them watched by one edge-triggered epoll instance. A timer without
 * a period expires once, so its descriptor need not be read.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "contestant.h"
#include "machine.h"

static int *fds;
static int epoll;
static __u32 fds_count;
static struct epoll_event events[MOST_BATCH];
/* Timers with a period expire again only if they are read. */
static bool periodic;

static void open_one(__u32 i)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u32 = i };

	fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fds[i] < 0)
		die("timerfd_create");
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
		die("epoll_ctl");
}

static void open_all(__u32 count, unsigned int with)
{
	__u32 i;

	(void)with;
	fds = allocate(count * sizeof(*fds));
	fds_count = count;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (i = 0; i < count; i++)
		open_one(i);
}

static void close_all(void)
{
	__u32 i;

	for (i = 0; i < fds_count; i++)
		close(fds[i]);
	close(epoll);
	periodic = false;
}

/* Arm @timer for @deadline; 0 cancels it. */
static inline void set_one(__u32 timer, __u64 deadline)
{
	struct itimerspec time = { .it_value = timespec_of(deadline) };

	if (timerfd_settime(fds[timer], TFD_TIMER_ABSTIME, &time, NULL))
		die("timerfd_settime");
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		set_one(timers[i], deadlines[i]);
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		set_one(timers[i], 0);
}

static void query(const __u32 *timers, __u32 n, __u32 batch)
{
	struct itimerspec time;
	__u32 i;

	(void)batch;
	for (i = 0; i < n; i++)
		if (timerfd_gettime(fds[timers[i]], &time))
			die("timerfd_gettime");
}

/* A timer that was set again since it expired is not among the events. */
static __u32 take(__u32 batch)
{
	int ready = epoll_wait(epoll, events, (int)batch, 0);

	if (ready < 0)
		die("epoll_wait");
	return (__u32)ready;
}

static __u32 wait_for_due(__u64 until)
{
	int ready = sleep_on(epoll, events, MOST_BATCH, until);
	__u64 expirations;
	int i;

	for (i = 0; periodic && i < ready; i++)
		if (read(fds[events[i].data.u32], &expirations, 8) != 8)
			die("read of a timerfd");
	return (__u32)ready;
}

static void repeat(__u32 timer, __u64 period)
{
	struct itimerspec time = { timespec_of(period), timespec_of(now() + period) };

	periodic = true;
	if (timerfd_settime(fds[timer], TFD_TIMER_ABSTIME, &time, NULL))
		die("timerfd_settime");
}

const struct contestant timerfd = {
	.name = "timerfd", .takes = true, .wakes = true,
	.open = open_all, .close = close_all, .take = take, .wait = wait_for_due,
	.repeat = repeat,
	.arm = arm, .rearm = arm, .cancel = cancel, .query = query,
};
