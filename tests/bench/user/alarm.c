// SPDX-License-Identifier: GPL-2.0
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "alarm.h"
#include "contestant.h"
#include "machine.h"

__u64 alarm_time;

static int fd = -1;
static int epoll;

void alarm_open(unsigned int with)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		die("epoll_create1");
	/* No time is earlier than 1, so the timerfd is never set. */
	alarm_time = with & WITH_WAIT ? 1 : 0;
	if (with & WITH_WAIT)
		return;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("timerfd_create");
}

void alarm_close(void)
{
	close(epoll);
	if (fd >= 0)
		close(fd);
	fd = -1;
}

void alarm_set(__u64 time)
{
	struct itimerspec setting = { .it_value = timespec_of(time) };

	alarm_time = time;
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, NULL))
		die("timerfd_settime");
}

bool alarm_rang(void)
{
	struct epoll_event event;

	if (!epoll_wait(epoll, &event, 1, 0))
		return false;
	alarm_time = 0;
	return true;
}

void alarm_sleep(__u64 time)
{
	struct epoll_event event;

	sleep_on(epoll, &event, 1, time);
}
