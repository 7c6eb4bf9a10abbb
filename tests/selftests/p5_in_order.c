// SPDX-License-Identifier: GPL-2.0
/*
 * P5: events are ordered by due tick and, within a tick, by the order in which the timers were
 * armed. The steps of the clock do not change this order.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	10000
#define BURST	100000
#define TICK	WT_MS
#define NONE	(~0ULL)

/* The expected state of a timer: due tick, number of its arm, and id. */
struct shadow {
	__u64 due;
	__u64 nr;
	__u64 id;
};

FIXTURE(scheme) {
	int fd;
	__u32 timers;
	__u64 seed;
	__u64 nr;
	struct shadow *shadow;
	struct wheel_event *events;
};

FIXTURE_VARIANT(scheme) {
	__u32 scheme;
	__u32 timers;
	__u32 buckets;
};

/* The deadlines below span ten revolutions of a ring of 512 buckets. */
FIXTURE_VARIANT_ADD(scheme, hashed) {
	.scheme = WHEEL_HASHED, .timers = TIMERS, .buckets = 1,
};

FIXTURE_VARIANT_ADD(scheme, hierarchical) {
	.scheme = WHEEL_HIERARCHICAL, .timers = TIMERS, .buckets = 0,
};

FIXTURE_VARIANT_ADD(scheme, bounded) {
	.scheme = WHEEL_BOUNDED, .timers = TIMERS, .buckets = 16384,
};

FIXTURE_VARIANT_ADD(scheme, overflow) {
	.scheme = WHEEL_OVERFLOW, .timers = 2000, .buckets = 256,
};

FIXTURE_SETUP(scheme)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.timers = variant->timers, .buckets = variant->buckets,
		.tick_ns = TICK,
	};

	if (!(wt_features() & WHEEL_HAS_SCHEME(variant->scheme)))
		SKIP(return, "the module has no such scheme");
	self->seed = wt_seed();
	self->timers = variant->timers;
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
	self->shadow = calloc(self->timers, sizeof(*self->shadow));
	self->events = calloc(self->timers, sizeof(*self->events));
	ASSERT_NE(NULL, self->shadow);
	ASSERT_NE(NULL, self->events);
}

FIXTURE_TEARDOWN(scheme)
{
	close(self->fd);
}

static int by_due(const void *a, const void *b)
{
	const struct shadow *x = a, *y = b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Arm all slots in random order, for random deadlines within @ticks ticks after @base. */
static int arm_all(int fd, struct shadow *shadow, __u32 n, __u64 base,
		   __u64 ticks, __u64 *seed)
{
	__u32 step = 2 * wt_below(seed, n / 2) + 1;
	__u32 slot = wt_below(seed, n);
	struct wheel_op *ops = calloc(n, sizeof(*ops));
	struct wheel_submit batch;
	__u64 when;
	__u32 i;

	/* The number of slots is 2^a * 5^b, so such a step reaches all of them. */
	while (step % 5 == 0)
		step += 2;
	for (i = 0; i < n; i++, slot = (slot + step) % n) {
		when = base + wt_below(seed, ticks * TICK);
		shadow[slot].id = WHEEL_ID(slot, 1);
		shadow[slot].due = wt_boundary(when, TICK);
		shadow[slot].nr = i;
		ops[i] = wt_op(WHEEL_OP_ARM, shadow[slot].id, when);
	}
	if (wt_submit(fd, ops, n, &batch) || batch.failed)
		return -1;
	free(ops);
	return 0;
}

/* The index of the first event that is out of order, or -1. */
static int misplaced(const struct shadow *shadow, int n,
		     const struct wheel_event *events)
{
	int i;

	for (i = 0; i < n; i++)
		if (events[i].id != shadow[i].id || events[i].seq != (__u32)i)
			return i;
	return -1;
}

WT_TEST(scheme, p5_in_order_in_one_step)
{
	int n = self->timers;

	ASSERT_EQ(0, arm_all(self->fd, self->shadow, n, TICK, 5000,
			     &self->seed));
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR, NULL));
	ASSERT_EQ(n, wt_read_all(self->fd, self->events, n, n));
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	EXPECT_EQ(-1, misplaced(self->shadow, n, self->events));
}

WT_TEST(scheme, p5_in_order_tick_by_tick)
{
	int n = self->timers;
	__u64 next;

	ASSERT_EQ(0, arm_all(self->fd, self->shadow, n, TICK, 1000,
			     &self->seed));
	ASSERT_EQ(0, wt_advance(self->fd, 0, &next));
	while (next != NONE)
		ASSERT_EQ(0, wt_advance(self->fd, next, &next));
	ASSERT_EQ(n, wt_read_all(self->fd, self->events, n, n));
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	EXPECT_EQ(-1, misplaced(self->shadow, n, self->events));
}

WT_TEST(scheme, p5_in_order_in_random_steps)
{
	int n = self->timers;
	__u64 now = 0;

	ASSERT_EQ(0, arm_all(self->fd, self->shadow, n, TICK, 5000,
			     &self->seed));
	while (now < 5002 * TICK) {
		now += wt_below(&self->seed, 300 * TICK);
		ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
	}
	ASSERT_EQ(n, wt_read_all(self->fd, self->events, n, n));
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	EXPECT_EQ(-1, misplaced(self->shadow, n, self->events));
}

/*
 * Timers for the same tick that are armed at different times: the first ones were queued
 * when the tick was far in the future.
 */
