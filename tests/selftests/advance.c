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

TEST_HARNESS_MAIN
