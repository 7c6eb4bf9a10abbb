// SPDX-License-Identifier: GPL-2.0
/*
 * LIST: invalid cursors and strides. The listed operations are compared in contract.c, from any
 * cursor, and in libwheel's end.c, also with WHEEL_LIST_TAKE.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	2000

FIXTURE(wheel) {
	int fd;
	__u64 unfired;
	/* The arms, by slot; op is 0 if the slot has none. */
	struct wheel_op armed[TIMERS];
	struct wheel_op listed[TIMERS];
	struct wheel_list list;
};

/* Every third slot is pending, some with a period, some with slack. */
FIXTURE_SETUP(wheel)
{
	struct wheel_op *op;
	int i;

	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < TIMERS; i += 3) {
		op = &self->armed[i];
		*op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1 + i % 5),
			    WT_HOUR + i * 12345);
		op->period = i % 2 ? 0 : 1000 + i;
		op->slack = i % 4 ? 0 : 2000 + i;
		ASSERT_EQ(0, wt_do(self->fd, op));
	}
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

WT_TEST(wheel, beyond_the_last_slot)
{
	static const __u32 cursors[] = { TIMERS, TIMERS + 1, 1 << 24, ~0U };
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cursors); i++) {
		self->list.cursor = cursors[i];
		ret = wt_list(self->fd, 0, self->listed, 1, &self->list);
		EXPECT_TRUE(ret == -EINVAL || (!ret && !self->list.done));
	}
	/* A listing ends with the cursor after the last slot. */
	self->list.cursor = TIMERS;
	EXPECT_EQ(0, wt_list(self->fd, 0, self->listed, 1, &self->list));
	EXPECT_EQ(0, self->list.done);
}

/* Timers with unread events are not listed after STOP. */
WT_TEST(wheel, take_leaves_the_events)
{
	struct wheel_event event;
	int n;

	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR + WT_SEC, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(0, self->unfired);
	EXPECT_EQ(0, wt_list(self->fd, WHEEL_LIST_TAKE, self->listed, TIMERS, &self->list));
	EXPECT_EQ(0, self->list.done);
	for (n = 0; wt_read(self->fd, &event, 1) == 1; n++)
		EXPECT_EQ(event.id, self->armed[WHEEL_ID_SLOT(event.id)].id);
	EXPECT_EQ((TIMERS + 2) / 3, n);
}

/* With a wider stride, the tail of each entry is zero. */
WT_TEST(wheel, a_wider_stride)
{
	struct wheel_list list = {
		.size = sizeof(list), .timers = wt_addr(self->listed),
		.op_size = 128, .count = 10,
	};
	char *room = (char *)self->listed;
	struct wheel_op op;
	int i;

	ASSERT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
	ASSERT_EQ(10, list.done);
	for (i = 0; i < 10; i++) {
		memcpy(&op, room + 128 * i, sizeof(op));
		EXPECT_EQ(self->armed[3 * i].id, op.id);
		EXPECT_EQ(0, room[128 * i + 64]);
		EXPECT_EQ(0, room[128 * i + 127]);
	}
	for (list.op_size = 0; list.op_size < 64; list.op_size++)
		EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
}

TEST_HARNESS_MAIN
