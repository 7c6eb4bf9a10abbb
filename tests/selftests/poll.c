// SPDX-License-Identifier: GPL-2.0
/*
 * poll(), and epoll in level-triggered, edge-triggered and nested mode: a file is readable
 * while an event is unread, and after STOP.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
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

WT_TEST(wheel, poll_is_readable_while_there_are_events)
{
	EXPECT_EQ(0, polled(self->fd));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(99, 1), WT_HOUR));
	EXPECT_EQ(0, polled(self->fd));
	FIRE();
	FIRE();
	EXPECT_EQ(POLLIN | POLLRDNORM, polled(self->fd));
	ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
	EXPECT_EQ(POLLIN | POLLRDNORM, polled(self->fd));
	ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
	EXPECT_EQ(0, polled(self->fd));
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

static void *wait_for_it(void *arg)
{
	int *fd = arg;

	*fd = wt_wait(*fd);
	return NULL;
}

WT_TEST(wheel, poll_is_woken)
{
	int waiters[3] = { self->fd, self->fd, self->fd };
	pthread_t threads[3];
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, wait_for_it,
					    &waiters[i]));
	wt_let_pass(2 * WT_MS);
	FIRE();
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		EXPECT_EQ(POLLIN, waiters[i]);
	}
}

/* STOP wakes a process that polls. */
WT_TEST(wheel, poll_is_woken_by_stop)
{
	int waiter = self->fd;
	pthread_t thread;
	__u64 unfired;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &waiter));
	wt_let_pass(2 * WT_MS);
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_LT(0, waiter);
	EXPECT_FALSE(wt_quiet(self->fd));
	EXPECT_EQ(-ESHUTDOWN, wt_read(self->fd, self->events, 1));
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

/* Events that exist when the file is added are an edge. */
WT_TEST(wheel, epoll_by_edge_begins_readable)
{
	FIRE();
	ASSERT_EQ(0, watch(self->ep, self->fd, EPOLLIN | EPOLLET));
	EXPECT_EQ(EPOLLIN, ready(self->ep));
	EXPECT_EQ(0, ready(self->ep));
}

WT_TEST(wheel, epoll_once)
{
	struct epoll_event again = { .events = EPOLLIN | EPOLLONESHOT };

	ASSERT_EQ(0, watch(self->ep, self->fd, EPOLLIN | EPOLLONESHOT));
	FIRE();
	EXPECT_EQ(EPOLLIN, ready(self->ep));
	FIRE();
	EXPECT_EQ(0, ready(self->ep));
	ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_MOD, self->fd, &again));
	EXPECT_EQ(EPOLLIN, ready(self->ep));
}

/* Four nested epoll instances, level-triggered and edge-triggered. */
WT_TEST(wheel, epoll_nested)
{
	int eps[4], i;

	eps[0] = self->ep;
	ASSERT_EQ(0, watch(self->ep, self->fd, EPOLLIN));
	for (i = 1; i < 4; i++) {
		eps[i] = epoll_create1(EPOLL_CLOEXEC);
		ASSERT_LE(0, eps[i]);
		ASSERT_EQ(0, watch(eps[i], eps[i - 1], EPOLLIN |
				   (i == 3 ? EPOLLET : 0)));
	}
	EXPECT_EQ(0, ready(eps[3]));
	FIRE();
	EXPECT_EQ(EPOLLIN, ready(eps[3]));
	EXPECT_EQ(0, ready(eps[3]));
	FIRE();
	EXPECT_EQ(EPOLLIN, ready(eps[3]));
	EXPECT_EQ(EPOLLIN, ready(eps[2]));
	ASSERT_EQ(2, wt_read(self->fd, self->events, TIMERS));
	EXPECT_EQ(0, ready(eps[2]));
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

/* The epoll instance is closed before the wheel. */
WT_TEST(wheel, epoll_is_closed_before_the_wheel)
{
	int i;

	for (i = 0; i < 200; i++) {
		int ep = epoll_create1(EPOLL_CLOEXEC);

		ASSERT_LE(0, ep);
		ASSERT_EQ(0, watch(ep, self->fd, EPOLLIN | EPOLLET));
		ASSERT_EQ(0, close(ep));
		FIRE();
	}
	EXPECT_EQ(200, wt_read(self->fd, self->events, TIMERS));
}

TEST_HARNESS_MAIN
