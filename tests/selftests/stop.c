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
