// SPDX-License-Identifier: GPL-2.0
/*
 * LIST while a pass requeues timers: timers that stay pending are listed each time.
 */
#include <kselftest_harness.h>
#include <pthread.h>
#include <stdatomic.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	4096
#define ROUNDS	80
/* Number of levels that a timer descends per round. */
#define LEVELS	4

/* A round in which passes requeue all timers except the first. */
typedef int (*round_fn)(int fd, __u64 *words, __u64 round);

struct mover {
	pthread_t thread;
	int fd;
	__u64 *words;
	round_fn round;
	atomic_bool over;
};

FIXTURE(wheel) {
	struct mover mover;
	struct wheel_op listed[TIMERS];
	struct wheel_list list;
};

FIXTURE_VARIANT(wheel) {
	__u32 scheme;
	__u32 flags;
	round_fn round;
};

static int arm_all(int fd, __u64 when, __u32 flags)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), when);

	op.flags = flags;
	return wt_arm_like(fd, TIMERS - 1, op);
}

/* Move all timers except the first to a tick. */
static int move_up(int fd, __u64 tick)
{
	struct wheel_op ops[64];
	struct wheel_submit batch;
	int i, j, err = 0;

	for (i = 0; i < TIMERS && !err; i += 64) {
		for (j = 0; j < 64; j++)
			ops[j] = wt_op(WHEEL_OP_REARM, WHEEL_ID(i + j, 1), tick);
		err = wt_submit(fd, ops, 64, &batch) ?: (int)batch.failed - !i;
	}
	return err;
}

/* At the first tick of each bucket, timer 0 is due and the others descend one level. */
static int cascade(int fd, __u64 *words, __u64 round)
{
	struct wheel_event event;
	__u64 tick = round << 6 * LEVELS;
	int level;

	(void)words;
	if (move_up(fd, tick + (1 << 6 * LEVELS) - 1))
		return -1;
	for (level = LEVELS - 1; level >= 0; level--) {
		tick += 63 << 6 * level;
		if (wt_arm(fd, WHEEL_ID(0, LEVELS * (round + 1) - level), tick - !level) ||
		    wt_advance(fd, tick - !level, NULL) ||
		    wt_read(fd, &event, 1) != 1)
			return -1;
	}
	return 0;
}

/* Pushed timers are requeued by the pass. */
static int requeue(int fd, __u64 *words, __u64 round)
{
	int i;

	for (i = 1; i < TIMERS; i++)
		if (!wt_push(&words[i], round + 1))
			return -1;
	return wt_advance(fd, round, NULL);
}

FIXTURE_VARIANT_ADD(wheel, cascade) { .scheme = WHEEL_HIERARCHICAL, .round = cascade };

FIXTURE_VARIANT_ADD(wheel, pushed) {
	.scheme = WHEEL_HASHED, .flags = WHEEL_OP_WORD, .round = requeue,
};

FIXTURE_SETUP(wheel)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.timers = TIMERS, .tick_ns = 1, .flags = WHEEL_SETUP_WORDS,
	};
	struct mover *m = &self->mover;

	m->round = variant->round;
	m->fd = wt_open_setup(0, &setup);
	ASSERT_LE(0, m->fd);
	m->words = wt_map(m->fd, TIMERS);
	ASSERT_NE(NULL, m->words);
	ASSERT_EQ(0, arm_all(m->fd, 1, variant->flags));
}

FIXTURE_TEARDOWN(wheel)
{
	wt_close_words(self->mover.fd, TIMERS, self->mover.words);
}

static void *move(void *arg)
{
	struct mover *m = arg;
	__u64 round;
	int err = 0;

	for (round = 1; round <= ROUNDS && !err && !atomic_load(&m->over); round++)
		err = m->round(m->fd, m->words, round);
	atomic_store(&m->over, true);
	return err ? m : NULL;
}

WT_TEST(wheel, what_is_filed_anew_is_listed)
{
	struct mover *m = &self->mover;
	void *failed = m;

	ASSERT_EQ(0, pthread_create(&m->thread, NULL, move, m));
	do {
		self->list.cursor = 1;
		ASSERT_EQ(0, wt_list(m->fd, 0, self->listed, TIMERS, &self->list));
		EXPECT_EQ(TIMERS - 1, self->list.done);
	} while (self->list.done == TIMERS - 1 && !atomic_load(&m->over));
	atomic_store(&m->over, true);
	pthread_join(m->thread, &failed);
	EXPECT_EQ(NULL, failed);
}

TEST_HARNESS_MAIN
