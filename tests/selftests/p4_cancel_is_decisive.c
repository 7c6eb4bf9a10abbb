// SPDX-License-Identifier: GPL-2.0
/*
 * P4: CANCEL of a periodic timer is decisive. For other timers, see interrupt_race.c, and
 * race_cancel.c of libwheel.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define CLOCK	WHEEL_CLOCK_MONOTONIC
#define ROUNDS	300

/* CANCEL returns 1 if one more event can be read, otherwise 0. */
TEST(p4_cancel_is_decisive_for_a_period)
{
	int fd = wt_open_clock(CLOCK, 64, WHEEL_MIN_TICK_NS), ret;
	__u64 seed = wt_seed(), gen;
	struct wheel_event event;
	struct wheel_stats stats;

	ASSERT_LE(0, fd);
	for (gen = 1; gen <= ROUNDS; gen++) {
		__u64 id = WHEEL_ID(1, gen);

		ASSERT_EQ(0, wt_arm_every(fd, id, wt_now(CLOCK), 50 * WT_US));
		while (wt_below(&seed, 4))
			ASSERT_EQ(1, wt_read(fd, &event, 1));
		ret = wt_cancel(fd, id);
		ASSERT_TRUE(ret == 0 || ret == 1);
		ASSERT_EQ(-ENOENT, wt_cancel(fd, id));
		ASSERT_EQ(0, wt_stats(fd, &stats));
		ASSERT_EQ(0, stats.pending);
		ASSERT_EQ(ret, stats.unread);
		if (ret)
			ASSERT_EQ(1, wt_read(fd, &event, 1));
		/* poll() may report a pass that finds nothing, so it is not called here. */
		ASSERT_EQ(0, wt_run(fd));
		ASSERT_EQ(0, wt_stats(fd, &stats));
		ASSERT_EQ(0, stats.unread);
	}
	close(fd);
}

TEST_HARNESS_MAIN
