// SPDX-License-Identifier: GPL-2.0
/*
 * STOP: no timer expires after it. Events can still be read, and the number of unfired
 * timers is returned. A second STOP returns 0 timers.
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

WT_TEST(wheel, of_an_empty_wheel)
{
	EXPECT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(0, self->unfired);
}

WT_TEST(wheel, tells_how_many_had_not_fired)
{
	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_HOUR));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(9, 1)));
	ASSERT_EQ(0, wt_rearm(self->fd, WHEEL_ID(10, 1), WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(TIMERS - 2, self->unfired);
	EXPECT_LEDGER(self->fd, .armed = TIMERS, .rearmed = 1, .fired = 1,
		      .cancelled = TIMERS - 1, .unread = 1);
}

WT_TEST(wheel, is_idempotent)
{
	int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_HOUR));
	EXPECT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(TIMERS, self->unfired);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, wt_stop(self->fd, &self->unfired));
		EXPECT_EQ(0, self->unfired);
	}
	EXPECT_LEDGER(self->fd, .armed = TIMERS, .cancelled = TIMERS);
}

WT_TEST(wheel, nothing_is_armed_after_it)
{
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(-ESHUTDOWN, wt_arm(self->fd, WHEEL_ID(1, 1), WT_MS));
	EXPECT_EQ(-ESHUTDOWN, wt_arm_rel(self->fd, WHEEL_ID(1, 1), 0));
	EXPECT_EQ(-ESHUTDOWN, wt_arm_every(self->fd, WHEEL_ID(1, 1), 1, 1));
	EXPECT_LEDGER(self->fd, .refused = 3);
}

/* After STOP, the id of an unfired timer is invalid. */
WT_TEST(wheel, nothing_is_pending_after_it)
{
	int ret;

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), WT_MS));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, WHEEL_ID(1, 1)));
	EXPECT_EQ(-ENOENT, wt_query(self->fd, WHEEL_ID(1, 1), NULL));
	ret = wt_rearm(self->fd, WHEEL_ID(1, 1), WT_HOUR);
	EXPECT_TRUE(ret == -ENOENT || ret == -ESHUTDOWN);
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
}

/* All operations of a batch return their own result. */
WT_TEST(wheel, a_batch_after_it)
{
	struct wheel_op ops[] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WT_MS),
		wt_op(WHEEL_OP_CANCEL, WHEEL_ID(2, 1), 0),
		wt_op(99, WHEEL_ID(3, 1), 0),
	};

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	ASSERT_EQ(0, wt_batch(self->fd, ops, 3));
	EXPECT_EQ(-ESHUTDOWN, ops[0].res);
	EXPECT_EQ(-ENOENT, ops[1].res);
	EXPECT_EQ(-EINVAL, ops[2].res);
}

WT_TEST(wheel, events_before_it_are_read_after_it)
{
	int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, 10, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(11, 1), WT_HOUR));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(1, self->unfired);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
		EXPECT_EQ(WHEEL_ID(i, 1), self->events[0].id);
		EXPECT_EQ(i, self->events[0].seq);
	}
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-ESHUTDOWN, wt_read(self->fd, self->events, 1));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	EXPECT_EQ(-ESHUTDOWN, wt_read(self->fd, self->events, 1));
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

/* A periodic timer whose event is unread ends with that event. */
WT_TEST(wheel, periods_end_with_it)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(2, 1), WT_SEC, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(1, self->unfired);
	ASSERT_EQ(1, wt_read(self->fd, self->events, TIMERS));
	EXPECT_EQ(WHEEL_ID(1, 1), self->events[0].id);
	EXPECT_EQ(-ESHUTDOWN, wt_read(self->fd, self->events, 1));
	EXPECT_LEDGER(self->fd, .armed = 2, .fired = 1, .cancelled = 1);
}

/* After STOP, periods are no longer missed, regardless of when the event is read. */
WT_TEST(wheel, periods_are_missed_up_to_it)
{
	struct wheel_event event;
	__u64 unfired;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(0, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * WT_MS + 1, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	EXPECT_EQ(0, unfired);
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(2, event.overrun);
	EXPECT_EQ(3 * WT_MS, event.deadline);
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
