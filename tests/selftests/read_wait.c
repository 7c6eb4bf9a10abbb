// SPDX-License-Identifier: GPL-2.0
/*
 * Blocking read(): woken by an event, a signal or STOP. Several readers share the events,
 * and each event goes to one reader.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "wheel_test.h"

#define TIMERS	4096
#define READERS	4

struct reader {
	pthread_t thread;
	int fd;
	atomic_int tid;
	int ret;
	int got;
	struct wheel_event event;
	/* Number of times that this reader read the event, by sequence number. */
	unsigned char seen[TIMERS];
};

FIXTURE(wheel) {
	int fd;
	struct reader readers[READERS];
};

/* A virtual clock with blocking reads. */
FIXTURE_SETUP(wheel)
{
	int i;

	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	for (i = 0; i < READERS; i++)
		self->readers[i].fd = self->fd;
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static void *read_one(void *arg)
{
	struct reader *r = arg;

	r->tid = syscall(SYS_gettid);
	r->ret = wt_read(r->fd, &r->event, 1);
	return NULL;
}

/* Read until read() fails. */
static void *read_on(void *arg)
{
	struct wheel_event events[7];
	struct reader *r = arg;
	int i;

	r->tid = syscall(SYS_gettid);
	while ((r->ret = wt_read(r->fd, events, 1 + r->got % 7)) > 0)
		for (i = 0; i < r->ret; i++, r->got++)
			if (events[i].seq < TIMERS)
				r->seen[events[i].seq]++;
	return NULL;
}

static bool sleeps(struct reader *r)
{
	while (!r->tid)
		wt_let_pass(10 * WT_US);
	return wt_sleeps(r->tid);
}

static int start(struct reader *r, void *(*what)(void *))
{
	return pthread_create(&r->thread, NULL, what, r) || !sleeps(r);
}

WT_TEST(wheel, woken_by_an_event)
{
	struct reader *r = &self->readers[0];

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, start(r, read_one));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS - 1, NULL));
	ASSERT_TRUE(sleeps(r));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	ASSERT_EQ(0, pthread_join(r->thread, NULL));
	EXPECT_EQ(1, r->ret);
	EXPECT_EQ(WHEEL_ID(1, 1), r->event.id);
}

WT_TEST(wheel, woken_by_stop)
{
	__u64 unfired;
	int i;

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, start(&self->readers[i], read_one));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	EXPECT_EQ(1, unfired);
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));
		EXPECT_EQ(-ESHUTDOWN, self->readers[i].ret);
	}
}

/* Each timer expires while the reader is about to sleep. The reader never misses it. */
WT_TEST(wheel, no_expiry_passes_a_reader_by)
{
	int fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, 64, WHEEL_MIN_TICK_NS);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct wheel_event event;
	int i;

	ASSERT_LE(0, fd);
	for (i = 1; i <= 2000; i++) {
		ASSERT_EQ(0, wt_arm_rel(fd, WHEEL_ID(1, i), 0));
		if (i % 2)
			ASSERT_EQ(1, poll(&poll_fd, 1, -1));
		ASSERT_EQ(1, wt_read(fd, &event, 1));
	}
	close(fd);
}

static void on_signal(int nr)
{
	(void)nr;
}

WT_TEST(wheel, interrupted_by_a_signal)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct reader *r = &self->readers[0];

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, start(r, read_one));
	ASSERT_EQ(0, pthread_kill(r->thread, SIGUSR1));
	ASSERT_EQ(0, pthread_join(r->thread, NULL));
	EXPECT_EQ(-EINTR, r->ret);
	/* No event is lost. */
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	EXPECT_EQ(1, wt_read(self->fd, &r->event, 1));
}

/* read() returns available events even if a signal is pending. */
WT_TEST(wheel, an_event_comes_before_a_signal)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct wheel_event event;
	sigset_t set, old;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, &old));
	ASSERT_EQ(0, kill(getpid(), SIGUSR1));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	EXPECT_EQ(1, wt_read(self->fd, &event, 1));
	ASSERT_EQ(0, sigprocmask(SIG_SETMASK, &old, NULL));
}

/* One event for several readers: one of them receives it. */
WT_TEST(wheel, one_event_wakes_one_reader)
{
	__u64 unfired;
	int i, got = 0, shut = 0;

	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, start(&self->readers[i], read_one));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	while (!wt_quiet(self->fd))
		wt_let_pass(100 * WT_US);
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));
		got += self->readers[i].ret == 1;
		shut += self->readers[i].ret == -ESHUTDOWN;
	}
	EXPECT_EQ(1, got);
	EXPECT_EQ(READERS - 1, shut);
}

/* As many readers are woken as there are events. */
WT_TEST(wheel, events_wake_as_many_readers)
{
	int i;

	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, start(&self->readers[i], read_one));
	ASSERT_EQ(0, wt_arm_many(self->fd, READERS, 1, 5 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));
		EXPECT_EQ(1, self->readers[i].ret);
	}
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* Events arrive while several readers run. Each event is read exactly once. */
WT_TEST(wheel, each_event_has_one_reader)
{
	int total = 0, i, nr, seen;
	__u64 unfired;

	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, start(&self->readers[i], read_on));
	for (i = 0; i < TIMERS; i++) {
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), (i + 1) * WT_MS));
		if (i % 5 == 4)
			ASSERT_EQ(0, wt_advance(self->fd, (i + 1) * WT_MS,
						NULL));
	}
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	EXPECT_EQ(0, unfired);
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));
		EXPECT_EQ(-ESHUTDOWN, self->readers[i].ret);
		total += self->readers[i].got;
	}
	EXPECT_EQ(TIMERS, total);
	for (nr = 0; nr < TIMERS; nr++) {
		for (seen = 0, i = 0; i < READERS; i++)
			seen += self->readers[i].seen[nr];
		ASSERT_EQ(1, seen);
	}
}

TEST_HARNESS_MAIN
