// SPDX-License-Identifier: GPL-2.0
/*
 * Timers with a word at the ABI level: words, doorbells, next_wake and the kick. The tests of
 * libwheel cover their life cycle on both of its backends.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	100000
#define SLOT	99999
#define ID	WHEEL_ID(SLOT, 1)

FIXTURE(word) {
	struct wt_areas areas;
};

FIXTURE_SETUP(word)
{
	const struct wheel_setup setup = { .timers = TIMERS };

	ASSERT_TRUE(wt_areas_open(&self->areas, &setup));
}

FIXTURE_TEARDOWN(word)
{
	wt_areas_close(&self->areas);
}

/* Timers that are parked and armed again before the next scan need no kick and are not counted. */
WT_TEST(word, most_timers_need_no_call)
{
	struct wt_areas *a = &self->areas;
	__u64 far = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_HOUR;
	__u64 next;
	int i;

	ASSERT_EQ(0, wt_arm_word(a->fd, ID, 0));
	EXPECT_EQ(1, wt_set_word(a, SLOT, WT_PARKED, far));
	next = a->kernel->next_wake;
	EXPECT_LT(far - WT_MS, next);
	EXPECT_GE(far, next);
	for (i = 1; i < 1000; i++) {
		ASSERT_TRUE(wt_park(&a->words[SLOT]));
		ASSERT_EQ(0, wt_set_word(a, SLOT, WT_PARKED, far + i));
	}
	EXPECT_EQ(next, a->kernel->next_wake);
	EXPECT_LEDGER(a->fd, .armed = 0);
}

/* Armed words cause no wake-up and no pass before the first is due. */
WT_TEST(word, p7_silence_of_armed_words)
{
	struct wt_areas *a = &self->areas;
	__u64 far = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_HOUR;
	struct wheel_stats before, after;
	int i, kicks = 0;

	for (i = 0; i < TIMERS; i++) {
		ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(i, 1), 0));
		kicks += wt_set_word(a, i, WT_PARKED, far + i);
	}
	EXPECT_EQ(1, kicks);
	ASSERT_EQ(0, wt_stats(a->fd, &before));
	wt_let_pass(100 * WT_MS);
	ASSERT_EQ(0, wt_stats(a->fd, &after));
	EXPECT_EQ(before.wakeups, after.wakeups);
	EXPECT_EQ(before.passes, after.passes);
	EXPECT_GE(1, after.wakeups);
}

/*
 * A timer that the scan of a pass finds is due at the tick of this pass, not at the next one. A
 * pass is in time if it begins within its tick, which is a second, so that a busy machine achieves
 * this. Each attempt uses a new file, so that only the kick has scanned the timer before. A bounded
 * wheel, whose range begins at the current tick, behaves in the same way.
 */
TEST(p2_due_at_the_tick_of_the_scan)
{
	static const __u32 schemes[] = { WHEEL_HASHED, WHEEL_BOUNDED };
	struct wheel_setup setup = { .timers = TIMERS, .tick_ns = WT_SEC };
	bool exact[2] = { false, false };
	struct wheel_event event;
	struct wt_areas areas;
	__u64 when;
	int i;

	for (i = 0; i < 10 && !(exact[0] && exact[1]); i++) {
		setup.scheme = schemes[i % 2];
		ASSERT_TRUE(wt_areas_open(&areas, &setup));
		ASSERT_EQ(0, wt_arm_word(areas.fd, ID, 0));
		when = wt_now(WHEEL_CLOCK_MONOTONIC) + 3 * WT_MS;
		ASSERT_EQ(1, wt_set_word(&areas, SLOT, WT_PARKED, when));
		ASSERT_EQ(1, wt_next(areas.fd, &event));
		EXPECT_LE(wt_boundary(when, WT_SEC), event.fired);
		exact[i % 2] |= event.fired < wt_boundary(when, WT_SEC) + WT_SEC;
		wt_areas_close(&areas);
	}
	EXPECT_TRUE(exact[0]);
	EXPECT_TRUE(exact[1]);
}

TEST_HARNESS_MAIN
