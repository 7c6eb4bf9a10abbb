// SPDX-License-Identifier: GPL-2.0
/*
 * STOP: no timer expires after it. Events can still be read, and the number of unfired
 * timers is returned. The timers that LIST returns are compared in contract.c, and in libwheel's
 * end.c.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"

#define TIMERS	1000

FIXTURE(wheel) {
	int fd;
	__u64 unfired;
	struct wheel_stats stats;
	struct wheel_event events[TIMERS];
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* A read into an inaccessible buffer consumes no event, also on a stopped wheel. */
WT_TEST(wheel, a_bad_read_after_it)
{
	void *nowhere = mmap(NULL, 4096, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, nowhere);
	ASSERT_EQ(0, wt_arm_many(self->fd, 10, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(-1, read(self->fd, nowhere, 48));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->fd, self->events, 47));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(10, wt_read_all(self->fd, self->events, TIMERS, 10));
}

/* Timers with unread events are not listed. After the last slot, the list is empty. */
WT_TEST(wheel, list_after_it)
{
	struct wheel_list list = {};
	struct wheel_op op;
	__u32 slot;

	ASSERT_EQ(0, wt_arm_many(self->fd, 10, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(TIMERS - 1, 1), WT_SEC));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	ASSERT_EQ(0, wt_list(self->fd, 0, &op, 1, &list));
	EXPECT_EQ(1, list.done);
	EXPECT_EQ(WHEEL_ID(TIMERS - 1, 1), op.id);
	EXPECT_EQ(10, wt_read_all(self->fd, self->events, TIMERS, 10));
	for (slot = TIMERS; slot; slot *= 2) {
		list.cursor = slot;
		EXPECT_EQ(0, wt_list(self->fd, 0, &op, 1, &list));
		EXPECT_EQ(0, list.done);
	}
}

WT_TEST(wheel, info_and_stats_after_it)
{
	struct wheel_setup info = {};

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(-EBUSY, wt_setup(self->fd, &info));
	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(TIMERS, info.timers);
	EXPECT_EQ(0, wt_stats(self->fd, &self->stats));
}

struct arms {
	int fd;
	pthread_t thread;
	__u64 armed;
	__u64 fired;
	int last;
};

/* Arm until the wheel is stopped. */
static void *arm_on(void *arg)
{
	struct arms *a = arg;
	__u32 slot = 0;
	__u64 gen = 1;

	for (;;) {
		a->last = wt_arm_rel(a->fd, WHEEL_ID(slot, gen),
				     slot % 2 ? WT_HOUR : slot * WT_US);
		if (a->last && a->last != -EBUSY)
			return NULL;
		a->armed += !a->last;
		slot = (slot + 1) % TIMERS;
		gen += !slot;
	}
}

static void *read_on(void *arg)
{
	struct wheel_event events[16];
	struct arms *a = arg;

	while ((a->last = wt_read(a->fd, events, 16)) > 0)
		a->fired += a->last;
	return NULL;
}

/* Arms, expiries and STOP race: each armed timer expires or is counted as unfired. */
WT_TEST(wheel, races_arms_and_expiries)
{
	struct arms armer, reader;
	__u64 seed = wt_seed();
	int round;

	for (round = 0; round < 30; round++) {
		armer = (struct arms){
			.fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS,
					    WHEEL_MIN_TICK_NS),
		};
		ASSERT_LE(0, armer.fd);
		reader = armer;
		ASSERT_EQ(0, pthread_create(&armer.thread, NULL, arm_on,
					    &armer));
		ASSERT_EQ(0, pthread_create(&reader.thread, NULL, read_on,
					    &reader));
		wt_let_pass(1 + wt_below(&seed, 2 * WT_MS));
		ASSERT_EQ(0, wt_stop(armer.fd, &self->unfired));
		ASSERT_EQ(0, pthread_join(armer.thread, NULL));
		ASSERT_EQ(0, pthread_join(reader.thread, NULL));
		EXPECT_EQ(-ESHUTDOWN, armer.last);
		EXPECT_EQ(-ESHUTDOWN, reader.last);
		EXPECT_EQ(armer.armed, reader.fired + self->unfired);
		ASSERT_EQ(0, wt_stats(armer.fd, &self->stats));
		EXPECT_EQ(armer.armed, self->stats.armed);
		EXPECT_EQ(reader.fired, self->stats.fired);
		EXPECT_EQ(self->unfired, self->stats.cancelled);
		EXPECT_EQ(0, self->stats.pending);
		close(armer.fd);
	}
}

static void *stop_it(void *arg)
{
	struct arms *a = arg;

	a->last = wt_stop(a->fd, &a->fired);
	return NULL;
}

/* Concurrent STOPs: each timer is counted by exactly one of them. */
WT_TEST(wheel, races_another_stop)
{
	struct arms stops[3];
	__u64 sum;
	int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_HOUR));
	for (i = 0; i < 3; i++) {
		stops[i] = (struct arms){ .fd = self->fd };
		ASSERT_EQ(0, pthread_create(&stops[i].thread, NULL, stop_it,
					    &stops[i]));
	}
	for (sum = 0, i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(stops[i].thread, NULL));
		EXPECT_EQ(0, stops[i].last);
		sum += stops[i].fired;
	}
	EXPECT_EQ(TIMERS, sum);
}

TEST_HARNESS_MAIN
