// SPDX-License-Identifier: GPL-2.0
/*
 * P9, as others feel it: a task on the CPU of a burst has its turn all the time. Its
 * longest gap is measured where the guest counts instructions for time, and only
 * there: tests/vm/rungs/payer.
 */
#include <kselftest_harness.h>

#include "wheel_test.h"

#define MANY		200000
#define LONGEST		(3 * WT_MS)

FIXTURE(burst) {
	int fd;
};

FIXTURE_SETUP(burst)
{
	if (!getenv("WHEEL_COUNTED"))
		SKIP(return, "needs a guest that counts instructions");
	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, MANY, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(burst)
{
	close(self->fd);
}

/* The longest that this task is away until a time comes. */
static __u64 longest_gap(__u64 end)
{
	__u64 last = wt_now(WHEEL_CLOCK_MONOTONIC), longest = 0, now;

	do {
		now = wt_now(WHEEL_CLOCK_MONOTONIC);
		if (now - last > longest)
			longest = now - last;
		last = now;
	} while (now < end);
	return longest;
}

WT_TEST(burst, p9_no_long_gap_beside_a_burst)
{
	__u64 when = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_SEC, gap = 0, more;
	struct wheel_stats stats;

	ASSERT_EQ(0, wt_arm_many(self->fd, MANY, 1, when));
	ASSERT_GT(when, wt_now(WHEEL_CLOCK_MONOTONIC));
	do {
		more = longest_gap(wt_now(WHEEL_CLOCK_MONOTONIC) + 100 * WT_MS);
		if (more > gap)
			gap = more;
		ASSERT_EQ(0, wt_stats(self->fd, &stats));
	} while (stats.fired < MANY);
	TH_LOG("the longest gap is %llu us", gap / WT_US);
	EXPECT_GE(LONGEST, gap);
}

TEST_HARNESS_MAIN
