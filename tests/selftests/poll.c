// SPDX-License-Identifier: GPL-2.0
/*
 * poll(), and epoll in level-triggered and edge-triggered mode: a file is readable while an
 * event is unread, and after STOP. libwheel's loop.c tests level-triggered mode, and
 * deferred_race.c wake-ups.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include "wheel_test.h"

#define TIMERS	1024

FIXTURE(wheel) {
	int fd;
	int ep;
	__u64 now;
	__u64 gen;
	struct wheel_event events[TIMERS];
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	self->ep = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_LE(0, self->ep);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->ep);
	close(self->fd);
}

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

/* Expire one more timer, in another slot each time. */
#define FIRE() do { \
	self->gen++; \
	self->now += WT_MS; \
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(self->gen % TIMERS, self->gen), \
			    self->now)); \
	ASSERT_EQ(0, wt_advance(self->fd, self->now, NULL)); \
} while (0)

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

/* New events after epoll_wait() are one edge, whether previous events were read or not. */
WT_TEST(wheel, epoll_by_edge)
{
	int i;

	ASSERT_EQ(0, watch(self->ep, self->fd, EPOLLIN | EPOLLET));
	EXPECT_EQ(0, ready(self->ep));
	for (i = 0; i < 5; i++) {
		FIRE();
		EXPECT_EQ(EPOLLIN, ready(self->ep));
		EXPECT_EQ(0, ready(self->ep));
	}
	for (i = 0; i < 5; i++)
		FIRE();
	EXPECT_EQ(EPOLLIN, ready(self->ep));
	EXPECT_EQ(0, ready(self->ep));
	ASSERT_EQ(3, wt_read(self->fd, self->events, 3));
	EXPECT_EQ(0, ready(self->ep));
	ASSERT_EQ(7, wt_read(self->fd, self->events, TIMERS));
	FIRE();
	EXPECT_EQ(EPOLLIN, ready(self->ep));
}

/* Closing the last descriptor removes a file from its epolls, with and without events. */
WT_TEST(wheel, epoll_of_a_closed_file)
{
	int i;

	for (i = 0; i < 200; i++) {
		int fd = wt_open_virtual(64, WT_MS);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, watch(self->ep, fd, EPOLLIN));
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, 1), WT_MS));
		if (i % 2) {
			ASSERT_EQ(0, wt_advance(fd, WT_MS, NULL));
			EXPECT_EQ(EPOLLIN, ready(self->ep));
		}
		ASSERT_EQ(0, close(fd));
		EXPECT_EQ(0, ready(self->ep));
	}
}

TEST_HARNESS_MAIN
