// SPDX-License-Identifier: GPL-2.0
/*
 * The results of operations on timers with touch words that are armed, touched, parked or
 * expired. A failed operation has no effect.
 */
#include <kselftest_harness.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	64
#define SLOT	7
#define ID	WHEEL_ID(SLOT, 5)
#define NEWER	WHEEL_ID(SLOT, 6)
#define OLDER	WHEEL_ID(SLOT, 4)
#define D	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
	__u64 *words;
	__u64 *word;
	__u64 when;
	__u64 unfired;
	struct wheel_stats stats;
	struct wheel_event event;
	struct wheel_op timers[TIMERS];
	struct wheel_list list;
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

#define ARM_AND_PARK() do { \
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D)); \
	ASSERT_TRUE(wt_park(self->word)); \
} while (0)

/* The parked timer was not reclaimed. */
#define EXPECT_STILL_PARKED() do { \
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats)); \
	EXPECT_EQ(1, self->stats.pending); \
	EXPECT_EQ(0, self->stats.cancelled); \
} while (0)

#define EXPECT_EVENT(which, due) do { \
	const __u64 the_time = (due); \
	\
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1)); \
	EXPECT_EQ(which, self->event.id); \
	EXPECT_EQ(the_time, self->event.deadline); \
	EXPECT_LE(the_time, self->event.fired); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
} while (0)

/* The timer can be revived and expires with its own id, because it was not reclaimed. */
#define EXPECT_REVIVES() do { \
	ASSERT_TRUE(wt_revive(self->word, 2 * D)); \
	ASSERT_EQ(0, wt_advance(self->fd, 2 * D - 1, NULL)); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
	ASSERT_EQ(0, wt_advance(self->fd, 2 * D, NULL)); \
	EXPECT_EVENT(ID, 2 * D); \
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats)); \
	EXPECT_EQ(1, self->stats.armed); \
	EXPECT_EQ(1, self->stats.fired); \
} while (0)

WT_TEST(wheel, arm_of_an_armed_one)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, ID, 2 * D));
	EXPECT_EQ(-EBUSY, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_EQ(-EBUSY, wt_arm(self->fd, NEWER, 2 * D));
	EXPECT_EQ(D, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1);
}

WT_TEST(wheel, arm_of_a_parked_one)
{
	ARM_AND_PARK();
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 3 * D));
	EXPECT_EQ(3 * D, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 2, .cancelled = 1);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * D - 1, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * D, NULL));
	EXPECT_EVENT(NEWER, 3 * D);
	EXPECT_LEDGER(self->fd, .armed = 2, .fired = 1, .cancelled = 1);
}

WT_TEST(wheel, arm_of_a_reclaimed_one)
{
	ARM_AND_PARK();
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	EXPECT_EQ(-ESTALE, wt_arm_touch(self->fd, ID, 3 * D));
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 3 * D));
	EXPECT_LEDGER(self->fd, .armed = 2, .cancelled = 1);
	ASSERT_EQ(0, wt_advance(self->fd, 3 * D, NULL));
	EXPECT_EVENT(NEWER, 3 * D);
}

/* Without WHEEL_OP_TOUCH, the slot now contains a plain timer. */
WT_TEST(wheel, plain_arm_of_a_parked_one)
{
	ARM_AND_PARK();
	EXPECT_EQ(0, wt_arm(self->fd, NEWER, 3 * D));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_FALSE(wt_revive(self->word, 2 * D));
	EXPECT_LEDGER(self->fd, .armed = 2, .cancelled = 1);
	ASSERT_EQ(0, wt_advance(self->fd, 3 * D, NULL));
	EXPECT_EVENT(NEWER, 3 * D);
}

