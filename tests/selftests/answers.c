// SPDX-License-Identifier: GPL-2.0
/*
 * Answers: an operation may come with its answer in it, and gets it all the same. Other
 * tests write something else there before each call.
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

/* Operations with whatever answer is in them, by so many a call: how many failed. */
static int unanswered(int fd, struct wheel_op *ops, __u32 count, __u32 by)
{
	struct wheel_submit batch = {
		.size = sizeof(batch), .op_size = sizeof(*ops), .count = by,
	};
	int failed = 0;
	__u32 i;

	for (i = 0; i < count; i += by) {
		batch.ops = wt_addr(&ops[i]);
		if (wt_ioctl(fd, WHEEL_IOC_SUBMIT, &batch))
			return -1;
		failed += (int)batch.failed;
	}
	return failed;
}

/* An answer is written where it differs from what was there, in a call of one as well. */
WT_TEST(wheel, an_answer_differs_from_what_was_there)
{
	enum { N = 300, GONE = 200 };
	static const __u32 sizes[] = { N, 1 };
	struct wheel_op ops[N];
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		/* There it is already. */
		for (i = 0; i < N; i++)
			ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 2 * k + 1), WHEN + i);
		EXPECT_EQ(0, unanswered(self->fd, ops, N, sizes[k]));
		for (i = 0; i < N; i++)
			EXPECT_EQ(0, ops[i].res);

		/* QUERY writes more than its answer. */
		for (i = 0; i < N; i++)
			ops[i] = wt_op(WHEEL_OP_QUERY, ops[i].id, 0);
		EXPECT_EQ(0, unanswered(self->fd, ops, N, sizes[k]));
		for (i = 0; i < N; i++)
			EXPECT_EQ(WHEN + i, ops[i].when);

		/* One fails. */
		EXPECT_EQ(0, wt_cancel(self->fd, ops[GONE].id));
		for (i = 0; i < N; i++)
			ops[i].op = WHEEL_OP_CANCEL;
		EXPECT_EQ(1, unanswered(self->fd, ops, N, sizes[k]));
		for (i = 0; i < N; i++)
			EXPECT_EQ(i == GONE ? -ENOENT : 0, ops[i].res);

		/* All fail, as one did before. */
		EXPECT_EQ(N, unanswered(self->fd, ops, N, sizes[k]));
		EXPECT_EQ(N, unanswered(self->fd, ops, N, sizes[k]));
		for (i = 0; i < N; i++)
			EXPECT_EQ(-ENOENT, ops[i].res);

		/* None does, where all did before. */
		for (i = 0; i < N; i++) {
			ops[i].op = WHEEL_OP_ARM;
			ops[i].id = WHEEL_ID(i, 2 * k + 2);
		}
		EXPECT_EQ(0, unanswered(self->fd, ops, N, sizes[k]));
		for (i = 0; i < N; i++)
			EXPECT_EQ(0, ops[i].res);
		for (i = 0; i < N; i++)
			ops[i].op = WHEEL_OP_CANCEL;
		EXPECT_EQ(0, unanswered(self->fd, ops, N, sizes[k]));
	}
}

/* So is an id that the kernel picked. */
WT_TEST(wheel, an_id_that_was_picked_is_an_answer)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .clock = WHEEL_CLOCK_VIRTUAL,
		.flags = WHEEL_SETUP_ANY_SLOT, .timers = TIMERS,
	};
	static const __u32 sizes[] = { 2, 1 };
	struct wheel_op ops[2];
	unsigned int i, k;
	int fd;

	fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, fd);
	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		for (i = 0; i < 2; i++)
			ops[i] = wt_op(WHEEL_OP_ARM, 0, WHEN);
		EXPECT_EQ(0, unanswered(fd, ops, 2, sizes[k]));
		for (i = 0; i < 2; i++)
			EXPECT_EQ(WHEEL_ID(2 * k + i, 1), ops[i].id);
	}
	close(fd);
}

TEST_HARNESS_MAIN
