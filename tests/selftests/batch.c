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

WT_TEST(wheel, empty)
{
	struct wheel_submit batch = {
		.size = sizeof(batch), .op_size = sizeof(struct wheel_op),
		.done = 7, .failed = 7, .now = ~0ULL,
	};

	ASSERT_EQ(0, wt_advance(self->fd, 12345678, NULL));
	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
	EXPECT_EQ(0, batch.done);
	EXPECT_EQ(0, batch.failed);
	EXPECT_EQ(12345678, batch.now);
}

/* An empty batch reads no operation. */
WT_TEST(wheel, empty_at_a_bad_address)
{
	struct wheel_submit batch = {
		.size = sizeof(batch), .op_size = sizeof(struct wheel_op),
		.ops = 8,
	};

	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
	EXPECT_EQ(0, batch.done);
}

WT_TEST(wheel, each_entry_has_its_answer)
{
	struct wheel_op ops[] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 2), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(2, 0), WHEN),
		wt_op(99, WHEEL_ID(3, 1), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(TIMERS, 1), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(4, 1), 1ULL << 63),
		wt_op(WHEEL_OP_CANCEL, WHEEL_ID(5, 1), 0),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(6, 1), 2 * WHEN),
	};
	static const int answers[] = {
		0, -EBUSY, -ESTALE, -EINVAL, -EINVAL, -ERANGE, -ENOENT, 0,
	};
	struct wheel_submit batch;
	unsigned int i;

	ASSERT_EQ(0, wt_submit(self->fd, ops, ARRAY_SIZE(ops), &batch));
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		EXPECT_EQ(answers[i], ops[i].res);
	EXPECT_EQ(ARRAY_SIZE(ops), batch.done);
	EXPECT_EQ(6, batch.failed);
	EXPECT_EQ(0, batch.now);
	EXPECT_LEDGER(self->fd, .armed = 2, .refused = 1);
}

/* Later operations see the effects of earlier ones. */
WT_TEST(wheel, entries_are_done_in_order)
{
	struct wheel_op ops[] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN),
		wt_op(WHEEL_OP_QUERY, WHEEL_ID(1, 1), 0),
		wt_op(WHEEL_OP_REARM, WHEEL_ID(1, 1), 2 * WHEN),
		wt_op(WHEEL_OP_QUERY, WHEEL_ID(1, 1), 0),
		wt_op(WHEEL_OP_CANCEL, WHEEL_ID(1, 1), 0),
		wt_op(WHEEL_OP_QUERY, WHEEL_ID(1, 1), 0),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 2), 3 * WHEN),
		wt_op(WHEEL_OP_QUERY, WHEEL_ID(1, 2), 0),
	};
	static const int answers[] = {
		0, 0, 0, 0, 0, -ENOENT, -ESTALE, 0, 0,
	};
	struct wheel_event event;
	unsigned int i;

	ASSERT_EQ(0, wt_batch(self->fd, ops, ARRAY_SIZE(ops)));
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		EXPECT_EQ(answers[i], ops[i].res);
	EXPECT_EQ(WHEN, ops[1].when);
	EXPECT_EQ(2 * WHEN, ops[3].when);
	EXPECT_EQ(3 * WHEN, ops[8].when);
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(WHEEL_ID(1, 2), event.id);
	EXPECT_EQ(3 * WHEN, event.deadline);
	EXPECT_EQ(-EAGAIN, wt_read(self->fd, &event, 1));
}

/* Only the results and the deadline of QUERY are written. */
WT_TEST(wheel, nothing_but_the_answers_is_written)
{
	struct wheel_op ops[5], before[5];
	int i;

	ops[0] = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN);
	ops[1] = wt_op(WHEEL_OP_REARM, WHEEL_ID(1, 1), WHEN + 1);
	ops[2] = wt_op(WHEEL_OP_QUERY, WHEEL_ID(1, 1), 77);
	ops[3] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(1, 1), 0);
	ops[4] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(1, 1), 0);
	ops[0].slack = 5;
	ops[0].period = 6;
	ops[0].cookie = 7;
	ops[1].slack = 5;
	memcpy(before, ops, sizeof(ops));
	ASSERT_EQ(0, wt_batch(self->fd, ops, 5));
	for (i = 0; i < 5; i++) {
		before[i].res = i < 4 ? 0 : -ENOENT;
		if (i == 2)
			before[i].when = WHEN + 1;
		EXPECT_EQ(0, memcmp(&before[i], &ops[i], sizeof(ops[i])));
	}
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

WT_TEST(wheel, a_hundred_thousand_entries)
{
	enum { N = 100000 };
	struct wheel_submit batch;
	struct wheel_op *ops;
	int fd, i;

	fd = wt_open_virtual(N, WT_MS);
	ASSERT_LE(0, fd);
	ops = calloc(N, sizeof(*ops));
	ASSERT_NE(NULL, ops);
	for (i = 0; i < N; i++)
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(N - 1 - i, 1), WHEN + i);
	ASSERT_EQ(0, wt_submit(fd, ops, N, &batch));
	EXPECT_EQ(N, batch.done);
	EXPECT_EQ(0, batch.failed);
	for (i = 0; i < N; i++)
		ops[i] = wt_op(i & 1 ? WHEEL_OP_CANCEL : WHEEL_OP_QUERY, ops[i].id, 0);
	ASSERT_EQ(0, wt_submit(fd, ops, N, &batch));
	EXPECT_EQ(0, batch.failed);
	for (i = 0; i < N; i++)
		ASSERT_EQ(i & 1 ? 0 : WHEN + i, ops[i].when);
	EXPECT_LEDGER(fd, .armed = N, .cancelled = N / 2);
	free(ops);
	close(fd);
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

/* A batch reads the clock once, returns the time, and adds relative deadlines to it. */
WT_TEST(wheel, relative_times_count_from_now)
{
	struct wheel_op ops[4];
	struct wheel_submit batch;
	__u64 t = 123456789;
	int i;

	ASSERT_EQ(0, wt_advance(self->fd, t, NULL));
	for (i = 0; i < 4; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), i * WHEN);
		ops[i].flags = WHEEL_OP_REL;
	}
	ASSERT_EQ(0, wt_submit(self->fd, ops, 4, &batch));
	EXPECT_EQ(t, batch.now);
	for (i = 0; i < 4; i++) {
		ops[i] = wt_op(WHEEL_OP_QUERY, ops[i].id, 0);
		ops[i].flags = 0;
	}
	ASSERT_EQ(0, wt_batch(self->fd, ops, 4));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(t + i * WHEN, ops[i].when);
	ops[0] = wt_op(WHEEL_OP_REARM, WHEEL_ID(3, 1), 9 * WHEN);
	ops[0].flags = WHEEL_OP_REL;
	ASSERT_EQ(0, wt_do(self->fd, &ops[0]));
	ASSERT_EQ(0, wt_query(self->fd, WHEEL_ID(3, 1), &ops[0].when));
	EXPECT_EQ(t + 9 * WHEN, ops[0].when);
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
		if (!(wt_features() & WHEEL_HAS_CLOCK(clock)))
			continue;
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
