// SPDX-License-Identifier: GPL-2.0
/*
 * ADVANCE by several threads. When it returns, the events of all timers that are due by then can be
 * read.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"
#include "wheel_words.h"

struct mover {
	pthread_t thread;
	int fd;
	__u64 step;
	int ret;
	int due;
};

/* Move the clock in steps. Count the calls that report an expiry which is not in the future. */
static void *move(void *arg)
{
	struct wheel_advance advance;
	struct mover *m = arg;
	int i;

	for (i = 0; i < 500; i++) {
		advance = (struct wheel_advance){ .size = sizeof(advance), .now = i * m->step };
		m->ret |= wt_ioctl(m->fd, WHEEL_IOC_ADVANCE, &advance);
		m->due += advance.next <= advance.now;
	}
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
		EXPECT_EQ(0, movers[i].due);
	}
	ASSERT_EQ(0, wt_submit(fd, NULL, 0, &batch));
	EXPECT_EQ(499 * 3 * WT_MS / 2, batch.now);
	ASSERT_EQ(748, wt_read_all(fd, events, 1024, 1024));
	for (i = 0; i < 748; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), events[i].id);
	close(fd);
}

/* A timer that is armed by its word beyond the range of a bounded wheel expires nevertheless. */
TEST(word_beyond_the_range_expires)
{
	const struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = WHEEL_BOUNDED, .tick_ns = WT_MS,
		.timers = 64, .buckets = 64, .flags = WHEEL_SETUP_WORDS,
	};
	const __u64 far = 1000 * WT_MS;
	struct wheel_event event;
	struct wt_areas areas;
	__u64 next;

	ASSERT_TRUE(wt_areas_open(&areas, &setup));
	ASSERT_EQ(0, wt_arm_word(areas.fd, WHEEL_ID(0, 1), 10 * WT_MS));
	wt_set_word(&areas, 0, 10 * WT_MS, far);
	wt_ring_bell(&areas, 0);
	ASSERT_EQ(0, wt_advance(areas.fd, 20 * WT_MS, &next));
	EXPECT_LT(20 * WT_MS, next);
	EXPECT_GE(far, next);
	/* A program that follows @next expires the timer on time. */
	while (next < far)
		ASSERT_EQ(0, wt_advance(areas.fd, next, &next));
	EXPECT_TRUE(wt_quiet(areas.fd));
	ASSERT_EQ(0, wt_advance(areas.fd, far + WT_SEC, &next));
	ASSERT_EQ(1, wt_read(areas.fd, &event, 1));
	EXPECT_EQ(far, event.deadline);
	EXPECT_EQ(~0ULL, next);
	wt_areas_close(&areas);
}

TEST_HARNESS_MAIN
