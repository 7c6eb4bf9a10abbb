// SPDX-License-Identifier: GPL-2.0
/*
 * P2: a timer expires at the first tick boundary at or after its deadline, or at a later one
 * within its slack. On a virtual clock this is exact.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	1024
#define NONE	(~0ULL)

FIXTURE(scheme) {
	int fd;
	__u64 seed;
};

FIXTURE_VARIANT(scheme) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(scheme, hashed) { .scheme = WHEEL_HASHED, .tick = WT_MS };
FIXTURE_VARIANT_ADD(scheme, hashed_1ns) { .scheme = WHEEL_HASHED, .tick = 1 };
FIXTURE_VARIANT_ADD(scheme, hashed_odd) { .scheme = WHEEL_HASHED, .tick = 1000003 };
FIXTURE_VARIANT_ADD(scheme, hashed_coarse) { .scheme = WHEEL_HASHED, .tick = 3 * WT_SEC + 1 };
FIXTURE_VARIANT_ADD(scheme, hierarchical) { .scheme = WHEEL_HIERARCHICAL, .tick = 7 };

FIXTURE_VARIANT_ADD(scheme, hierarchical_power_of_two) {
	.scheme = WHEEL_HIERARCHICAL, .tick = 1 << 20,
};

FIXTURE_VARIANT_ADD(scheme, bounded) { .scheme = WHEEL_BOUNDED, .tick = 12345 };
FIXTURE_VARIANT_ADD(scheme, overflow) { .scheme = WHEEL_OVERFLOW, .tick = WT_MS };

FIXTURE_SETUP(scheme)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.tick_ns = variant->tick, .timers = TIMERS, .buckets = 1024,
	};

	self->seed = wt_seed();
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
	/* Tests do not start at time 0. With a tick above 2 ns, they start between boundaries. */
	ASSERT_EQ(0, wt_advance(self->fd,
				(1000 + wt_below(&self->seed, 100000)) *
				variant->tick + variant->tick / 3, NULL));
}

FIXTURE_TEARDOWN(scheme)
{
	close(self->fd);
}

static __u64 clock_of(int fd)
{
	struct wheel_submit batch;

	return wt_submit(fd, NULL, 0, &batch) ? NONE : batch.now;
}

/* The timer does not expire one nanosecond before its due tick, but at that tick. */
WT_TEST(scheme, p2_bounded_late_to_the_nanosecond)
{
	__u64 now, when, due, next, gen;
	struct wheel_event event;

	for (gen = 1; gen <= 300; gen++) {
		now = clock_of(self->fd);
		when = now + 1 + wt_below(&self->seed, 900 * variant->tick);
		due = wt_boundary(when, variant->tick);
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(5, gen), when));
		ASSERT_EQ(0, wt_advance(self->fd, now, &next));
		EXPECT_EQ(due, next);
		ASSERT_EQ(0, wt_advance(self->fd, due - 1, &next));
		EXPECT_EQ(due, next);
		EXPECT_EQ(-EAGAIN, wt_read(self->fd, &event, 1));
		ASSERT_EQ(0, wt_advance(self->fd, due, &next));
		EXPECT_EQ(NONE, next);
		ASSERT_EQ(1, wt_read(self->fd, &event, 1));
		EXPECT_EQ(WHEEL_ID(5, gen), event.id);
		EXPECT_EQ(~WHEEL_ID(5, gen), event.cookie);
		EXPECT_EQ(when, event.deadline);
		EXPECT_EQ(due, event.fired);
		EXPECT_EQ(0, event.overrun);
		EXPECT_EQ(gen - 1, event.seq);
		EXPECT_EQ(0, event.res);
	}
}

/* With slack: at a boundary in [deadline, deadline + slack], or at the first one. */
WT_TEST(scheme, p2_bounded_late_with_slack)
{
	__u64 now, when, slack, first, last, next, gen;
	__u64 tick = variant->tick;
	struct wheel_event event;
	struct wheel_op op;

	for (gen = 1; gen <= 200; gen++) {
		now = clock_of(self->fd);
		when = now + 1 + wt_below(&self->seed, 400 * tick);
		slack = wt_below(&self->seed, 1 + 400 * tick);
		first = wt_boundary(when, tick);
		last = (when + slack) / tick * tick;
		last = last < first ? first : last;
		op = wt_op(WHEEL_OP_ARM, WHEEL_ID(5, gen), when);
		op.slack = slack;
		ASSERT_EQ(0, wt_do(self->fd, &op));
		ASSERT_EQ(0, wt_advance(self->fd, first - 1, &next));
		EXPECT_LE(first, next);
		EXPECT_GE(last, next);
		EXPECT_TRUE(wt_quiet(self->fd));
		ASSERT_EQ(0, wt_advance(self->fd, last, &next));
		EXPECT_EQ(NONE, next);
		ASSERT_EQ(1, wt_read(self->fd, &event, 1));
		EXPECT_EQ(when, event.deadline);
	}
}

TEST_HARNESS_MAIN
