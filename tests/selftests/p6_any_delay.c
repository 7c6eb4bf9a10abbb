// SPDX-License-Identifier: GPL-2.0
/*
 * P6: any delay from 0 to the end of a 63-bit clock is exact. A delay beyond the limit of the
 * wheel is rejected, never shortened.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define NONE	(~0ULL)
#define SLOTS	256

FIXTURE(scheme) {
	struct wheel_setup setup;
	__u64 seed;
};

FIXTURE_VARIANT(scheme) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(scheme, hashed) { .scheme = WHEEL_HASHED, .tick = 1 };
FIXTURE_VARIANT_ADD(scheme, hashed_1ms) { .scheme = WHEEL_HASHED, .tick = WT_MS };
FIXTURE_VARIANT_ADD(scheme, hierarchical) { .scheme = WHEEL_HIERARCHICAL, .tick = 1 };
FIXTURE_VARIANT_ADD(scheme, hierarchical_1ms) { .scheme = WHEEL_HIERARCHICAL, .tick = WT_MS };
FIXTURE_VARIANT_ADD(scheme, bounded) { .scheme = WHEEL_BOUNDED, .tick = 1000 };
FIXTURE_VARIANT_ADD(scheme, overflow) { .scheme = WHEEL_OVERFLOW, .tick = 1 };

FIXTURE_SETUP(scheme)
{
	self->seed = wt_seed();
	self->setup = (struct wheel_setup){
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.tick_ns = variant->tick, .timers = 64, .buckets = SLOTS,
	};
}

FIXTURE_TEARDOWN(scheme)
{
}

/*
 * Arm a timer on a new wheel whose clock is at @start. Returns 0 if it expires exactly at its due
 * tick, -ERANGE if it is rejected, otherwise the line of a failed check.
 */
static int fires_exactly(struct wheel_setup setup, __u64 start, __u64 when)
{
	__u64 due = wt_boundary(when, setup.tick_ns), next;
	struct wheel_event event;
	int bad = 0;
	int fd, ret;

	if (due < start / setup.tick_ns * setup.tick_ns + setup.tick_ns)
		due = start / setup.tick_ns * setup.tick_ns + setup.tick_ns;
	fd = wt_open_setup(O_NONBLOCK, &setup);
	if (fd < 0 || wt_advance(fd, start, NULL))
		return __LINE__;
	ret = wt_arm(fd, WHEEL_ID(1, 1), when);
	if (ret == -ERANGE)
		bad = ret;
	else if (ret)
		bad = __LINE__;
	else if (wt_advance(fd, due - 1, &next) || next != due)
		bad = __LINE__;
	else if (wt_read(fd, &event, 1) != -EAGAIN)
		bad = __LINE__;
	else if (wt_advance(fd, due, &next) || next != NONE)
		bad = __LINE__;
	else if (wt_read(fd, &event, 1) != 1 || event.deadline != when)
		bad = __LINE__;
	close(fd);
	return bad;
}

/* A bounded wheel may reject a timer, but only beyond its revolution. */
static bool may_refuse(const struct wheel_setup *setup, __u64 start,
		       __u64 when)
{
	return setup->scheme == WHEEL_BOUNDED && when > start &&
		when - start > (SLOTS - 2) * setup->tick_ns;
}

/* The same. A permitted rejection counts as success. */
static int exact(const struct wheel_setup *setup, __u64 start, __u64 when)
{
	int ret = fires_exactly(*setup, start, when);

	if (ret == -ERANGE && may_refuse(setup, start, when))
		return 0;
	if (ret)
		fprintf(stderr, "# %d: from %llu for %llu\n", ret,
			(unsigned long long)start, (unsigned long long)when);
	return ret;
}

WT_TEST(scheme, p6_any_delay_to_the_end_of_the_clock)
{
	__u64 last = WHEEL_MAX_TIME / variant->tick * variant->tick;
	__u64 bit;

	for (bit = 1; bit < 63; bit++)
		EXPECT_EQ(0, exact(&self->setup, 0, 1ULL << bit));
	EXPECT_EQ(0, exact(&self->setup, 0, last));
	EXPECT_EQ(0, exact(&self->setup, 1, last));
	EXPECT_EQ(0, exact(&self->setup, 0, last - variant->tick));
	EXPECT_EQ(0, exact(&self->setup, 0, last - 1));
	EXPECT_EQ(0, exact(&self->setup, last / 2, last));
	EXPECT_EQ(0, exact(&self->setup, last - 5 * variant->tick, last));
	EXPECT_EQ(0, exact(&self->setup, last - 1, last));
}

/* A deadline beyond 2^63-1 ns is rejected and counted. */
WT_TEST(scheme, p6_any_delay_beyond_the_clock_is_erange)
{
	static const __u64 beyond[] = { 1ULL << 63, (1ULL << 63) + 1, ~0ULL };
	unsigned int i;
	int fd;

	fd = wt_open_setup(O_NONBLOCK, &self->setup);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_advance(fd, 1000, NULL));
	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(1, 1), beyond[i]));
		EXPECT_EQ(-ERANGE, wt_arm_rel(fd, WHEEL_ID(1, 1), beyond[i]));
		EXPECT_EQ(-ERANGE, wt_advance(fd, beyond[i], NULL));
	}
	EXPECT_EQ(-ERANGE,
		  wt_arm_rel(fd, WHEEL_ID(1, 1), WHEEL_MAX_TIME - 999));
	EXPECT_EQ(-ERANGE, wt_arm_rel(fd, WHEEL_ID(1, 1), WHEEL_MAX_TIME));
	EXPECT_LEDGER(fd, .refused = 8);
	EXPECT_EQ(0, wt_arm_rel(fd, WHEEL_ID(1, 1), 10 * variant->tick));
	for (i = 0; i < ARRAY_SIZE(beyond); i++)
		EXPECT_EQ(-ERANGE, wt_rearm(fd, WHEEL_ID(1, 1), beyond[i]));
	EXPECT_LEDGER(fd, .armed = 1, .refused = 8);
	close(fd);
}

/* The maximum relative delay. */
WT_TEST(scheme, p6_any_delay_relative_to_the_end)
{
	__u64 when;
	int fd, ret;

	fd = wt_open_setup(O_NONBLOCK, &self->setup);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_advance(fd, 1000, NULL));
	ret = wt_arm_rel(fd, WHEEL_ID(1, 1), WHEEL_MAX_TIME - 1000);
	if (variant->scheme == WHEEL_BOUNDED) {
		EXPECT_EQ(-ERANGE, ret);
	} else {
		EXPECT_EQ(0, ret);
		EXPECT_EQ(0, wt_query(fd, WHEEL_ID(1, 1), &when));
		EXPECT_EQ(WHEEL_MAX_TIME, when);
	}
	close(fd);
}

TEST_HARNESS_MAIN
