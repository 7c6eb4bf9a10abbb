// SPDX-License-Identifier: GPL-2.0
/*
 * Blocking read(): woken by an event or a signal. deferred_race.c tests that each event goes to
 * one of several readers, and that STOP ends them.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "wheel_test.h"

#define TIMERS	64
#define READERS	4

struct reader {
	pthread_t thread;
	int fd;
	atomic_int tid;
	int ret;
	struct wheel_event event;
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

static bool sleeps(struct reader *r)
{
	while (!r->tid)
		wt_let_pass(10 * WT_US);
	return wt_sleeps(r->tid);
}

static int start(struct reader *r)
{
	return pthread_create(&r->thread, NULL, read_one, r) || !sleeps(r);
}

WT_TEST(wheel, woken_by_an_event)
{
	struct reader *r = &self->readers[0];

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, start(r));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS - 1, NULL));
	ASSERT_TRUE(sleeps(r));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	ASSERT_EQ(0, pthread_join(r->thread, NULL));
	EXPECT_EQ(1, r->ret);
	EXPECT_EQ(WHEEL_ID(1, 1), r->event.id);
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
	ASSERT_EQ(0, start(r));
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

/* As many readers are woken as there are events. */
WT_TEST(wheel, events_wake_as_many_readers)
{
	int i;

	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, start(&self->readers[i]));
	ASSERT_EQ(0, wt_arm_many(self->fd, READERS, 1, 5 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));
		EXPECT_EQ(1, self->readers[i].ret);
	}
	EXPECT_TRUE(wt_quiet(self->fd));
}

TEST_HARNESS_MAIN