WT_TEST(wheel, arm_of_a_stale_generation_reclaims_nothing)
{
	ARM_AND_PARK();
	EXPECT_EQ(-ESTALE, wt_arm_touch(self->fd, ID, 3 * D));
	EXPECT_EQ(-ESTALE, wt_arm_touch(self->fd, OLDER, 3 * D));
	EXPECT_EQ(-ESTALE, wt_arm(self->fd, OLDER, 3 * D));
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_STILL_PARKED();
	EXPECT_REVIVES();
}

/* A failed operation does not reclaim the parked timer that it would replace. */
WT_TEST(wheel, arm_that_fails_reclaims_nothing)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, NEWER, D);

	ARM_AND_PARK();
	op.flags = WHEEL_OP_TOUCH;
	op.period = WT_MS;
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	op.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	EXPECT_EQ(-ERANGE, wt_arm_touch(self->fd, NEWER, 1ULL << 63));
	EXPECT_EQ(-ERANGE, wt_arm(self->fd, NEWER, ~0ULL));
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_STILL_PARKED();
	EXPECT_REVIVES();
	/* The generation was not used up. */
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 3 * D));
}

WT_TEST(wheel, arm_with_garbage_in_the_word_of_a_parked_one)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	wt_scribble(self->word, WT_OFF | 1);
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 3 * D));
	EXPECT_EQ(3 * D, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 2, .cancelled = 1);
}

WT_TEST(wheel, rearm)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(-ENOENT, wt_rearm(self->fd, NEWER, WT_MS));
	EXPECT_EQ(-ENOENT, wt_rearm(self->fd, OLDER, WT_MS));
	EXPECT_EQ(D, wt_word(self->word));
	EXPECT_EQ(0, wt_rearm(self->fd, ID, 5 * D));
	EXPECT_EQ(5 * D, wt_word(self->word));
	/* This also applies to a touched timer. */
	ASSERT_TRUE(wt_touch(self->word, 9 * D));
	EXPECT_EQ(0, wt_rearm(self->fd, ID, 2 * D));
	EXPECT_EQ(2 * D, wt_word(self->word));
	EXPECT_EQ(-ERANGE, wt_rearm(self->fd, ID, 1ULL << 63));
	EXPECT_EQ(2 * D, wt_word(self->word));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * D, NULL));
	EXPECT_EVENT(ID, 2 * D);
	EXPECT_EQ(-ENOENT, wt_rearm(self->fd, ID, 9 * D));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
}

WT_TEST(wheel, rearm_to_0_is_1)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(0, wt_rearm(self->fd, ID, 0));
	EXPECT_EQ(1, wt_word(self->word));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EVENT(ID, 1);
}

WT_TEST(wheel, rearm_of_a_parked_one)
{
	ARM_AND_PARK();
	EXPECT_EQ(-ENOENT, wt_rearm(self->fd, ID, 3 * D));
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_STILL_PARKED();
	EXPECT_REVIVES();
}

WT_TEST(wheel, cancel_of_a_touched_one)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_TRUE(wt_touch(self->word, WT_HOUR));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, NEWER));
	EXPECT_EQ(WT_HOUR, wt_word(self->word));
	EXPECT_EQ(0, wt_cancel(self->fd, ID));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
}

/* CANCEL of a parked timer returns ENOENT, but frees the slot immediately. */
WT_TEST(wheel, cancel_of_a_parked_one)
{
	ARM_AND_PARK();
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, OLDER));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, NEWER));
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_STILL_PARKED();
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EQ(WT_OFF, wt_word(self->word));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_LEDGER(self->fd, .armed = 1, .cancelled = 1);
	EXPECT_FALSE(wt_revive(self->word, 2 * D));
	EXPECT_EQ(0, wt_arm_touch(self->fd, NEWER, 2 * D));
	EXPECT_LEDGER(self->fd, .armed = 2, .cancelled = 1);
}

WT_TEST(wheel, cancel_of_a_fired_one)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	ASSERT_EQ(0, wt_advance(self->fd, D, NULL));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_EVENT(ID, D);
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ID));
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1);
}

