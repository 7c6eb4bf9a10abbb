// SPDX-License-Identifier: GPL-2.0
/*
 * Touch words and a completion ring in one file: the program moves deadlines and takes events
 * without a system call.
 */
#include <kselftest_harness.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	256
#define ENTRIES	16

static int arm_touch_many(struct wt_loop *l, __u32 from, __u32 count, __u64 gen,
			  __u64 when)
{
	int ret = 0;

	for (; !ret && count; count--)
		ret = wt_arm_touch(l->ring.fd, WHEEL_ID(from++, gen), when);
	return ret;
}

FIXTURE(ring) {
	struct wt_loop loop;
	struct wheel_stats stats;
	struct wheel_op timers[TIMERS];
	struct wheel_list list;
	__u64 unfired;
};

/* The ring is full, and two more timers are due. */
FIXTURE_SETUP(ring)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = TIMERS, .events = ENTRIES,
	};
	struct wt_loop *l = &self->loop;

	ASSERT_TRUE(wt_loop_open(l, &setup));
	ASSERT_EQ(0, arm_touch_many(l, 0, ENTRIES + 2, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(l->ring.fd, WT_MS, NULL));
	ASSERT_EQ(ENTRIES, wt_loop_ready(l));
	ASSERT_TRUE(wt_loop_backlog(l));
}

FIXTURE_TEARDOWN(ring)
{
	wt_loop_unmap(&self->loop);
	close(self->loop.ring.fd);
}

/* The program can move a due timer until the ring has space for its event. */
WT_TEST(ring, p4_due_timer_without_room_follows_its_word)
{
	struct wt_loop *l = &self->loop;
	__u64 *word = &l->words[ENTRIES];

	EXPECT_EQ(WT_MS, wt_word(word));
	EXPECT_EQ(-EBUSY, wt_arm_touch(l->ring.fd, WHEEL_ID(ENTRIES, 2), WT_SEC));
	EXPECT_TRUE(wt_touch(word, WT_SEC));
	wt_loop_take(l, ENTRIES);
	ASSERT_EQ(0, wt_loop_enter(l, 0, 0));
	EXPECT_EQ(1, wt_loop_ready(l));
	EXPECT_EQ(WHEEL_ID(ENTRIES + 1, 1), wt_loop_next(l)->id);
	EXPECT_FALSE(wt_loop_backlog(l));
	wt_loop_take(l, 1);
	EXPECT_EQ(WT_SEC, wt_word(word));
	ASSERT_EQ(0, wt_advance(l->ring.fd, WT_SEC, NULL));
	ASSERT_EQ(1, wt_loop_ready(l));
	EXPECT_EQ(WHEEL_ID(ENTRIES, 1), wt_loop_next(l)->id);
	EXPECT_EQ(WT_OFF, wt_word(word));
}

/* Words are read when the ring has space: parked timers are reclaimed, moved ones requeued. */
WT_TEST(ring, p3_words_are_read_when_there_is_room)
{
	static const __u64 order[] = {
		WHEEL_ID(ENTRIES, 1), WHEEL_ID(ENTRIES + 1, 1), WHEEL_ID(102, 1),
		WHEEL_ID(101, 1),
	};
	struct wt_loop *l = &self->loop;
	unsigned int i;

	ASSERT_EQ(0, arm_touch_many(l, 100, 3, 1, 2 * WT_MS));
	ASSERT_TRUE(wt_park(&l->words[100]));
	ASSERT_TRUE(wt_touch(&l->words[101], 3 * WT_MS));
	ASSERT_EQ(0, wt_advance(l->ring.fd, 2 * WT_MS, NULL));
	ASSERT_EQ(0, wt_stats(l->ring.fd, &self->stats));
	EXPECT_EQ(5, self->stats.pending);
	wt_loop_take(l, ENTRIES);
	ASSERT_EQ(0, wt_loop_enter(l, 0, 0));
	ASSERT_EQ(0, wt_stats(l->ring.fd, &self->stats));
	EXPECT_EQ(1, self->stats.cancelled);
	EXPECT_EQ(1, self->stats.requeued);
	EXPECT_EQ(1, self->stats.pending);
	ASSERT_EQ(0, wt_advance(l->ring.fd, 3 * WT_MS, NULL));
	ASSERT_EQ(ARRAY_SIZE(order), wt_loop_ready(l));
	for (i = 0; i < ARRAY_SIZE(order); i++, wt_loop_take(l, 1))
		EXPECT_EQ(order[i], wt_loop_next(l)->id);
}

/* STOP returns all pending timers, including due ones. Published events can still be taken. */
WT_TEST(ring, p8_nothing_lost_by_stop)
{
	struct wt_loop *l = &self->loop;

	ASSERT_EQ(0, arm_touch_many(l, 100, 2, 1, 2 * WT_MS));
	ASSERT_TRUE(wt_park(&l->words[100]));
	ASSERT_TRUE(wt_touch(&l->words[101], WT_SEC));
	ASSERT_EQ(0, wt_stop(l->ring.fd, &self->unfired));
	EXPECT_EQ(3, self->unfired);
	EXPECT_EQ(WT_OFF, wt_word(&l->words[100]));
	EXPECT_EQ(WT_OFF, wt_word(&l->words[101]));
	EXPECT_FALSE(wt_loop_backlog(l));
	ASSERT_EQ(0, wt_list(l->ring.fd, 0, self->timers, TIMERS, &self->list));
	ASSERT_EQ(3, self->list.done);
	EXPECT_EQ(WHEEL_ID(ENTRIES, 1), self->timers[0].id);
	EXPECT_EQ(WHEEL_ID(101, 1), self->timers[2].id);
	EXPECT_EQ(WT_SEC, self->timers[2].when);
	EXPECT_EQ(0, wt_loop_enter(l, ENTRIES, WT_FOREVER));
	wt_loop_take(l, ENTRIES);
	EXPECT_EQ(-ESHUTDOWN, wt_loop_enter(l, 1, WT_FOREVER));
	ASSERT_EQ(0, wt_stats(l->ring.fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
	EXPECT_EQ(ENTRIES, self->stats.fired);
	EXPECT_EQ(4, self->stats.cancelled);
	EXPECT_EQ(0, self->stats.unread);
}

TEST_HARNESS_MAIN
