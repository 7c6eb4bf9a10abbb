// SPDX-License-Identifier: GPL-2.0
/*
 * The state table of touch words: each transition, on a virtual clock.
 */
#include <kselftest_harness.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	64
#define SLOT	7
#define ID	WHEEL_ID(SLOT, 1)
#define NEWER	WHEEL_ID(SLOT, 2)
#define D	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
	__u64 *words;
	__u64 *word;
	struct wheel_event event;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_words(TIMERS, WT_MS, &self->words);
	ASSERT_LE(0, self->fd);
	self->word = &self->words[SLOT];
}

FIXTURE_TEARDOWN(wheel)
{
	wt_close_words(self->fd, TIMERS, self->words);
}

#define EXPECT_QUIET_UNTIL(when) do { \
	ASSERT_EQ(0, wt_advance(self->fd, when, NULL)); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
} while (0)

/* Exactly one event, not before @when, with deadline @due; then the word is IDLE. */
#define EXPECT_FIRES(which, when, due) do { \
	const __u64 the_id = (which), the_time = (when); \
	\
	EXPECT_QUIET_UNTIL(the_time - 1); \
	ASSERT_EQ(0, wt_advance(self->fd, the_time, NULL)); \
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1)); \
	EXPECT_EQ(the_id, self->event.id); \
	EXPECT_EQ(~the_id, self->event.cookie); \
	EXPECT_EQ(due, self->event.deadline); \
	EXPECT_EQ(the_time, self->event.fired); \
	EXPECT_EQ(WT_OFF, wt_word(self->word)); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
} while (0)

WT_TEST(wheel, all_are_off_at_first)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(WT_OFF, wt_word(&self->words[i]));
}

WT_TEST(wheel, arm_writes_its_own_word_alone)
{
	int i;

	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D + 1));
	EXPECT_EQ(D + 1, wt_word(self->word));
	for (i = 0; i < TIMERS; i++)
		if (i != SLOT)
			EXPECT_EQ(WT_OFF, wt_word(&self->words[i]));
	EXPECT_LEDGER(self->fd, .armed = 1);
}

WT_TEST(wheel, armed_by_a_delay_it_has_a_time)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, ID, D);

	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	op.flags = WHEEL_OP_REL | WHEEL_OP_TOUCH;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	EXPECT_EQ(5 * WT_MS + D, wt_word(self->word));
}

WT_TEST(wheel, untouched_it_fires_at_its_time)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_FIRES(ID, D, D);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

WT_TEST(wheel, off_before_its_event_is_read)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_FALSE(wt_park(self->word));
	EXPECT_FALSE(wt_quiet(self->fd));
}

WT_TEST(wheel, cancel_is_off)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(0, wt_cancel(self->fd, ID));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_QUIET_UNTIL(WT_SEC);
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
}

/* The word 0 means parked, so deadline 0 is stored as 1. */
WT_TEST(wheel, deadline_0_is_1)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, 0));
	EXPECT_EQ(1, wt_word(self->word));
	EXPECT_FIRES(ID, WT_MS, 1);
}

WT_TEST(wheel, deadline_in_the_past)
{
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(D, wt_word(self->word));
	EXPECT_FIRES(ID, WT_SEC + WT_MS, D);
}

WT_TEST(wheel, touched_to_later_in_the_same_tick)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D + 1));
	ASSERT_TRUE(wt_touch(self->word, D + 2));
	EXPECT_FIRES(ID, D + WT_MS, D + 2);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

WT_TEST(wheel, touched_to_later)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_touch(self->word, WT_SEC + 1));
	EXPECT_FIRES(ID, WT_SEC + WT_MS, WT_SEC + 1);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .requeued = 1);
}

/* The kernel scans the timer once, at the old deadline. */
WT_TEST(wheel, touched_many_times)
{
	int i;

	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	for (i = 1; i <= 1000; i++)
		ASSERT_TRUE(wt_touch(self->word, D + i * WT_MS));
	EXPECT_FIRES(ID, D + 1000 * WT_MS, D + 1000 * WT_MS);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .requeued = 1);
}

/* An idle timeout that is postponed at each tick until it expires. */
WT_TEST(wheel, touched_at_every_tick)
{
	__u64 now;

	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	for (now = WT_MS; now <= 1000 * WT_MS; now += WT_MS) {
		EXPECT_QUIET_UNTIL(now);
		ASSERT_TRUE(wt_touch(self->word, now + D));
	}
	EXPECT_FIRES(ID, WT_SEC + D, WT_SEC + D);
	/* Scanned at 10, 19, 28 ms ...: each scan finds the deadline 9 ms later. */
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .requeued = 112);
}

WT_TEST(wheel, touched_to_earlier_is_seen_at_the_old_time)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_touch(self->word, WT_MS));
	EXPECT_FIRES(ID, D, WT_MS);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

WT_TEST(wheel, rearm_makes_earlier_sure)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(0, wt_rearm(self->fd, ID, 3 * WT_MS));
	EXPECT_EQ(3 * WT_MS, wt_word(self->word));
	EXPECT_FIRES(ID, 3 * WT_MS, 3 * WT_MS);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .rearmed = 1);
	EXPECT_QUIET_UNTIL(WT_SEC);
}

