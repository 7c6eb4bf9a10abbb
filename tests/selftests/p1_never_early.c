// SPDX-License-Identifier: GPL-2.0
/*
 * P1: no event is early by the clock of the program that receives it. There is no tolerance.
 * Lateness is not a failure here.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	256
#define ROUNDS	4

FIXTURE(clock) {
	int fd;
	__u64 tick;
	__u64 seed;
	struct wheel_op ops[TIMERS];
	struct wheel_event events[TIMERS];
};

FIXTURE_VARIANT(clock) {
	__u32 clock;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(clock, monotonic) { .clock = WHEEL_CLOCK_MONOTONIC, .tick = WT_MS };

FIXTURE_VARIANT_ADD(clock, monotonic_finest_tick) {
	.clock = WHEEL_CLOCK_MONOTONIC, .tick = WHEEL_MIN_TICK_NS,
};

FIXTURE_VARIANT_ADD(clock, monotonic_odd_tick) { .clock = WHEEL_CLOCK_MONOTONIC, .tick = 333333 };
FIXTURE_VARIANT_ADD(clock, boottime) { .clock = WHEEL_CLOCK_BOOTTIME, .tick = 100 * WT_US };
FIXTURE_VARIANT_ADD(clock, realtime) { .clock = WHEEL_CLOCK_REALTIME, .tick = 100 * WT_US };
FIXTURE_VARIANT_ADD(clock, tai) { .clock = WHEEL_CLOCK_TAI, .tick = 100 * WT_US };

FIXTURE_SETUP(clock)
{
	self->tick = variant->tick;
	self->seed = wt_seed();
	self->fd = wt_open_clock(variant->clock, TIMERS, variant->tick);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(clock)
{
	close(self->fd);
}

/* One operation per timer, with random deadlines from @from. */
static void draw(struct wheel_op *ops, __u64 *seed, __u32 op, __u64 gen,
		 __u64 from)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		ops[i] = wt_op(op, WHEEL_ID(i, gen),
			       from + wt_below(seed, 3 * WT_MS));
}

/*
 * Read @want events, and compare each with the clock after the read() that returned it.
 * Returns the number of early events, or -1.
 */
static int early(int fd, __u32 clock, struct wheel_event *events, int want)
{
	int bad = 0, got = 0;
	int i, n;
	__u64 now;

	for (got = 0; got < want; got += n) {
		n = wt_read(fd, events + got, want - got);
		now = wt_now(clock);
		if (n < 0)
			return -1;
		for (i = got; i < got + n; i++)
			bad += events[i].deadline > now ||
				events[i].fired > now ||
				events[i].fired < events[i].deadline;
	}
	return bad;
}

/* The number of events whose deadline is not that of their operation plus @from. */
static int misdated(const struct wheel_event *events,
		    const struct wheel_op *ops, __u64 from)
{
	int bad = 0;
	int i;

	for (i = 0; i < TIMERS; i++) {
		__u32 slot = WHEEL_ID_SLOT(events[i].id);

		bad += slot >= TIMERS ||
			events[i].deadline != from + ops[slot].when;
	}
	return bad;
}

WT_TEST(clock, p1_never_early_absolute)
{
	__u64 gen, now;

	for (gen = 1; gen <= ROUNDS; gen++) {
		now = wt_now(variant->clock);
		draw(self->ops, &self->seed, WHEEL_OP_ARM, gen, now);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, TIMERS));
		ASSERT_EQ(0, early(self->fd, variant->clock, self->events,
				   TIMERS));
		EXPECT_EQ(0, misdated(self->events, self->ops, 0));
	}
}

/* Relative deadlines count from the time of the call, which is not before the program's. */
WT_TEST(clock, p1_never_early_relative)
{
	struct wheel_submit batch;
	__u64 before, gen;
	int i;

	for (gen = 1; gen <= ROUNDS; gen++) {
		draw(self->ops, &self->seed, WHEEL_OP_ARM, gen, 0);
		for (i = 0; i < TIMERS; i++)
			self->ops[i].flags = WHEEL_OP_REL;
		before = wt_now(variant->clock);
		ASSERT_EQ(0, wt_submit(self->fd, self->ops, TIMERS, &batch));
		ASSERT_LE(before, batch.now);
		ASSERT_EQ(0, early(self->fd, variant->clock, self->events,
				   TIMERS));
		EXPECT_EQ(0, misdated(self->events, self->ops, batch.now));
	}
}

/* Deadlines on a tick boundary, and one nanosecond before and after it. */
WT_TEST(clock, p1_never_early_at_the_tick_edge)
{
	__u64 gen, edge;
	int i;

	for (gen = 1; gen <= ROUNDS; gen++) {
		edge = wt_boundary(wt_now(variant->clock), self->tick);
		for (i = 0; i < 30; i++)
			self->ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen),
					     edge + i / 3 * self->tick +
					     i % 3 - 1);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, 30));
		EXPECT_EQ(0, early(self->fd, variant->clock, self->events,
				   30));
	}
}

/* Timers are moved to later, earlier and past deadlines. */
WT_TEST(clock, p1_never_early_after_rearm)
{
	__u64 gen, now;

	for (gen = 1; gen <= ROUNDS; gen++) {
		now = wt_now(variant->clock);
		draw(self->ops, &self->seed, WHEEL_OP_ARM, gen, now + WT_HOUR);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, TIMERS));
		draw(self->ops, &self->seed, WHEEL_OP_REARM, gen,
		     now + 2 * WT_HOUR);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, TIMERS));
		draw(self->ops, &self->seed, WHEEL_OP_REARM, gen, now);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, TIMERS));
		ASSERT_EQ(0, early(self->fd, variant->clock, self->events,
				   TIMERS));
		EXPECT_EQ(0, misdated(self->events, self->ops, 0));
	}
}

/* Events of a periodic timer are never early, and their deadlines are on the grid. */
WT_TEST(clock, p1_never_early_periodic)
{
	__u64 start = wt_now(variant->clock) + WT_MS;
	__u64 period = 777777;
	__u64 last = 0;
	int i;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), start, period));
	for (i = 0; i < 15; i++) {
		__u64 deadline, now;

		ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
		now = wt_now(variant->clock);
		deadline = self->events[0].deadline;
		EXPECT_LE(deadline, now);
		EXPECT_LE(self->events[0].fired, now);
		EXPECT_EQ(0, (deadline - start) % period);
		EXPECT_LT(last, deadline);
		last = deadline;
	}
}

/* Slack only delays an expiry. */
WT_TEST(clock, p1_never_early_with_slack)
{
	__u64 gen, now;
	int i;

	for (gen = 1; gen <= ROUNDS; gen++) {
		now = wt_now(variant->clock);
		draw(self->ops, &self->seed, WHEEL_OP_ARM, gen, now);
		for (i = 0; i < TIMERS; i++)
			self->ops[i].slack = wt_below(&self->seed, 5 * WT_MS);
		ASSERT_EQ(0, wt_batch(self->fd, self->ops, TIMERS));
		ASSERT_EQ(0, early(self->fd, variant->clock, self->events,
				   TIMERS));
	}
}

TEST_HARNESS_MAIN