WT_TEST(wheel, query)
{
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
	ASSERT_EQ(0, wt_arm_touch(self->fd, ID, D));
	EXPECT_EQ(0, wt_query(self->fd, ID, &self->when));
	EXPECT_EQ(D, self->when);
	EXPECT_EQ(-ENOENT, wt_query(self->fd, NEWER, NULL));
	ASSERT_TRUE(wt_touch(self->word, 2 * D));
	EXPECT_EQ(0, wt_query(self->fd, ID, &self->when));
	EXPECT_EQ(2 * D, self->when);
	ASSERT_TRUE(wt_touch(self->word, 3));
	EXPECT_EQ(0, wt_query(self->fd, ID, &self->when));
	EXPECT_EQ(3, self->when);
	ASSERT_TRUE(wt_park(self->word));
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, &self->when));
	EXPECT_EQ(WT_PARKED, wt_word(self->word));
	EXPECT_REVIVES();
	EXPECT_EQ(-ENOENT, wt_query(self->fd, ID, NULL));
}

/* Slots 0 to 9: 0, 3, 6 and 9 parked, 1, 4 and 7 touched, 2, 5 and 8 untouched. */
static int arm_ten(int fd, __u64 *words)
{
	struct wheel_op op;
	int i;

	for (i = 0; i < 10; i++) {
		op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 5), D + i);
		op.flags = WHEEL_OP_TOUCH;
		op.slack = i;
		if (wt_do(fd, &op))
			return -1;
		if (i % 3 == 0 && !wt_park(&words[i]))
			return -1;
		if (i % 3 == 1 && !wt_touch(&words[i], WT_SEC + i))
			return -1;
	}
	return 0;
}

/* Check that the six armed timers of arm_ten() are listed, as operations that arm them. */
static bool lists_six(const struct wheel_op *timers)
{
	int i, n = 0;

	for (i = 0; i < 10; i++) {
		const struct wheel_op *t = &timers[n];

		if (i % 3 == 0)
			continue;
		if (t->op != WHEEL_OP_ARM || t->flags != WHEEL_OP_TOUCH ||
		    t->id != WHEEL_ID(i, 5) || t->slack != (__u64)i ||
		    t->when != (i % 3 == 1 ? WT_SEC : D) + i || t->period ||
		    t->cookie != ~t->id)
			return false;
		n++;
	}
	return n == 6;
}

WT_TEST(wheel, list)
{
	ASSERT_EQ(0, arm_ten(self->fd, self->words));
	ASSERT_EQ(0, wt_list(self->fd, 0, self->timers, TIMERS, &self->list));
	ASSERT_EQ(6, self->list.done);
	EXPECT_TRUE(lists_six(self->timers));
	/* LIST does not reclaim parked timers. */
	EXPECT_LEDGER(self->fd, .armed = 10);
	EXPECT_TRUE(wt_revive(&self->words[0], 2 * D));
}

/* LIST with one entry per call skips parked timers. */
WT_TEST(wheel, list_one_by_one)
{
	int n;

	ASSERT_EQ(0, arm_ten(self->fd, self->words));
	for (n = 0; n < 6; n++) {
		ASSERT_EQ(0, wt_list(self->fd, 0, &self->timers[n], 1,
				     &self->list));
		ASSERT_EQ(1, self->list.done);
	}
	EXPECT_TRUE(lists_six(self->timers));
	ASSERT_EQ(0, wt_list(self->fd, 0, self->timers, 1, &self->list));
	EXPECT_EQ(0, self->list.done);
}

WT_TEST(wheel, list_of_nothing_but_parked_ones)
{
	int i;

	for (i = 0; i < TIMERS; i++) {
		ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(i, 1), D));
		ASSERT_TRUE(wt_park(&self->words[i]));
	}
	ASSERT_EQ(0, wt_list(self->fd, 0, self->timers, TIMERS, &self->list));
	EXPECT_EQ(0, self->list.done);
}

TEST_HARNESS_MAIN
