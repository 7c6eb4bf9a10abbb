// SPDX-License-Identifier: GPL-2.0
/*
 * Periodic timers: the grid of the first deadline is kept, one event counts all missed
 * periods, and a timer whose event is unread causes no work.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define ID	WHEEL_ID(3, 1)
#define NONE	(~0ULL)

FIXTURE(wheel) {
	int fd;
	struct wheel_event event;
	struct wheel_stats stats;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(1024, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* Read the only event. Check its deadline and the number of missed periods. */
#define EXPECT_EVENT(due, missed) do { \
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1)); \
	EXPECT_EQ(due, self->event.deadline); \
	EXPECT_EQ(missed, self->event.overrun); \
	EXPECT_EQ(-EAGAIN, wt_read(self->fd, &self->event, 1)); \
} while (0)

WT_TEST(wheel, one_event_a_period)
{
	__u64 i, next;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 7 * WT_MS));
	for (i = 0; i < 50; i++) {
		__u64 due = (10 + 7 * i) * WT_MS;

		ASSERT_EQ(0, wt_advance(self->fd, due - 1, &next));
		EXPECT_EQ(due, next);
		EXPECT_TRUE(wt_quiet(self->fd));
		ASSERT_EQ(0, wt_advance(self->fd, due, &next));
		/* The timer is pending again only after its event was read. */
		EXPECT_EQ(NONE, next);
		ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
		EXPECT_EQ(ID, self->event.id);
		EXPECT_EQ(~ID, self->event.cookie);
		EXPECT_EQ(due, self->event.deadline);
		EXPECT_EQ(due, self->event.fired);
		EXPECT_EQ(0, self->event.overrun);
		EXPECT_EQ(i, self->event.seq);
	}
}

/* A period that is not a multiple of the tick is kept to the nanosecond. */
WT_TEST(wheel, phase_is_kept_to_the_nanosecond)
{
	__u64 start = 3333333, period = 1234567, i, next;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, start, period));
	for (i = 0; i < 200; i++) {
		__u64 due = start + i * period;

		ASSERT_EQ(0, wt_advance(self->fd, 0, &next));
		EXPECT_EQ(wt_boundary(due, WT_MS), next);
		ASSERT_EQ(0, wt_advance(self->fd, next, NULL));
		EXPECT_EVENT(due, 0);
	}
}

/* A late reader does not change the deadlines of later periods. */
WT_TEST(wheel, phase_is_kept_by_a_late_reader)
{
	__u64 seed = wt_seed(), start = 5 * WT_MS, period = 10 * WT_MS;
	__u64 now = 0, seen = 0, at;
	int i;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, start, period));
	for (i = 0; i < 200; i++) {
		now += wt_below(&seed, 5 * period);
		ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
		if (wt_read(self->fd, &self->event, 1) != 1)
			continue;
		at = (self->event.deadline - start) / period;
		EXPECT_EQ(start + at * period, self->event.deadline);
		EXPECT_LE(self->event.deadline, now);
		EXPECT_GT(self->event.deadline + period, now);
		/* Each deadline of the grid is reported or counted as missed exactly once. */
		seen += 1 + self->event.overrun;
		EXPECT_EQ(at + 1, seen);
	}
}

/* An event reports the newest deadline that is due when it is read. */
WT_TEST(wheel, overrun_up_to_the_read)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 10 * WT_MS, NULL));
	ASSERT_EQ(0, wt_advance(self->fd, 39 * WT_MS, NULL));
	EXPECT_EVENT(30 * WT_MS, 2);
	ASSERT_EQ(0, wt_advance(self->fd, 40 * WT_MS - 1, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, wt_advance(self->fd, 40 * WT_MS, NULL));
	EXPECT_EVENT(40 * WT_MS, 0);
}

/* If the event is read late, @fired is not before the newer @deadline that it reports. */
WT_TEST(wheel, p1_never_early_however_late_the_reader)
{
	struct wheel_event event;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(0, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(5 * WT_MS, event.deadline);
	EXPECT_LE(event.deadline, event.fired);
}

WT_TEST(wheel, overrun_in_one_step)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 105 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(100 * WT_MS, self->event.deadline);
	EXPECT_EQ(9, self->event.overrun);
	EXPECT_EQ(105 * WT_MS, self->event.fired);
	ASSERT_EQ(0, wt_advance(self->fd, 106 * WT_MS, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* Counters do not overflow; compare CVE-2018-12896. */
WT_TEST(wheel, overrun_by_the_billion)
{
	static const __u64 ends[] = {
		1ULL << 31, 1ULL << 32, 3ULL << 32, 1ULL << 62,
	};
	unsigned int i;
	__u64 seen = 0;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 1, 1));
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		ASSERT_EQ(0, wt_advance(self->fd, ends[i], NULL));
		EXPECT_EVENT(ends[i], ends[i] - seen - 1);
		seen = ends[i];
	}
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(ARRAY_SIZE(ends), self->stats.fired);
	EXPECT_EQ(seen - ARRAY_SIZE(ends), self->stats.overruns);
}

/* A first deadline far in the past: all periods since then are counted. */
WT_TEST(wheel, overrun_from_the_past)
{
	__u64 now = 1000 * WT_HOUR + 1;

	ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 7, 10));
	ASSERT_EQ(0, wt_advance(self->fd, now + WT_MS, NULL));
	now = (now + WT_MS - 7) / 10;
	EXPECT_EVENT(7 + now * 10, now);
}