/* The timer expires at the last value of the word, not at the deadline it is queued for. */
WT_TEST(wheel, touched_to_and_fro)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_touch(self->word, WT_SEC));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	/* The timer is now queued for one second. */
	ASSERT_TRUE(wt_touch(self->word, 2 * D));
	ASSERT_TRUE(wt_touch(self->word, 2 * WT_SEC));
	EXPECT_FIRES(ID, 2 * WT_SEC, 2 * WT_SEC);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .requeued = 2);
}

WT_TEST(wheel, parked_has_no_event_ever)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_park(self->word));
	/* The kernel has not scanned the timer yet. */
	EXPECT_QUIET_UNTIL(D - 1);
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1);
	EXPECT_QUIET_UNTIL(D);
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
	EXPECT_QUIET_UNTIL(WT_HOUR);
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
}

WT_TEST(wheel, revived_before_the_old_time)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_park(self->word));
	EXPECT_QUIET_UNTIL(D - 1);
	ASSERT_TRUE(wt_revive(self->word, 2 * D + 1));
	EXPECT_FIRES(ID, 2 * D + WT_MS, 2 * D + 1);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .requeued = 1);
}

/* The common case, a request timeout: revived and parked without notifying the kernel. */
WT_TEST(wheel, parked_and_revived_many_times)
{
	__u64 now;

	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	for (now = WT_MS; now <= 100 * WT_MS; now += WT_MS) {
		ASSERT_TRUE(wt_park(self->word));
		ASSERT_TRUE(wt_revive(self->word, now + D));
		EXPECT_QUIET_UNTIL(now);
	}
	ASSERT_TRUE(wt_park(self->word));
	EXPECT_QUIET_UNTIL(WT_HOUR);
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1, .requeued = 10);
}

WT_TEST(wheel, revived_after_the_reclaim_it_is_not)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_park(self->word));
	EXPECT_QUIET_UNTIL(D);
	EXPECT_FALSE(wt_revive(self->word, 2 * D));
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_FIRES(NEWER, 2 * D, 2 * D);
	EXPECT_LEDGER(self->fd, .armed = 2, .fired = 1, .cancelled = 1);
}

/* Revived with an earlier deadline: the timer expires at the old one, as after a touch. */
WT_TEST(wheel, revived_for_earlier)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_park(self->word));
	ASSERT_TRUE(wt_revive(self->word, 2 * WT_MS));
	EXPECT_FIRES(ID, D, 2 * WT_MS);
}

WT_TEST(wheel, a_program_that_sets_bit_63_parks)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_touch(self->word, WT_OFF | 12345));
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
	EXPECT_QUIET_UNTIL(D);
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_FIRES(NEWER, 2 * D, 2 * D);
}

/* An invalid value: the timer is armed, so IDLE counts as parked. */
WT_TEST(wheel, a_program_that_writes_off_parks)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	wt_scribble(self->word, WT_OFF);
	EXPECT_QUIET_UNTIL(WT_SEC);
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, WT_SEC + D));
	EXPECT_FIRES(NEWER, WT_SEC + D, WT_SEC + D);
}

/* Writing a word does not arm a slot. */
WT_TEST(wheel, words_without_a_timer_mean_nothing)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		wt_scribble(&self->words[i], i * WT_MS);
	EXPECT_QUIET_UNTIL(WT_SEC);
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_LEDGER(self->fd, .armed = 0);
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, WT_SEC + D));
	EXPECT_EQ(WT_SEC + D, wt_word(self->word));
	EXPECT_FIRES(ID, WT_SEC + D, WT_SEC + D);
}

/* Changing the word does not change an event that has been queued. */
WT_TEST(wheel, words_of_unread_events_mean_nothing)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	wt_scribble(self->word, WT_SEC);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, NEWER, 2 * D));
	wt_scribble(self->word, WT_PARKED);
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, NEWER, 2 * D));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_SEC, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(ID, self->event.id);
	EXPECT_EQ(D, self->event.deadline);
	EXPECT_EQ(D, self->event.fired);
	EXPECT_TRUE(wt_quiet(self->fd));
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 3 * WT_SEC));
	EXPECT_FIRES(NEWER, 3 * WT_SEC, 3 * WT_SEC);
}

/* ARM fails if the word of a parked and reclaimed timer was overwritten. CANCEL frees the slot. */
WT_TEST(wheel, word_over_a_reclaimed_timer_holds_its_slot)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_park(self->word));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	wt_scribble(self->word, WT_SEC);
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_FIRES(NEWER, 2 * D, 2 * D);
}

/* A timer that was armed without WHEEL_OP_TOUCH ignores its word. */
WT_TEST(wheel, words_of_plain_timers_mean_nothing)
{
	ASSERT_EQ(0, wt_arm(self->fd, ID, D));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	wt_scribble(self->word, WT_PARKED);
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, NEWER, D));
	EXPECT_EQ(0, wt_query(self->fd, ID, NULL));
	EXPECT_QUIET_UNTIL(D - 1);
	wt_scribble(self->word, WT_SEC);
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(D, self->event.deadline);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

TEST_HARNESS_MAIN
