// SPDX-License-Identifier: GPL-2.0
/*
 * P9, bounded work: 100,000 timers at one tick are processed in several passes, which block
 * neither other wheels nor other threads. interrupt_race.c uses a wheel during its passes.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "wheel_test.h"

#define MANY	100000
#define AHEAD	(200 * WT_MS)

struct beside {
	pthread_t thread;
	atomic_ulong turns;
	atomic_bool stop;
};

FIXTURE(wheel) {
	int fd;
	int other;
	struct wheel_op *ops;
	struct wheel_stats stats;
	struct wheel_event event;
	struct beside beside;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, MANY, WT_MS);
	self->other = wt_open_clock(WHEEL_CLOCK_MONOTONIC, 64, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->other);
	self->ops = calloc(MANY, sizeof(*self->ops));
	ASSERT_NE(NULL, self->ops);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
	close(self->other);
}

/* Arm @n timers for a far deadline, then move all of them to one tick. */
static int light(int fd, struct wheel_op *ops, int n, __u64 when)
{
	struct wheel_submit batch;
	int i;

	if (wt_arm_many(fd, n, 1, when + WT_HOUR))
		return -1;
	for (i = 0; i < n; i++)
		ops[i] = wt_op(WHEEL_OP_REARM, WHEEL_ID(i, 1), when);
	return wt_submit(fd, ops, n, &batch) ?: (int)batch.failed;
}

static void *spin(void *arg)
{
	struct beside *b = arg;

	while (!atomic_load(&b->stop))
		atomic_fetch_add(&b->turns, 1);
	return NULL;
}

/* Stop the thread after one more iteration. Returns NULL if it found no error. */
static void *end(struct beside *b)
{
	unsigned long before = atomic_load(&b->turns);
	void *failed = b;

	while (atomic_load(&b->turns) == before)
		if (!pthread_tryjoin_np(b->thread, &failed))
			return failed;
	atomic_store(&b->stop, true);
	pthread_join(b->thread, &failed);
	return failed;
}

/* Another file has timers at the same tick and a later one, and another thread runs. */
WT_TEST(wheel, p9_bounded_work_100000_on_one_tick)
{
	struct beside *b = &self->beside;
	__u64 when, before;
	int i;

	ASSERT_EQ(0, pthread_create(&b->thread, NULL, spin, b));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	before = self->stats.passes;
	when = wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD;
	ASSERT_EQ(0, wt_arm(self->other, WHEEL_ID(1, 1), when));
	ASSERT_EQ(0, wt_arm(self->other, WHEEL_ID(2, 1), when + 2 * WT_MS));
	ASSERT_EQ(0, light(self->fd, self->ops, MANY, when));
	for (i = 1; i <= 2; i++) {
		ASSERT_EQ(1, wt_read(self->other, &self->event, 1));
		EXPECT_EQ(WHEEL_ID(i, 1), self->event.id);
		EXPECT_LE(self->event.deadline, self->event.fired);
	}
	do {
		unsigned long turns = atomic_load(&b->turns);

		ASSERT_EQ(0, wt_run(self->fd));
		ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
		EXPECT_TRUE(wt_balanced(&self->stats));
		while (atomic_load(&b->turns) == turns)
			wt_let_pass(10 * WT_US);
	} while (self->stats.pending);
	EXPECT_EQ(NULL, end(b));
	EXPECT_EQ(MANY, self->stats.fired);
	EXPECT_EQ(MANY, self->stats.unread);
	/* More than one pass was needed. */
	EXPECT_LT(before + 10, self->stats.passes);
}

/* Repeated arms in the past cause no endless loop: other threads proceed. */
WT_TEST(wheel, p9_bounded_work_in_a_storm_of_the_past)
{
	struct beside *b = &self->beside;
	__u64 gen;
	int i;

	ASSERT_EQ(0, pthread_create(&b->thread, NULL, spin, b));
	for (gen = 1; gen <= 50; gen++) {
		unsigned long turns = atomic_load(&b->turns);

		ASSERT_EQ(0, wt_arm(self->other, WHEEL_ID(1, gen), 1));
		for (i = 0; i < 20; i++)
			wt_rearm(self->other, WHEEL_ID(1, gen), 1);
		ASSERT_EQ(1, wt_read(self->other, &self->event, 1));
		while (atomic_load(&b->turns) == turns)
			wt_let_pass(10 * WT_US);
	}
	EXPECT_EQ(NULL, end(b));
	ASSERT_EQ(0, wt_stats(self->other, &self->stats));
	EXPECT_EQ(50, self->stats.fired);
	EXPECT_GE(2 * 50, self->stats.wakeups);
}

TEST_HARNESS_MAIN
