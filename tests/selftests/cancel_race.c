// SPDX-License-Identifier: GPL-2.0
/*
 * CANCEL beside a pass: the answer says where the event is. After 0 there is none, and
 * after ENOENT it is there to be read, not on its way.
 *
 * It shows that the two agree wherever chance has them meet. The wait that makes it so is
 * too short to be missed by chance: without it this was not seen to fail. That a flush waits
 * for a callback that runs is told by KUnit, which holds one: flush_waits_for_all.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "wheel_test.h"

#define TIMERS	64
#define ROUNDS	2000

/* Moves the clock by a tick as soon as a round begins. */
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

/* All that are armed are cancelled in one call. Returns how many had fired. */
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
