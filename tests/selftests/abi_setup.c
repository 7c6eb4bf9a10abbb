// SPDX-License-Identifier: GPL-2.0
/*
 * SETUP and INFO: effective configuration, limits, privileges, and SETUP only once.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "wheel_test.h"

#define NOBODY	65534

FIXTURE(wheel) {
	int fd;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open(O_NONBLOCK);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static int try_setup(struct wheel_setup setup)
{
	int fd = wt_open_setup(0, &setup);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The effective number of buckets for a requested number. 0 if SETUP fails. */
static __u32 buckets_of(__u32 timers, __u32 buckets)
{
	struct wheel_setup setup = { .timers = timers, .buckets = buckets };
	int fd = wt_open_setup(0, &setup);

	if (fd < 0)
		return 0;
	close(fd);
	return setup.buckets;
}

WT_TEST(wheel, info_of_a_new_file_is_the_defaults)
{
	struct wheel_setup info;

	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(WHEEL_CLOCK_MONOTONIC, info.clock);
	EXPECT_EQ(WHEEL_HASHED, info.scheme);
	EXPECT_EQ(WT_MS, info.tick_ns);
	EXPECT_EQ(65536, info.timers);
	EXPECT_EQ(4096, info.buckets);
	EXPECT_EQ(0, info.events);
	EXPECT_EQ(0, info.reserved);
	EXPECT_NE(0, info.features);
	EXPECT_NE(0xccccccccccccccccULL, info.features);
}

WT_TEST(wheel, info_configures_nothing)
{
	struct wheel_setup info, setup = { .timers = 7 };

	ASSERT_EQ(0, wt_info(self->fd, &info));
	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(0, wt_setup(self->fd, &setup));
	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(7, info.timers);
}

WT_TEST(wheel, setup_and_info_tell_what_is_in_force)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_TOUCH, .clock = WHEEL_CLOCK_BOOTTIME,
		.tick_ns = 1234567, .timers = 1000, .buckets = 100,
	};
	struct wheel_setup info;

	ASSERT_EQ(0, wt_setup(self->fd, &setup));
	EXPECT_EQ(WHEEL_SETUP_TOUCH, setup.flags);
	EXPECT_EQ(WHEEL_CLOCK_BOOTTIME, setup.clock);
	EXPECT_EQ(WHEEL_HASHED, setup.scheme);
	EXPECT_EQ(1234567, setup.tick_ns);
	EXPECT_EQ(1000, setup.timers);
	EXPECT_EQ(128, setup.buckets);
	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(0, memcmp(&setup.flags, &info.flags, sizeof(info) - 4));
}

WT_TEST(wheel, zeros_are_the_defaults)
{
	struct wheel_setup setup = {}, info;

	ASSERT_EQ(0, wt_info(self->fd, &info));
	ASSERT_EQ(0, wt_setup(self->fd, &setup));
	EXPECT_EQ(0, memcmp(&setup.flags, &info.flags, sizeof(info) - 4));
}

WT_TEST(wheel, setup_twice_is_ebusy)
{
	struct wheel_setup setup = { .timers = 5 }, info;

	EXPECT_EQ(0, wt_setup(self->fd, &setup));
	setup.timers = 6;
	EXPECT_EQ(-EBUSY, wt_setup(self->fd, &setup));
	ASSERT_EQ(0, wt_info(self->fd, &info));
	EXPECT_EQ(5, info.timers);
}

static int first_verb(int fd, int verb)
{
	struct wheel_op op;
	__u64 unfired;

	return verb ? wt_stop(fd, &unfired) : wt_batch(fd, &op, 0);
}

/* SUBMIT and STOP configure a file with the defaults. */
WT_TEST(wheel, first_verb_takes_the_defaults)
{
	struct wheel_setup setup, info;
	int fd, verb;

	for (verb = 0; verb < 2; verb++) {
		fd = wt_open(0);
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, first_verb(fd, verb));
		memset(&setup, 0, sizeof(setup));
		EXPECT_EQ(-EBUSY, wt_setup(fd, &setup)) {
			TH_LOG("verb %d", verb);
		}
		ASSERT_EQ(0, wt_info(fd, &info));
		EXPECT_EQ(65536, info.timers);
		close(fd);
	}
}

