// SPDX-License-Identifier: GPL-2.0
/*
 * P5: events are ordered by due tick and, within a tick, by the order in which the timers were
 * armed. The steps of the clock do not change this order.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	10000
#define TICK	WT_MS

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
FIXTURE_VARIANT_ADD(scheme, hashed) { .scheme = WHEEL_HASHED, .timers = TIMERS, .buckets = 1 };

FIXTURE_VARIANT_ADD(scheme, hierarchical) {
	.scheme = WHEEL_HIERARCHICAL, .timers = TIMERS, .buckets = 0,
};

FIXTURE_VARIANT_ADD(scheme, bounded) {
	.scheme = WHEEL_BOUNDED, .timers = TIMERS, .buckets = 16384,
};

FIXTURE_VARIANT_ADD(scheme, overflow) { .scheme = WHEEL_OVERFLOW, .timers = 2000, .buckets = 256 };

FIXTURE_SETUP(scheme)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.timers = variant->timers, .buckets = variant->buckets,
		.tick_ns = TICK,
	};

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

TEST_HARNESS_MAIN
