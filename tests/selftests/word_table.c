// SPDX-License-Identifier: GPL-2.0
/*
 * Words that the random operations of contract.c do not use: those of slots without a timer, of
 * timers that have none, and of unread events; and slack.
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

/* A pushed timer keeps its slack. */
WT_TEST(wheel, slack_goes_on_from_the_word)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, ID, D);
	__u64 when = 123 * WT_MS + 1;

	op.flags = WHEEL_OP_WORD;
	op.slack = 7 * WT_MS;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_TRUE(wt_push(self->word, when));
	EXPECT_QUIET_UNTIL(when - 1);
	ASSERT_EQ(0, wt_advance(self->fd, when + op.slack, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(when, self->event.deadline);
	EXPECT_LE(when, self->event.fired);
}

/* With slack, a parked timer is dequeued no later than its old deadline plus the slack. */
WT_TEST(wheel, slack_and_parked)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, ID, D);

	op.flags = WHEEL_OP_WORD;
	op.slack = 50 * WT_MS;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_TRUE(wt_park(self->word));
	EXPECT_QUIET_UNTIL(D - 1);
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_QUIET_UNTIL(D + op.slack);
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
}

/* Writing a word does not arm a slot. */
WT_TEST(wheel, words_without_a_timer_are_ignored)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		wt_scribble(&self->words[i], i * WT_MS);
	EXPECT_QUIET_UNTIL(WT_SEC);
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_LEDGER(self->fd, .armed = 0);
	ASSERT_EQ(0, wt_arm_word(self->fd, ID, WT_SEC + D));
	EXPECT_EQ(WT_SEC + D, wt_word(self->word));
	EXPECT_FIRES(ID, WT_SEC + D, WT_SEC + D);
}

/* Changing the word does not change an event that has been queued. */
WT_TEST(wheel, words_of_unread_events_are_ignored)
{
	ASSERT_EQ(0, wt_arm_word(self->fd, ID, D));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	wt_scribble(self->word, WT_SEC);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(-EBUSY, wt_arm_word(self->fd, NEWER, 2 * D));
	wt_scribble(self->word, WT_PARKED);
	EXPECT_EQ(-EBUSY, wt_arm_word(self->fd, NEWER, 2 * D));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_SEC, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(ID, self->event.id);
	EXPECT_EQ(D, self->event.deadline);
	EXPECT_EQ(D, self->event.fired);
	EXPECT_TRUE(wt_quiet(self->fd));
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
	EXPECT_EQ(0, wt_arm_word(self->fd, NEWER, 3 * WT_SEC));
	EXPECT_FIRES(NEWER, 3 * WT_SEC, 3 * WT_SEC);
}

/* A timer that was armed without WHEEL_OP_WORD ignores its word. */
WT_TEST(wheel, words_of_timers_without_one_are_ignored)
{
	ASSERT_EQ(0, wt_arm(self->fd, ID, D));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	wt_scribble(self->word, WT_PARKED);
	EXPECT_EQ(-EBUSY, wt_arm_word(self->fd, NEWER, D));
	EXPECT_EQ(0, wt_query(self->fd, ID, NULL));
	EXPECT_QUIET_UNTIL(D - 1);
	wt_scribble(self->word, WT_SEC);
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(D, self->event.deadline);
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

TEST_HARNESS_MAIN
