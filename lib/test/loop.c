// SPDX-License-Identifier: MIT
/*
 * The file descriptor in an event loop: readable while events are available, level-triggered and
 * edge-triggered, and otherwise not.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <unistd.h>

#include "test.h"

static int epoll_with(struct libwheel *wheel, __u32 events)
{
	struct epoll_event event = { .events = events };
	int epfd = epoll_create1(EPOLL_CLOEXEC);

	NEED(epfd >= 0);
	NEED(!epoll_ctl(epfd, EPOLL_CTL_ADD, libwheel_fd(wheel), &event));
	return epfd;
}

static int epoll_for(int epfd, int timeout_ms)
{
	struct epoll_event event;

	return epoll_wait(epfd, &event, 1, timeout_ms);
}

static void loop_level(void)
{
	struct libwheel *wheel = open_virtual(8);
	int epfd = epoll_with(wheel, EPOLLIN);
	int i;

	EXPECT_EQ(0, epoll_for(epfd, 0));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(i, 1), MS));
	EXPECT_EQ(0, epoll_for(epfd, 0));
	EXPECT_EQ(0, advance(wheel, MS));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, epoll_for(epfd, 0));
		EXPECT_EQ(1, epoll_for(epfd, 0));
		EXPECT_EQ(WHEEL_ID(i, 1), next_id(wheel));
	}
	EXPECT_EQ(0, epoll_for(epfd, 0));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, epoll_for(epfd, 0));
	close(epfd);
	libwheel_close(wheel);
}

/* After all events were taken, the next event causes an edge. */
static void loop_edge(void)
{
	struct libwheel *wheel = open_virtual(8);
	int epfd = epoll_with(wheel, EPOLLIN | EPOLLET);
	struct wheel_event events[8];
	__u64 gen;

	for (gen = 1; gen < 100; gen++) {
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, gen), gen * 2 * MS));
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, gen), gen * 2 * MS));
		EXPECT_EQ(0, epoll_for(epfd, 0));
		EXPECT_EQ(0, advance(wheel, gen * 2 * MS));
		NEED(epoll_for(epfd, 0) == 1);
		EXPECT_EQ(0, epoll_for(epfd, 0));
		EXPECT_EQ(2, libwheel_expirations(wheel, events, 8));
	}
	close(epfd);
	libwheel_close(wheel);
}

/* On a running clock: the loop is woken once per event, and never without one. */
static void loop_wakes_in_time(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	int epfd = epoll_with(wheel, EPOLLIN | EPOLLET);
	__u64 state = test_seed();
	int empty = 0;
	__u64 gen;

	for (gen = 1; gen < 200; gen++) {
		__u64 when = libwheel_now(wheel) + random_below(&state, MS);

		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, gen), when));
		do {
			NEED(epoll_for(epfd, -1) == 1);
			empty++;
		} while (!next_id(wheel));
		empty--;
		EXPECT(libwheel_now(wheel) >= when);
	}
	EXPECT_EQ(0, empty);
	close(epfd);
	libwheel_close(wheel);
}

/* A timer that is armed for or moved to an earlier time wakes the loop earlier. */
static void loop_earlier_timer(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	int epfd = epoll_with(wheel, EPOLLIN);
	__u64 now = libwheel_now(wheel);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + HOUR));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), now + MS));
	EXPECT_EQ(1, epoll_for(epfd, -1));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	EXPECT_EQ(0, libwheel_rearm(wheel, WHEEL_ID(1, 1), now + 2 * MS));
	EXPECT_EQ(1, epoll_for(epfd, -1));
	EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
	close(epfd);
	libwheel_close(wheel);
}

/* The loop is woken for a timer that expires during another operation. */
static void loop_hears_of_what_others_let_fire(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	int epfd = epoll_with(wheel, EPOLLIN);
	__u64 id = WHEEL_ID(1, 1);

	EXPECT_EQ(0, arm(wheel, id, libwheel_now(wheel)));
	while (!query(wheel, id))
		;
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, id));
	EXPECT_EQ(1, epoll_for(epfd, -1));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT(!readable(wheel));
	close(epfd);
	libwheel_close(wheel);
}

static void on_signal(int number)
{
	(void)number;
}

static void wait_and_signals(void)
{
	/* Repeated, because the first signal may arrive before the wait. */
	struct itimerval often = {
		.it_value.tv_usec = 10000, .it_interval.tv_usec = 10000,
	};
	struct sigaction action = { .sa_handler = on_signal };
	struct libwheel *wheel = open_virtual(8);
	struct wheel_event event;

	NEED(!sigaction(SIGALRM, &action, NULL));
	NEED(!setitimer(ITIMER_REAL, &often, NULL));
	EXPECT_EQ(-EINTR, libwheel_wait(wheel, &event, 1, -1));
	libwheel_close(wheel);
}

static void wait_and_its_timeout(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	__u64 start = libwheel_now(wheel);
	struct wheel_event event;
	uint64_t id = WHEEL_ID(1, 2);

	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 3 * MS));
	EXPECT(libwheel_now(wheel) >= start + 3 * MS);
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 0));
	EXPECT_EQ(-EINVAL, libwheel_wait(wheel, &event, 0, 0));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), start));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, HOUR));
	/* Any negative timeout waits indefinitely. */
	EXPECT_EQ(0, libwheel_arm_in(wheel, id, 3 * MS, 0));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -HOUR));
	libwheel_close(wheel);
}

const struct ktap_test loop_tests[] = {
	TEST(loop_level),
	TEST(loop_edge),
	TEST(loop_wakes_in_time),
	TEST(loop_earlier_timer),
	TEST(loop_hears_of_what_others_let_fire),
	TEST(wait_and_signals),
	TEST(wait_and_its_timeout),
	{ NULL, NULL }
};
