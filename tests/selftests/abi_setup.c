// SPDX-License-Identifier: GPL-2.0
/*
 * SETUP and INFO: effective configuration, and SETUP only once. libwheel's options.c tests
 * invalid numbers, privileges and the defaults, also with this device.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>

#include "wheel_test.h"

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

/* INFO, STATS, LIST, poll(), a nonblocking read(), and calls that fail configure nothing. */
WT_TEST(wheel, what_only_looks_or_fails_configures_nothing)
{
	struct wheel_setup setup = { .clock = WHEEL_CLOCK_VIRTUAL, .timers = 64 }, info;
	struct wheel_enter enter = { .size = sizeof(enter) };
	struct wheel_list list = {};
	struct wheel_event event;
	struct wheel_stats stats;
	struct wheel_op op;
	int fd = wt_open(O_NONBLOCK);
	struct pollfd any = { .fd = fd, .events = POLLIN | POLLRDNORM | POLLOUT | POLLPRI };

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wt_info(fd, &info));
	EXPECT_EQ(0, wt_stats(fd, &stats));
	EXPECT_EQ(0, stats.armed);
	EXPECT_EQ(0, wt_list(fd, 0, &op, 1, &list));
	EXPECT_EQ(0, list.done);
	EXPECT_EQ(-EAGAIN, wt_read(fd, &event, 1));
	EXPECT_EQ(0, poll(&any, 1, 0));
	EXPECT_EQ(-EOPNOTSUPP, wt_advance(fd, WT_MS, NULL));
	EXPECT_EQ(-EOPNOTSUPP, wt_ioctl(fd, WHEEL_IOC_ENTER, &enter));
	EXPECT_EQ(0, wt_setup(fd, &setup));
	EXPECT_EQ(0, poll(&any, 1, 0));
	close(fd);
}

/* INFO accepts its own output as input. */
WT_TEST(wheel, info_takes_its_own_answer)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = 64,
		.flags = WHEEL_SETUP_WORDS,
	};
	int fd = wt_open_setup(0, &setup);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wt_ioctl(fd, WHEEL_IOC_INFO, &setup));
	EXPECT_EQ(WHEEL_SETUP_WORDS, setup.flags);
	close(fd);
}

#define TRY(...) try_setup((struct wheel_setup){ __VA_ARGS__ })

WT_TEST(wheel, reserved_must_be_zero)
{
	EXPECT_EQ(-EINVAL, TRY(.reserved = 1));
}

TEST_HARNESS_MAIN