/* Calls that fail with the defaults, STATS, LIST and a nonblocking read() configure nothing. */
WT_TEST(wheel, what_only_looks_or_fails_configures_nothing)
{
	struct wheel_setup setup = { .clock = WHEEL_CLOCK_VIRTUAL, .timers = 64 };
	struct wheel_enter enter = { .size = sizeof(enter) };
	struct wheel_list list = {};
	struct wheel_event event;
	struct wheel_stats stats;
	struct wheel_op op;
	int fd = wt_open(O_NONBLOCK);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wt_stats(fd, &stats));
	EXPECT_EQ(0, stats.armed);
	EXPECT_EQ(0, wt_list(fd, 0, &op, 1, &list));
	EXPECT_EQ(0, list.done);
	EXPECT_EQ(-EAGAIN, wt_read(fd, &event, 1));
	EXPECT_EQ(-EOPNOTSUPP, wt_advance(fd, WT_MS, NULL));
	EXPECT_EQ(-EOPNOTSUPP, wt_ioctl(fd, WHEEL_IOC_ENTER, &enter));
	EXPECT_EQ(0, wt_setup(fd, &setup));
	close(fd);
}

/* INFO accepts its own output as input. */
WT_TEST(wheel, info_takes_its_own_answer)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = 64,
		.flags = WHEEL_SETUP_TOUCH,
	};
	int fd = wt_open_setup(0, &setup);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wt_ioctl(fd, WHEEL_IOC_INFO, &setup));
	EXPECT_EQ(WHEEL_SETUP_TOUCH, setup.flags);
	close(fd);
}

WT_TEST(wheel, the_last_default_slot_is_65535)
{
	EXPECT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(65535, 1), WT_HOUR));
	EXPECT_EQ(-EINVAL, wt_arm_rel(self->fd, WHEEL_ID(65536, 1), WT_HOUR));
}

#define TRY(...) try_setup((struct wheel_setup){ __VA_ARGS__ })

WT_TEST(wheel, numbers_out_of_range_are_einval)
{
	int bit;

	EXPECT_EQ(-EINVAL, TRY(.clock = WHEEL_CLOCK_VIRTUAL + 1));
	EXPECT_EQ(-EINVAL, TRY(.scheme = WHEEL_OVERFLOW + 1));
	EXPECT_EQ(-EINVAL, TRY(.timers = WHEEL_MAX_TIMERS + 1));
	EXPECT_EQ(-EINVAL, TRY(.reserved = 1));
	EXPECT_EQ(-EINVAL, TRY(.buckets = WHEEL_MAX_BUCKETS + 1));
	EXPECT_EQ(-EINVAL, TRY(.buckets = 1U << 31));
	EXPECT_EQ(-EINVAL, TRY(.tick_ns = 1ULL << 63));
	EXPECT_EQ(-EINVAL, TRY(.clock = WHEEL_CLOCK_VIRTUAL, .tick_ns = ~0ULL));
	for (bit = 3; bit < 32; bit++) {
		EXPECT_EQ(-EINVAL, TRY(.clock = 1U << bit));
		EXPECT_EQ(-EINVAL, TRY(.scheme = 1U << bit));
	}
	for (bit = 25; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, TRY(.timers = 1U << bit));
	for (bit = 21; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, TRY(.buckets = 1U << bit));
	EXPECT_EQ(-EINVAL, TRY(.timers = ~0U));
	EXPECT_EQ(-EINVAL, TRY(.buckets = ~0U));
}

