// SPDX-License-Identifier: GPL-2.0
/* One timerfd per timer, all of them watched by one epoll instance. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "contestant.h"

static int fds[TIMERS];

static void open_all(int epoll)
{
	struct rlimit limit = { TIMERS + 64, TIMERS + 64 };
	__u32 i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit", errno);
	for (i = 0; i < TIMERS; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
		if (fds[i] < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
			die("timerfd_create", errno);
	}
}

static void arm(__u32 timer, __u64 deadline)
{
	const struct itimerspec time = { .it_value = {
		(time_t)(deadline / 1000000000), (long)(deadline % 1000000000) } };

	if (timerfd_settime(fds[timer], TFD_TIMER_ABSTIME, &time, NULL))
		die("timerfd_settime", errno);
}

static void take(__u32 data)
{
	__u64 expirations;

	if (read(fds[data], &expirations, sizeof(expirations)) > 0)
		fired(data);
}

const struct contestant timerfds = { "timerfd", -1, open_all, arm, take };
