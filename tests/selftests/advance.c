// SPDX-License-Identifier: GPL-2.0
/*
 * ADVANCE by several threads. When it returns, the events of all timers that are due by then can be
 * read.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"

struct mover {
	pthread_t thread;
	int fd;
	__u64 step;
	int ret;
};

static void *move(void *arg)
{
	struct mover *m = arg;
	int i;

	for (i = 0; i < 500; i++)
		m->ret |= wt_advance(m->fd, i * m->step, NULL);
	return NULL;
}

/* Several threads move the clock. It ends at the latest of their times. */
TEST(moved_by_threads)
{
	int fd = wt_open_virtual(1024, WT_MS), i;
	struct wheel_event events[1024];
	struct wheel_submit batch;
	struct mover movers[3];

	ASSERT_LE(0, fd);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(i, 1), (i + 1) * WT_MS));
	for (i = 0; i < 3; i++) {
		movers[i] = (struct mover){
			.fd = fd, .step = (i + 1) * WT_MS / 2,
		};
		ASSERT_EQ(0, pthread_create(&movers[i].thread, NULL, move,
					    &movers[i]));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(movers[i].thread, NULL));
		EXPECT_EQ(0, movers[i].ret);
	}
	ASSERT_EQ(0, wt_submit(fd, NULL, 0, &batch));
	EXPECT_EQ(499 * 3 * WT_MS / 2, batch.now);
	ASSERT_EQ(748, wt_read_all(fd, events, 1024, 1024));
	for (i = 0; i < 748; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), events[i].id);
	close(fd);
}

#define PENDING		4096
#define ADVANCES	100000
#define MOVERS		3

/* Advance in steps of @step, and count the calls whose @next is not later than their @now. */
static void *check_next(void *arg)
{
	struct wheel_advance advance = { .size = sizeof(advance) };
	struct mover *m = arg;
	int i;

	for (i = 0; i < ADVANCES; i++) {
		advance.now += m->step;
		if (wt_ioctl(m->fd, WHEEL_IOC_ADVANCE, &advance))
			return m;
		m->ret += advance.next <= advance.now;
	}
	return NULL;
}

/*
 * Several threads move the clock, and another one reads the events of 4096 periodic timers, which
 * arms them again. @now and @next of each call belong together: no timer is pending that is due by
 * @now.
 */
TEST(next_is_later_than_now)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), 1);
	int fd = wt_open_virtual(PENDING, 1), i;
	struct mover movers[MOVERS];
	void *failed;

	ASSERT_LE(0, fd);
	op.period = 7 * PENDING;
	for (i = 0; i < PENDING; i++, op.id++, op.when += 7)
		ASSERT_EQ(0, wt_do(fd, &op));
	for (i = 0; i < MOVERS; i++) {
		movers[i] = (struct mover){ .fd = fd, .step = 100 + 200 * i };
		ASSERT_EQ(0, pthread_create(&movers[i].thread, NULL, check_next, &movers[i]));
	}
	for (i = 0; i < MOVERS; i++) {
		struct wheel_event events[256];

		while (pthread_tryjoin_np(movers[i].thread, &failed))
			wt_read(fd, events, ARRAY_SIZE(events));
		EXPECT_EQ(NULL, failed);
		EXPECT_EQ(0, movers[i].ret);
	}
	close(fd);
}

TEST_HARNESS_MAIN
