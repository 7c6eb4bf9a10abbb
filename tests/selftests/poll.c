// SPDX-License-Identifier: GPL-2.0
/*
 * poll() and epoll of new and of closed files. libwheel's loop.c tests both modes of epoll, owner.c
 * deferred and stopped files, and deferred_race.c wake-ups.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include "wheel_test.h"

static int watch(int ep, int fd, __u32 events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
}

/* The events that epoll reports now, or 0. */
static __u32 ready(int ep)
{
	struct epoll_event event = {};

	return epoll_wait(ep, &event, 1, 0) == 1 ? event.events : 0;
}

static short polled(int fd)
{
	struct pollfd p = {
		.fd = fd, .events = POLLIN | POLLRDNORM | POLLOUT | POLLPRI,
	};

	poll(&p, 1, 0);
	return p.revents;
}

/* A new file has no events, and poll() does not set it up. */
TEST(poll_of_a_new_file)
{
	struct wheel_setup setup = { .timers = 5 };
	int fd = wt_open(0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, polled(fd));
	EXPECT_EQ(0, wt_setup(fd, &setup));
	EXPECT_EQ(0, polled(fd));
}

/* Closing the last descriptor removes a file from its epolls, with and without events. */
TEST(epoll_of_a_closed_file)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), i;

	ASSERT_LE(0, ep);
	for (i = 0; i < 200; i++) {
		int fd = wt_open_virtual(64, WT_MS);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, watch(ep, fd, EPOLLIN));
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, 1), WT_MS));
		if (i % 2) {
			ASSERT_EQ(0, wt_advance(fd, WT_MS, NULL));
			EXPECT_EQ(EPOLLIN, ready(ep));
		}
		ASSERT_EQ(0, close(fd));
		EXPECT_EQ(0, ready(ep));
	}
}

TEST_HARNESS_MAIN
