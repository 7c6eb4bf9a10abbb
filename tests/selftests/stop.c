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

struct stop {
	int fd;
	pthread_t thread;
	__u64 unfired;
	int ret;
};

static void *stop_it(void *arg)
{
	struct stop *s = arg;

	s->ret = wt_stop(s->fd, &s->unfired);
	return NULL;
}

/* Concurrent STOPs: each timer is counted by exactly one of them. */
WT_TEST(wheel, races_another_stop)
{
	struct stop stops[3];
	__u64 sum;
	int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_HOUR));
	for (i = 0; i < 3; i++) {
		stops[i] = (struct stop){ .fd = self->fd };
		ASSERT_EQ(0, pthread_create(&stops[i].thread, NULL, stop_it,
					    &stops[i]));
	}
	for (sum = 0, i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(stops[i].thread, NULL));
		EXPECT_EQ(0, stops[i].ret);
		sum += stops[i].unfired;
	}
	EXPECT_EQ(TIMERS, sum);
}

TEST_HARNESS_MAIN
