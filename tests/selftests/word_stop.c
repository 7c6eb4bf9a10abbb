// SPDX-License-Identifier: GPL-2.0
/*
 * The end of wheels with words: after STOP, the words are not read again, and the listed
 * operations arm the same timers on another wheel.
 */
#include <kselftest_harness.h>
#include <pthread.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	300
#define D	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
	__u64 *words;
	__u64 unfired;
	struct wheel_stats stats;
	struct wheel_event event;
	struct wheel_op timers[TIMERS];
	struct wheel_list list;
};

/* One third each of the timers is parked, pushed and unchanged. */
FIXTURE_SETUP(wheel)
{
	int i;

	self->fd = wt_open_words(TIMERS, WT_MS, &self->words);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < TIMERS; i++) {
		ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(i, 1), D + i));
		if (i % 3 == 0)
			ASSERT_TRUE(wt_park(&self->words[i]));
		if (i % 3 == 1)
			ASSERT_TRUE(wt_push(&self->words[i], WT_SEC + i));
	}
}

FIXTURE_TEARDOWN(wheel)
{
	wt_close_words(self->fd, TIMERS, self->words);
}

#define PARKED	(TIMERS / 3)
#define ARMED	(TIMERS - PARKED)

static bool lists_armed(const struct wheel_op *timers)
{
	int i, n = 0;

	for (i = 0; i < TIMERS; i++) {
		const struct wheel_op *t = &timers[n];

		if (i % 3 == 0)
			continue;
		if (t->id != WHEEL_ID(i, 1) || t->flags != WHEEL_OP_WORD ||
		    t->when != (i % 3 == 1 ? WT_SEC : D) + i)
			return false;
		n++;
	}
	return true;
}

/* After STOP, changes of the words by the program have no effect. */
WT_TEST(wheel, stop_does_not_look_at_words_again)
{
	int i;

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	for (i = 0; i < TIMERS; i++)
		wt_scribble(&self->words[i], i % 2 ? WT_PARKED : 5 * WT_SEC);
	ASSERT_EQ(0, wt_list(self->fd, 0, self->timers, TIMERS, &self->list));
	ASSERT_EQ(ARMED, self->list.done);
	EXPECT_TRUE(lists_armed(self->timers));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(0, self->unfired);
	EXPECT_LEDGER(self->fd, .armed = TIMERS, .cancelled = TIMERS);
}

/* The listed operations arm the same timers on another wheel. */
WT_TEST(wheel, what_is_taken_arms_again)
{
	__u64 *words;
	__u32 i;
	int fd;

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	ASSERT_EQ(0, wt_list(self->fd, WHEEL_LIST_TAKE, self->timers, TIMERS,
			     &self->list));
	ASSERT_EQ(ARMED, self->list.done);
	fd = wt_open_words(TIMERS, WT_MS, &words);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_batch(fd, self->timers, self->list.done));
	for (i = 0; i < self->list.done; i++) {
		const struct wheel_op *t = &self->timers[i];

		EXPECT_EQ(0, t->res);
		EXPECT_EQ(t->when, wt_word(&words[WHEEL_ID_SLOT(t->id)]));
	}
	wt_close_words(fd, TIMERS, words);
}

/* So many that a STOP takes some time. */
#define MANY	65536

struct stop {
	int fd;
	pthread_t thread;
	int ret;
	__u64 unfired;
};

static void *stop_it(void *arg)
{
	struct stop *s = arg;

	s->ret = wt_stop(s->fd, &s->unfired);
	return NULL;
}

static int arm_many(int fd)
{
	static struct wheel_op ops[MANY];
	int i;

	for (i = 0; i < MANY; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), WT_HOUR);
		ops[i].flags = WHEEL_OP_WORD;
	}
	return wt_batch(fd, ops, MANY);
}

/* Arm and cancel timers until the wheel is stopped. Returns the number of cancelled ones. */
static int storm(int fd, __u64 *seed)
{
	static struct wheel_op ops[256];
	int cancelled = 0, shut = 0, i;

	while (!shut) {
		for (i = 0; i < 256; i++) {
			__u32 slot = wt_below(seed, MANY);

			ops[i] = wt_op(i % 4 ? WHEEL_OP_ARM : WHEEL_OP_CANCEL,
				       WHEEL_ID(slot, i % 4 ? 2 : 1), WT_HOUR);
			ops[i].flags = i % 4 ? WHEEL_OP_WORD : 0;
		}
		if (wt_batch(fd, ops, 256))
			return -1;
		for (i = 0; i < 256; i++) {
			cancelled += !(i % 4) && !ops[i].res;
			cancelled -= i % 4 && !ops[i].res;
			shut += ops[i].res == -ESHUTDOWN;
		}
	}
	return cancelled;
}

/* While STOP runs, the word of a slot may be IDLE although the slot is not free. */
WT_TEST(wheel, stop_while_others_arm_and_cancel)
{
	__u64 seed = wt_seed();
	struct stop stop = {};
	int round, gone;

	for (round = 0; round < 20; round++) {
		stop.fd = wt_open_virtual_words(MANY, WT_MS);
		ASSERT_LE(0, stop.fd);
		ASSERT_EQ(0, arm_many(stop.fd));
		ASSERT_EQ(0, pthread_create(&stop.thread, NULL, stop_it,
					    &stop));
		gone = storm(stop.fd, &seed);
		ASSERT_EQ(0, pthread_join(stop.thread, NULL));
		EXPECT_EQ(0, stop.ret);
		EXPECT_EQ(MANY - gone, stop.unfired);
		ASSERT_EQ(0, wt_stats(stop.fd, &self->stats));
		EXPECT_EQ(0, self->stats.pending);
		EXPECT_TRUE(wt_balanced(&self->stats));
		close(stop.fd);
	}
}

TEST_HARNESS_MAIN
