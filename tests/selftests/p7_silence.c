// SPDX-License-Identifier: GPL-2.0
/*
 * P7: an idle wheel causes no wake-ups. There is none before the first timer is due, and at most
 * one for a cancelled earliest timer.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	256

FIXTURE(wheel) {
	int fd;
	__u64 now;
	struct wheel_setup setup;
	struct wheel_event event;
};

FIXTURE_VARIANT(wheel) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(wheel, hashed) { .scheme = WHEEL_HASHED, .tick = WT_MS };

FIXTURE_VARIANT_ADD(wheel, hashed_finest_tick) {
	.scheme = WHEEL_HASHED, .tick = WHEEL_MIN_TICK_NS,
};

FIXTURE_VARIANT_ADD(wheel, hierarchical) { .scheme = WHEEL_HIERARCHICAL, .tick = WT_MS };
FIXTURE_VARIANT_ADD(wheel, overflow) { .scheme = WHEEL_OVERFLOW, .tick = WT_MS };

FIXTURE_SETUP(wheel)
{
	self->setup = (struct wheel_setup){
		.scheme = variant->scheme, .tick_ns = variant->tick,
		.timers = TIMERS, .buckets = 64,
	};
	self->fd = wt_open_setup(O_NONBLOCK, &self->setup);
	ASSERT_LE(0, self->fd);
	self->now = wt_now(WHEEL_CLOCK_MONOTONIC);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static __u64 wakeups(int fd)
{
	struct wheel_stats stats;

	return wt_stats(fd, &stats) ? ~0ULL : stats.wakeups;
}

WT_TEST(wheel, p7_silence_of_an_empty_wheel)
{
	EXPECT_EQ(0, wakeups(self->fd));
	wt_let_pass(20 * WT_MS);
	EXPECT_EQ(0, wakeups(self->fd));
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* Timers many revolutions away, in every bucket. */
WT_TEST(wheel, p7_silence_of_far_timers)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1),
				    self->now + WT_HOUR + i * variant->tick));
	wt_let_pass(20 * WT_MS);
	EXPECT_EQ(0, wakeups(self->fd));
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* The counter works: an expiry is counted as a wake-up. */
WT_TEST(wheel, p7_silence_is_broken_by_what_is_due)
{
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), self->now + WT_HOUR));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(2, 1), self->now + 5 * WT_MS));
	ASSERT_EQ(1, wt_next(self->fd, &self->event));
	EXPECT_EQ(WHEEL_ID(2, 1), self->event.id);
	EXPECT_EQ(1, wakeups(self->fd));
	/* No wake-up follows. */
	wt_let_pass(30 * WT_MS);
	EXPECT_EQ(1, wakeups(self->fd));
}

/*
 * Arm @n timers that are due after @ahead, move them to one hour if @move is set, and cancel
 * them, in one call. Returns nonzero if it took so long that some of them expired.
 */
static int arm_and_cancel(int fd, int n, __u64 ahead, bool move)
{
	struct wheel_op ops[3 * 64];
	struct wheel_submit batch;
	int i, at = 0;

	for (i = 0; i < n; i++, at++) {
		ops[at] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1),
				ahead + i * WT_MS);
		ops[at].flags = WHEEL_OP_REL;
	}
	for (i = 0; move && i < n; i++, at++) {
		ops[at] = wt_op(WHEEL_OP_REARM, WHEEL_ID(i, 1), WT_HOUR);
		ops[at].flags = WHEEL_OP_REL;
	}
	for (i = 0; i < n; i++, at++)
		ops[at] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(i, 1), 0);
	return wt_submit(fd, ops, at, &batch) ?: (int)batch.failed;
}

/*
 * The same on a new wheel. Repeated with a longer delay if it took too long: some timers expired,
 * or the hrtimer was programmed for another timer while not all were cancelled.
 */
static int made_in_time(struct wheel_setup setup, int n, __u64 *ahead,
			bool move)
{
	int fd;

	for (*ahead = 20 * WT_MS; ; *ahead *= 2) {
		fd = wt_open_setup(O_NONBLOCK, &setup);
		if (fd < 0 ||
		    wt_arm(fd, WHEEL_ID(99, 1), wt_now(0) + WT_HOUR) ||
		    (!arm_and_cancel(fd, n, *ahead, move) && !wakeups(fd)))
			return fd;
		close(fd);
	}
}

WT_TEST(wheel, p7_silence_after_the_earliest_was_cancelled)
{
	__u64 ahead, count;
	int fd;

	fd = made_in_time(self->setup, 1, &ahead, false);
	ASSERT_LE(0, fd);
	wt_let_pass(2 * ahead);
	count = wakeups(fd);
	EXPECT_GE(1, count);
	wt_let_pass(20 * WT_MS);
	EXPECT_EQ(count, wakeups(fd));
}

/* Number of timers, and of the buckets that an interrupt examines to find the next expiry. */
#define CANCELLED	64
#define SEARCHED	16

/*
 * All timers are cancelled: one search for the next expiry in total, even if they were moved to one
 * hour before they were cancelled. It may take several interrupts, but wakes up no task.
 */
WT_TEST(wheel, p7_silence_after_all_were_cancelled)
{
	__u64 ahead;
	int fd, move;

	for (move = 0; move < 2; move++) {
		fd = made_in_time(self->setup, CANCELLED, &ahead, move);
		ASSERT_LE(0, fd);
		wt_let_pass(ahead + 80 * WT_MS);
		EXPECT_GE(1 + CANCELLED / SEARCHED, wakeups(fd));
		EXPECT_TRUE(wt_quiet(fd));
		close(fd);
	}
}

/* An unread event causes no work, even of a periodic timer. */
WT_TEST(wheel, p7_silence_of_unread_events)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), self->now,
				  variant->tick));
	ASSERT_LT(0, wt_wait(self->fd));
	wt_let_pass(30 * WT_MS);
	EXPECT_EQ(1, wakeups(self->fd));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_LT(10, self->event.overrun);
}

WT_TEST(wheel, p7_silence_of_a_stopped_wheel)
{
	__u64 unfired, count;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), self->now +
				  10 * WT_MS, WT_MS));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	wt_let_pass(20 * WT_MS);
	count = wakeups(self->fd);
	EXPECT_GE(1, count);
	wt_let_pass(20 * WT_MS);
	EXPECT_EQ(count, wakeups(self->fd));
}

TEST_HARNESS_MAIN
