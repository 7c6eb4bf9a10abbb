// SPDX-License-Identifier: GPL-2.0
/*
 * P11: at each quiescent point, the counters of STATS equal those that the program expects from
 * its own calls.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	64

FIXTURE(wheel) {
	int fd;
	struct wheel_stats stats;
	struct wheel_event event;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

WT_TEST(wheel, p11_exact_counters_of_a_new_wheel)
{
	struct wheel_stats zero = { .size = sizeof(zero) };

	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(0, memcmp(&self->stats, &zero, sizeof(zero)));
}

/* late[i] counts fired - deadline in [2^i, 2^(i+1)); late[0] also counts 0. */
WT_TEST(wheel, p11_exact_counters_of_lateness)
{
	__u64 late[64] = {};
	__u64 tick = 1ULL << 40;
	int fd, bit;

	fd = wt_open_virtual(TIMERS, tick);
	ASSERT_LE(0, fd);
	for (bit = 0; bit < 40; bit++) {
		__u64 due = (bit + 1) * tick;

		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(0, bit + 1), due));
		late[0]++;
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, bit + 1),
				    due - (1ULL << bit)));
		late[bit]++;
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(2, bit + 1),
				    due - (2ULL << bit) + 1));
		late[bit]++;
		ASSERT_EQ(0, wt_advance(fd, due, NULL));
		while (wt_read(fd, &self->event, 1) == 1)
			ASSERT_EQ(due, self->event.fired);
	}
	ASSERT_EQ(0, wt_stats(fd, &self->stats));
	for (bit = 0; bit < 64; bit++)
		EXPECT_EQ(late[bit], self->stats.late[bit]);
	close(fd);
}

/* Counters are 64 bits wide: 2^62 missed periods. */
WT_TEST(wheel, p11_exact_counters_beyond_32_bits)
{
	__u64 far = 1ULL << 62;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), 1, 1));
	ASSERT_EQ(0, wt_advance(self->fd, far, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(far - 1, self->event.overrun);
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(far - 1, self->stats.overruns);
	EXPECT_EQ(2, self->stats.armed);
}

TEST_HARNESS_MAIN
