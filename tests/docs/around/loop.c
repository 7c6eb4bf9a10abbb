// SPDX-License-Identifier: GPL-2.0
/* lib/man/libwheel.3: n = epoll_pwait2( */
#define _GNU_SOURCE
#include <libwheel.h>
#include <signal.h>
#include <sys/epoll.h>

int turn(struct libwheel_timeouts *timeouts, int epoll, const struct timespec *timeout,
	 const sigset_t *sigmask);

int turn(struct libwheel_timeouts *timeouts, int epoll, const struct timespec *timeout,
	 const sigset_t *sigmask)
{
	struct epoll_event ready[64];
	struct wheel_event events[64];
	struct libwheel_time now, deadline;
	int n, count = 64;

#include BLOCK
	return n < 0 ? n : libwheel_timeout_start_at(timeouts, 7, deadline);
}
