// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: operations are performed in order, each has a result, and a failed operation
 * has no effect.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	1024
#define WHEN	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
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

/* An empty batch reads no operation, so its address may be invalid. */
WT_TEST(wheel, empty)
{
	struct wheel_submit batch = {
		.size = sizeof(batch), .op_size = sizeof(struct wheel_op),
		.ops = 8, .done = 7, .failed = 7, .now = ~0ULL,
	};

	ASSERT_EQ(0, wt_advance(self->fd, 12345678, NULL));
	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
	EXPECT_EQ(0, batch.done);
	EXPECT_EQ(0, batch.failed);
	EXPECT_EQ(12345678, batch.now);
}

/* One operation fails in a long batch. The others succeed. */
WT_TEST(wheel, one_bad_entry_anywhere)
{
	static const __u32 places[] = { 0, 1, 63, 64, 65, 127, 128, 300, 999 };
	static struct wheel_op ops[1000];
	struct wheel_submit batch;
	unsigned int i, gen;

	for (gen = 0; gen < ARRAY_SIZE(places); gen++) {
		__u32 bad = places[gen];

		for (i = 0; i < 1000; i++)
			ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen + 1),
				       WHEN);
		ops[bad].reserved[1] = 1;
		ASSERT_EQ(0, wt_submit(self->fd, ops, 1000, &batch));
		EXPECT_EQ(1000, batch.done);
		EXPECT_EQ(1, batch.failed);
		for (i = 0; i < 1000; i++)
			ASSERT_EQ(i == bad ? -EINVAL : 0, ops[i].res);
		for (i = 0; i < 1000; i++)
			ops[i] = wt_op(WHEEL_OP_CANCEL, ops[i].id, 0);
		ASSERT_EQ(0, wt_submit(self->fd, ops, 1000, &batch));
		EXPECT_EQ(1, batch.failed);
		EXPECT_EQ(-ENOENT, ops[bad].res);
	}
	EXPECT_LEDGER(self->fd, .armed = 999 * ARRAY_SIZE(places),
		      .cancelled = 999 * ARRAY_SIZE(places));
}

/* A larger stride, as with a newer header: the tail must be zero and is not changed. */
WT_TEST(wheel, a_wider_stride_with_zeros)
{
	static const __u32 strides[] = { 64, 72, 80, 128, 256, 4096 };
	static char room[70 * 4096];
	unsigned int i, gen;
	size_t byte;

	for (gen = 0; gen < ARRAY_SIZE(strides); gen++) {
		__u32 stride = strides[gen];
		struct wheel_submit batch = {
			.size = sizeof(batch), .ops = wt_addr(room),
			.op_size = stride, .count = 70,
		};
		struct wheel_op op;

		memset(room, 0, sizeof(room));
		for (i = 0; i < 70; i++) {
			op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen + 1), WHEN);
			op.res = 1;
			memcpy(room + i * stride, &op, sizeof(op));
		}
		ASSERT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
		EXPECT_EQ(70, batch.done);
		EXPECT_EQ(0, batch.failed);
		for (i = 0; i < 70; i++) {
			memcpy(&op, room + i * stride, sizeof(op));
			ASSERT_EQ(0, op.res);
			for (byte = sizeof(op); byte < stride; byte++)
				ASSERT_EQ(0, room[i * stride + byte]);
			ASSERT_EQ(0, wt_cancel(self->fd, op.id));
		}
	}
}

WT_TEST(wheel, strides_that_are_too_small)
{
	struct wheel_op ops[2] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(2, 1), WHEN),
	};
	struct wheel_submit batch = {
		.size = sizeof(batch), .ops = wt_addr(ops), .count = 2,
	};
	__u32 stride;

	for (stride = 0; stride < sizeof(*ops); stride++) {
		batch.op_size = stride;
		EXPECT_EQ(-EINVAL,
			  wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
	}
	EXPECT_LEDGER(self->fd, .armed = 0);
}

/* On a running clock, @now is between two clock reads of the program. */
WT_TEST(wheel, now_is_the_clock_of_the_wheel)
{
	__u64 before, after, when;
	struct wheel_submit batch;
	struct wheel_op op;
	__u32 clock;
	int fd, i;

	for (clock = 0; clock < WHEEL_CLOCK_VIRTUAL; clock++) {
		fd = wt_open_clock(clock, 256, WT_MS);
		ASSERT_LE(0, fd);
		for (i = 0; i < 100; i++) {
			op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), WT_HOUR + i);
			op.flags = WHEEL_OP_REL;
			before = wt_now(clock);
			ASSERT_EQ(0, wt_submit(fd, &op, 1, &batch));
			after = wt_now(clock);
			EXPECT_LE(before, batch.now);
			EXPECT_GE(after, batch.now);
			EXPECT_EQ(0, wt_query(fd, op.id, &when));
			EXPECT_EQ(batch.now + WT_HOUR + i, when);
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