/* A period longer than the remaining time of the clock. */
WT_TEST(wheel, period_to_the_end_of_the_clock)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, ID, WT_MS, WHEEL_MAX_TIME - WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EVENT(WT_MS, 0);
	ASSERT_EQ(0, wt_advance(self->fd, WHEEL_MAX_TIME - 1, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
}

/* QUERY returns the next deadline. CANCEL of the pending timer is final. */
WT_TEST(wheel, cancel_between_two_periods)
{
	__u64 when;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 10 * WT_MS, NULL));
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, &when));
	EXPECT_EVENT(10 * WT_MS, 0);
	ASSERT_EQ(0, wt_query(self->fd, ID, &when));
	EXPECT_EQ(20 * WT_MS, when);
	ASSERT_EQ(0, wt_cancel(self->fd, ID));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	EXPECT_EQ(0, wt_arm(self->fd, ID + (1ULL << WHEEL_SLOT_BITS), WT_HOUR));
}

/* With an unread event, CANCEL returns 1 once, then ENOENT, and one event is read. */
WT_TEST(wheel, cancel_with_an_event_unread)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 35 * WT_MS, NULL));
	EXPECT_EQ(1, wt_cancel(self->fd, ID));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EVENT(30 * WT_MS, 2);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(1, self->stats.armed);
	EXPECT_EQ(1, self->stats.fired);
}

/* The clock advances after CANCEL: one event is read, and its deadline is on the grid. */
WT_TEST(wheel, cancel_and_read_later)
{
	__u64 deadline;

	ASSERT_EQ(0, wt_arm_every(self->fd, ID, 10 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 10 * WT_MS, NULL));
	EXPECT_EQ(1, wt_cancel(self->fd, ID));
	ASSERT_EQ(0, wt_advance(self->fd, 55 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	deadline = self->event.deadline;
	EXPECT_EQ(0, deadline % (10 * WT_MS));
	EXPECT_EQ(deadline / (10 * WT_MS) - 1, self->event.overrun);
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* Many timers with different periods: all counts are exact. */
WT_TEST(wheel, a_thousand_periods)
{
	static __u64 points[1000];
	__u64 seed = wt_seed(), now = 0, due;
	int i, step;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(i, 1),
					  (i + 1) * WT_US, (i + 1) * 10007));
	for (step = 0; step < 20; step++) {
		now += wt_below(&seed, 50 * WT_MS);
		ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
		while (wt_read(self->fd, &self->event, 1) == 1) {
			i = WHEEL_ID_SLOT(self->event.id);
			ASSERT_GT(1000, i);
			points[i] += 1 + self->event.overrun;
			due = (i + 1) * WT_US +
				(points[i] - 1) * (i + 1) * 10007;
			ASSERT_EQ(due, self->event.deadline);
			ASSERT_LE(due, now);
		}
	}
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(1000, self->stats.pending);
	EXPECT_EQ(self->stats.fired + 1000, self->stats.armed);
}

/* With the shortest period, a timer expires only as often as its events are read. */
TEST(shortest_period_on_a_running_clock)
{
	int fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, 64, WHEEL_MIN_TICK_NS);
	__u64 start = wt_now(WHEEL_CLOCK_MONOTONIC);
	struct wheel_event event;
	struct wheel_stats stats;
	__u64 points = 0;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_arm_every(fd, ID, start, 1));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(1, wt_read(fd, &event, 1));
		points += 1 + event.overrun;
		EXPECT_EQ(start + points - 1, event.deadline);
		EXPECT_LE(event.deadline, wt_now(WHEEL_CLOCK_MONOTONIC));
	}
	ASSERT_EQ(0, wt_stats(fd, &stats));
	EXPECT_EQ(points - 100, stats.overruns);
	EXPECT_GE(101, stats.wakeups);
	close(fd);
}

#define SLOTS	64

/* Read two events, each @late ns late. Returns 0 if the timer remains pending, or an errno. */
static int goes_on(int fd, __u64 *now, __u64 id, __u64 period, __u64 late)
{
	__u64 when = *now + WT_MS;
	struct wheel_event event;
	int ret = wt_arm_every(fd, id, when, period);
	int i;

	for (i = 0; i < 2 && !ret; i++) {
		*now = wt_boundary(when, WT_MS) + late;
		ret = wt_advance(fd, *now, NULL);
		if (!ret && wt_read(fd, &event, 1) != 1)
			return -EIO;
		ret = ret ?: wt_query(fd, id, &when);
	}
	return ret ?: wt_cancel(fd, id);
}

/* A bounded wheel rejects a period that is too long to be queued again. */
TEST(goes_on_or_is_refused_on_a_bounded_wheel)
{
	static const __u64 lates[] = { 0, 1, WT_MS / 3, 63 * WT_MS + 7, WT_SEC };
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = WHEEL_BOUNDED,
		.timers = SLOTS, .buckets = SLOTS, .tick_ns = WT_MS,
	};
	int fd = wt_open_setup(O_NONBLOCK, &setup);
	__u64 longest = (SLOTS - 1) * WT_MS, now = 0, gen = 0, period;
	unsigned int i;

	ASSERT_LE(0, fd);
	for (period = longest - WT_MS; period < longest + 3 * WT_MS; period += WT_MS / 4)
		for (i = 0; i < ARRAY_SIZE(lates); i++)
			EXPECT_EQ(period > longest ? -ERANGE : 0,
				  goes_on(fd, &now, WHEEL_ID(1, ++gen), period,
					  lates[i]));
	close(fd);
}

TEST_HARNESS_MAIN
