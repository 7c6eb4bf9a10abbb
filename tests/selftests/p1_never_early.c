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
	__u64 delays[TIMERS];
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

/* True for timers that are armed with a relative deadline. */
static bool is_relative(__u32 slot)
{
	return slot % 4 == 1;
}

/* True for timers that are armed for an hour later, and then moved. */
static bool is_moved(__u32 slot)
{
	return slot % 4 == 2;
}

/*
 * Arm all timers with random deadlines, which are stored relative to @now, and random slack.
 * Moved timers have no slack. Returns the deadline from which relative ones count, or 0.
 */
static __u64 arm_all(int fd, __u64 gen, __u64 now, __u64 *delays, __u64 *seed)
{
	struct wheel_op arms[TIMERS], moves[TIMERS];
	struct wheel_submit batch;
	__u32 i, moved = 0;
	__u64 from;

	for (i = 0; i < TIMERS; i++) {
		delays[i] = wt_below(seed, 3 * WT_MS);
		arms[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen), now + delays[i]);
		if (is_relative(i)) {
			arms[i].when = delays[i];
			arms[i].flags = WHEEL_OP_REL;
		}
		if (is_moved(i)) {
			arms[i].when = now + WT_HOUR;
			moves[moved++] = wt_op(WHEEL_OP_REARM, arms[i].id, now + delays[i]);
		}
		if (wt_below(seed, 2))
			arms[i].slack = wt_below(seed, 5 * WT_MS);
	}
	if (wt_submit(fd, arms, TIMERS, &batch) || batch.failed)
		return 0;
	from = batch.now;
	return wt_submit(fd, moves, moved, &batch) || batch.failed ? 0 : from;
}

/* Relative deadlines count from the time of the call, which is not before the program's. */
WT_TEST(clock, p1_never_early_at_random)
{
	__u64 gen, now, from;
	int i;

	for (gen = 1; gen <= ROUNDS; gen++) {
		now = wt_now(variant->clock);
		from = arm_all(self->fd, gen, now, self->delays, &self->seed);
		ASSERT_LE(now, from);
		ASSERT_EQ(0, early(self->fd, variant->clock, self->events, TIMERS));
		for (i = 0; i < TIMERS; i++) {
			__u32 slot = WHEEL_ID_SLOT(self->events[i].id);

			ASSERT_GT(TIMERS, slot);
			EXPECT_EQ((is_relative(slot) ? from : now) + self->delays[slot],
				  self->events[i].deadline);
		}
	}
}

TEST_HARNESS_MAIN
