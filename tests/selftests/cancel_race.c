// SPDX-License-Identifier: GPL-2.0
/*
 * CANCEL concurrent with a pass. After 0 no event follows. After ENOENT, the event can be
 * read immediately.
 *
 * A step of a pass delivers the timers that it expires before it releases the lock of the
 * file. This test shows that for random interleavings.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "wheel_test.h"

#define TIMERS	64
#define ROUNDS	2000

/* Advances the clock by one tick at the start of each round. */
struct mover {
	pthread_t thread;
	int fd;
	atomic_uint round;
};

FIXTURE(cancel) {
	struct mover mover;
	struct wheel_op ops[TIMERS];
	struct wheel_event events[TIMERS];
};

FIXTURE_SETUP(cancel)
{
	self->mover.fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->mover.fd);
	ASSERT_EQ(0, fcntl(self->mover.fd, F_SETFL, O_NONBLOCK));
}

FIXTURE_TEARDOWN(cancel)
{
	close(self->mover.fd);
}

static void *move(void *arg)
{
	struct mover *m = arg;
	unsigned int round;

	for (round = 1; round <= ROUNDS; round++) {
		while (atomic_load(&m->round) < round)
			sched_yield();
		if (wt_advance(m->fd, round * WT_MS, NULL))
			return m;
	}
	return NULL;
}

/* Cancel all timers in one call. Returns the number of timers that had expired. */
static int cancel_all(struct wheel_op *ops, int fd, __u64 gen)
{
	int i, fired = 0;

	for (i = 0; i < TIMERS; i++)
		ops[i] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(i, gen), 0);
	if (wt_batch(fd, ops, TIMERS))
		return -1;
	for (i = 0; i < TIMERS; i++)
		fired += ops[i].res == -ENOENT;
	return fired;
}

WT_TEST(cancel, p4_what_fired_is_there_to_be_read)
{
	struct mover *m = &self->mover;
	void *failed = m;
	int fired, lost = 0;
	unsigned int round;

	ASSERT_EQ(0, pthread_create(&m->thread, NULL, move, m));
	for (round = 1; round <= ROUNDS; round++) {
		ASSERT_EQ(0, wt_arm_many(m->fd, TIMERS, round, round * WT_MS));
		atomic_store(&m->round, round);
		fired = cancel_all(self->ops, m->fd, round);
		ASSERT_LE(0, fired);
		lost += fired != (fired ? wt_read(m->fd, self->events, TIMERS) : 0);
		EXPECT_TRUE(wt_quiet(m->fd));
		if (lost)
			break;
	}
	atomic_store(&m->round, ROUNDS);
	pthread_join(m->thread, &failed);
	EXPECT_EQ(NULL, failed);
	EXPECT_EQ(0, lost);
}

TEST_HARNESS_MAIN
