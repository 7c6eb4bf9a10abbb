// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of a wheel is killed, exits or closes it, with many timers and with blocked
 * threads. In all cases, the wheel is freed.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include "wheel_test.h"

#define MANY	100000
#define FEWER	10000
/* Only the 64-bit program uses this number. */
#define MILLION	(sizeof(long) == 8 ? 1000000 : MANY)

FIXTURE(owner) {
	long refs;
	/* The child writes a byte when it is ready. */
	int ready[2];
};

FIXTURE_SETUP(owner)
{
	self->refs = wt_module_refs();
	ASSERT_EQ(0, pipe(self->ready));
}

FIXTURE_TEARDOWN(owner)
{
	EXPECT_EQ(self->refs, wt_module_refs());
}

/* A wheel with timers that are due at random times. */
static int make(int n, __u64 soonest, __u64 latest)
{
	static struct wheel_op ops[MANY];
	__u64 now = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u64 seed = now;
	int fd, i;

	fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, MANY, WT_MS);
	for (i = 0; i < n; i++)
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1),
			       now + soonest + wt_below(&seed, latest));
	if (fd < 0 || wt_batch(fd, ops, n))
		_exit(1);
	return fd;
}

static void *block_in_read(void *arg)
{
	struct wheel_event event;

	return wt_read(*(int *)arg, &event, 1) ? NULL : arg;
}

static void *block_in_poll(void *arg)
{
	return wt_wait(*(int *)arg) ? NULL : arg;
}

static void *block_in_epoll(void *arg)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(0);

	epoll_ctl(ep, EPOLL_CTL_ADD, *(int *)arg, &event);
	return epoll_wait(ep, &event, 1, -1) ? NULL : arg;
}

/* Start threads that wait on the wheel in all available ways. */
static void block(int *fd)
{
	void *(*const ways[])(void *) = {
		block_in_read, block_in_poll, block_in_epoll, block_in_read,
	};
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (pthread_create(&thread, NULL, ways[i], fd))
			_exit(1);
	wt_let_pass(2 * WT_MS);
}

static void say_ready(int fd)
{
	if (write(fd, "r", 1) != 1)
		_exit(1);
}

static bool hear_ready(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

static int killed(pid_t pid)
{
	return kill(pid, SIGKILL) ? -errno : wt_end_of(pid);
}

WT_TEST(owner, killed_with_100000_armed)
{
	pid_t pid;

	pid = fork();
	if (!pid) {
		make(MANY, WT_HOUR, WT_HOUR);
		say_ready(self->ready[1]);
		pause();
	}
	ASSERT_TRUE(hear_ready(self->ready[0]));
	if (self->refs >= 0)
		EXPECT_EQ(self->refs + 1, wt_module_refs());
	EXPECT_EQ(-SIGKILL, killed(pid));
}

/* Killed while timers expire, events are read or unread, and threads wait. */
WT_TEST(owner, killed_while_timers_fire)
{
	pid_t pid;
	int i, fd;

	for (i = 0; i < 4; i++) {
		pid = fork();
		if (!pid) {
			fd = make(FEWER, 0, 50 * WT_MS);
			if (i % 2)
				block(&fd);
			say_ready(self->ready[1]);
			for (;;)
				block_in_read(&fd);
		}
		ASSERT_TRUE(hear_ready(self->ready[0]));
		wt_let_pass(1 + i * 3 * WT_MS);
		EXPECT_EQ(-SIGKILL, killed(pid));
	}
}

/* Killed during a system call that arms timers. */
WT_TEST(owner, killed_while_it_arms)
{
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			say_ready(self->ready[1]);
			for (;;)
				close(make(FEWER, 0, WT_SEC));
		}
		ASSERT_TRUE(hear_ready(self->ready[0]));
		wt_let_pass(1 + i * 7 * WT_MS);
		EXPECT_EQ(-SIGKILL, killed(pid));
	}
}

/* exit() does not wait for the events that the threads wait for. */
WT_TEST(owner, exits_with_threads_that_wait)
{
	pid_t pid;
	int fd;

	pid = fork();
	if (!pid) {
		fd = make(FEWER, WT_HOUR, WT_HOUR);
		block(&fd);
		exit(7);
	}
	EXPECT_EQ(7, wt_end_of(pid));
}

WT_TEST(owner, closes_a_million)
{
	struct wheel_stats stats;
	int fd;

	fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, MILLION, WT_MS);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_arm_many(fd, MILLION, 1, WT_HOUR +
				 wt_now(WHEEL_CLOCK_MONOTONIC)));
	ASSERT_EQ(0, wt_stats(fd, &stats));
	EXPECT_EQ(MILLION, stats.pending);
	EXPECT_EQ(0, stats.wakeups);
	ASSERT_EQ(0, close(fd));
}

TEST_HARNESS_MAIN