WT_TEST(wheel, numbers_at_the_edge_of_the_range)
{
	EXPECT_EQ(0, TRY(.timers = 1));
	EXPECT_EQ(0, TRY(.timers = WHEEL_MAX_TIMERS));
	EXPECT_EQ(0, TRY(.timers = 1, .buckets = 1));
	EXPECT_EQ(0, TRY(.timers = 1, .buckets = WHEEL_MAX_BUCKETS));
	EXPECT_EQ(0, TRY(.clock = WHEEL_CLOCK_VIRTUAL, .tick_ns = 1));
	EXPECT_EQ(0, TRY(.tick_ns = WHEEL_MIN_TICK_NS));
	EXPECT_EQ(0, TRY(.tick_ns = WT_HOUR));
}

WT_TEST(wheel, limits_of_the_overflow_wheel)
{
	EXPECT_EQ(0, TRY(.scheme = WHEEL_OVERFLOW,
			 .timers = WHEEL_OVERFLOW_TIMERS));
	EXPECT_EQ(-EINVAL, TRY(.scheme = WHEEL_OVERFLOW,
			       .timers = WHEEL_OVERFLOW_TIMERS + 1));
}

WT_TEST(wheel, slots_are_rounded_up)
{
	EXPECT_EQ(256, buckets_of(1, 0));
	EXPECT_EQ(256, buckets_of(4096, 0));
	EXPECT_EQ(512, buckets_of(16 * 257, 0));
	EXPECT_EQ(8192, buckets_of(100000, 0));
	EXPECT_EQ(1, buckets_of(1, 1));
	EXPECT_EQ(4, buckets_of(1, 3));
	EXPECT_EQ(2048, buckets_of(65536, 1));
	EXPECT_EQ(4096, buckets_of(65537, 1));
	EXPECT_EQ(4096, buckets_of(65536, 4096));
	EXPECT_EQ(WHEEL_MAX_BUCKETS / 2, buckets_of(WHEEL_MAX_TIMERS, 1));
}

/* A clock that can be set back requires a scheme that supports that. */
WT_TEST(wheel, settable_clocks_need_a_ring)
{
	EXPECT_EQ(-EOPNOTSUPP, TRY(.clock = WHEEL_CLOCK_REALTIME,
				   .scheme = WHEEL_HIERARCHICAL));
}

/* The result of SETUP for an unprivileged user. */
static int as_nobody(struct wheel_setup setup)
{
	struct stat st;
	pid_t pid;
	int fd;

	pid = fork();
	if (!pid) {
		if (stat(WT_DEVICE, &st) || setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		fd = wt_open(0);
		if (fd < 0)
			_exit(254);
		_exit(-wt_setup(fd, &setup));
	}
	return -wt_end_of(pid);
}

#define AS_NOBODY(...) as_nobody((struct wheel_setup){ __VA_ARGS__ })

WT_TEST(wheel, floor_of_the_tick_without_privilege)
{
	if (geteuid())
		SKIP(return, "needs root");
	if (AS_NOBODY() == -254)
		SKIP(return, "an unprivileged user may not open " WT_DEVICE);
	EXPECT_EQ(0, AS_NOBODY());
	EXPECT_EQ(0, AS_NOBODY(.tick_ns = WHEEL_MIN_TICK_NS));
	EXPECT_EQ(-EPERM, AS_NOBODY(.tick_ns = WHEEL_MIN_TICK_NS - 1));
	EXPECT_EQ(-EPERM, AS_NOBODY(.tick_ns = 1));
	EXPECT_EQ(-EPERM, AS_NOBODY(.clock = WHEEL_CLOCK_BOOTTIME,
				    .tick_ns = WHEEL_MIN_TICK_NS - 1));
	/* A virtual clock does not run by itself. */
	EXPECT_EQ(0, AS_NOBODY(.clock = WHEEL_CLOCK_VIRTUAL, .tick_ns = 1));
	EXPECT_EQ(0, TRY(.tick_ns = WHEEL_MIN_TICK_NS - 1));
}

TEST_HARNESS_MAIN