WT_TEST(scheme, p5_in_order_armed_from_far_and_near)
{
	int n = self->timers / 20 * 20;
	__u64 now = 0, when;
	int i;

	for (i = 0; i < n; i++) {
		/* The clock moves closer twenty times. */
		if (i % (n / 20) == 0) {
			now += (5000 * TICK - now) / 3;
			ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
		}
		when = 5000 * TICK + wt_below(&self->seed, 3) * TICK;
		self->shadow[i].id = WHEEL_ID(i, 1);
		self->shadow[i].due = when;
		self->shadow[i].nr = i;
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), when));
	}
	ASSERT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, wt_advance(self->fd, 5002 * TICK, NULL));
	ASSERT_EQ(n, wt_read_all(self->fd, self->events, n, n));
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	EXPECT_EQ(-1, misplaced(self->shadow, n, self->events));
}

/* A timer that is moved to another tick expires after the timers already queued there. */
WT_TEST(scheme, p5_in_order_after_rearm_and_cancel)
{
	int n = self->timers, left, i;
	__u64 nr = n, when;

	ASSERT_EQ(0, arm_all(self->fd, self->shadow, n, TICK, 1000,
			     &self->seed));
	for (i = 0; i < n; i++) {
		__u64 slot = wt_below(&self->seed, n);
		struct shadow *s = &self->shadow[slot];

		if (s->due == NONE)
			continue;
		if (i % 4 == 0) {
			ASSERT_EQ(0, wt_cancel(self->fd, s->id));
			s->due = NONE;
			continue;
		}
		do
			when = TICK + wt_below(&self->seed, 1000 * TICK);
		while (wt_boundary(when, TICK) == s->due);
		ASSERT_EQ(0, wt_rearm(self->fd, s->id, when));
		s->due = wt_boundary(when, TICK);
		s->nr = nr++;
	}
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	for (left = 0; left < n && self->shadow[left].due != NONE; left++)
		;
	ASSERT_GT(n, left);
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR, NULL));
	ASSERT_EQ(left, wt_read_all(self->fd, self->events, n, n));
	EXPECT_EQ(-1, misplaced(self->shadow, left, self->events));
}

/* Different deadlines within a tick, or in the past, do not change the order. */
WT_TEST(scheme, p5_in_order_within_a_tick)
{
	int n = self->timers, i;

	ASSERT_EQ(0, wt_advance(self->fd, 100 * TICK + 1, NULL));
	for (i = 0; i < n; i++) {
		self->shadow[i].id = WHEEL_ID(i, 1);
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1),
				    101 * TICK -
				    wt_below(&self->seed, 50 * TICK)));
	}
	ASSERT_EQ(0, wt_advance(self->fd, 101 * TICK, NULL));
	ASSERT_EQ(n, wt_read_all(self->fd, self->events, n, n));
	EXPECT_EQ(-1, misplaced(self->shadow, n, self->events));
}

/* All timers are in one bucket, in different revolutions: no empty bucket can be skipped. */
WT_TEST(scheme, p5_in_order_in_one_slot)
{
	__u64 round = 16384 * TICK, slot, next, at = 0;
	int n = 500, i;

	if (variant->scheme == WHEEL_BOUNDED)
		round = TICK;
	for (i = 0; i < n; i++) {
		slot = (i * 77) % n;
		self->shadow[i].id = WHEEL_ID(slot, 1);
		self->shadow[i].due = (slot + 1) * round;
		self->shadow[i].nr = i;
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(slot, 1),
				    (slot + 1) * round));
	}
	qsort(self->shadow, n, sizeof(*self->shadow), by_due);
	ASSERT_EQ(0, wt_advance(self->fd, 0, &next));
	for (i = 0; i < n / 2; i++) {
		at += round;
		ASSERT_EQ(at, next);
		ASSERT_EQ(0, wt_advance(self->fd, at, &next));
	}
	ASSERT_EQ(n / 2, wt_read_all(self->fd, self->events, n, n));
	EXPECT_EQ(-1, misplaced(self->shadow, n / 2, self->events));
	ASSERT_EQ(0, wt_advance(self->fd, n * round, &next));
	EXPECT_EQ(NONE, next);
	ASSERT_EQ(n / 2, wt_read_all(self->fd, self->events, n, n));
	for (i = 0; i < n / 2; i++)
		EXPECT_EQ(self->shadow[n / 2 + i].id, self->events[i].id);
}

FIXTURE(burst) {
	int fd;
	struct wheel_event *events;
};

FIXTURE_SETUP(burst)
{
	self->fd = wt_open_virtual(BURST, TICK);
	ASSERT_LE(0, self->fd);
	self->events = calloc(BURST, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
}

FIXTURE_TEARDOWN(burst)
{
	close(self->fd);
}

WT_TEST(burst, p5_in_order_100000_on_one_tick)
{
	int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, BURST, 1, 77 * TICK));
	ASSERT_EQ(0, wt_advance(self->fd, 77 * TICK, NULL));
	ASSERT_EQ(BURST, wt_read_all(self->fd, self->events, BURST, BURST));
	for (i = 0; i < BURST; i++) {
		ASSERT_EQ(WHEEL_ID(i, 1), self->events[i].id);
		ASSERT_EQ(i, self->events[i].seq);
		ASSERT_EQ(77 * TICK, self->events[i].fired);
	}
	EXPECT_TRUE(wt_quiet(self->fd));
}

TEST_HARNESS_MAIN
