// SPDX-License-Identifier: GPL-2.0
/*
 * LIST: the pending timers in the order of their slots, a page at a time, as operations that
 * arm the same timers again. After STOP: the unfired timers, which can be taken.
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

/* List all timers, @page entries per call. Returns their number, or a negative value. */
static int list_all(int fd, __u32 flags, __u32 page, struct wheel_op *listed,
		    int room)
{
	struct wheel_list list = { .cursor = 0 };
	__u32 before;
	int n = 0, ret;

	do {
		if (n + (int)page > room)
			page = room - n;
		before = list.cursor;
		ret = wt_list(fd, flags, listed + n, page, &list);
		if (ret)
			return ret;
		if (list.done > page || list.cursor < before)
			return -1;
		n += list.done;
	} while (list.done && n < room);
	return n;
}

/* Check that the listed operations are those that armed the timers, in slot order. */
static bool same(const struct wheel_op *armed, const struct wheel_op *listed,
		 int n)
{
	int i, at = 0;

	for (i = 0; i < TIMERS; i++) {
		const struct wheel_op *a = &armed[i], *l = &listed[at];

		if (!a->op)
			continue;
		if (at++ >= n)
			return false;
		if (l->op != WHEEL_OP_ARM || l->flags || l->id != a->id ||
		    l->when != a->when || l->slack != a->slack ||
		    l->period != a->period || l->cookie != a->cookie ||
		    l->reserved[0] || l->reserved[1] || l->reserved[2])
			return false;
	}
	return at == n;
}

WT_TEST(wheel, all_at_once)
{
	int n = list_all(self->fd, 0, TIMERS, self->listed, TIMERS);

	EXPECT_EQ((TIMERS + 2) / 3, n);
	EXPECT_TRUE(same(self->armed, self->listed, n));
	/* LIST does not change the timers. */
	EXPECT_EQ(0, wt_query(self->fd, self->armed[3].id, NULL));
	n = list_all(self->fd, 0, TIMERS, self->listed, TIMERS);
	EXPECT_EQ((TIMERS + 2) / 3, n);
}

WT_TEST(wheel, page_by_page)
{
	static const __u32 pages[] = { 1, 2, 3, 7, 63, 64, 65, 666, 667, 668 };
	unsigned int i;
	int n;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		n = list_all(self->fd, 0, pages[i], self->listed, TIMERS);
		EXPECT_EQ((TIMERS + 2) / 3, n);
		EXPECT_TRUE(same(self->armed, self->listed, n));
	}
}

/* LIST starts at the cursor. @done is 0 only at the end. */
WT_TEST(wheel, from_a_cursor)
{
	static const __u32 cursors[] = { 0, 1, 3, 1000, 1996, 1998, 1999 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cursors); i++) {
		self->list.cursor = cursors[i];
		ASSERT_EQ(0, wt_list(self->fd, 0, self->listed, 1,
				     &self->list));
		if (cursors[i] > 1998) {
			EXPECT_EQ(0, self->list.done);
			continue;
		}
		EXPECT_EQ(1, self->list.done);
		EXPECT_EQ((cursors[i] + 2) / 3 * 3,
			  WHEEL_ID_SLOT(self->listed[0].id));
		EXPECT_LT(WHEEL_ID_SLOT(self->listed[0].id),
			  self->list.cursor);
	}
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

/* Cancelled and expired timers are not listed. */
WT_TEST(wheel, only_what_is_pending)
{
	int i, n;

	for (i = 0; i < TIMERS; i += 6) {
		ASSERT_EQ(0, wt_cancel(self->fd, self->armed[i].id));
		self->armed[i].op = 0;
	}
	/* The slack of no earlier timer extends beyond this tick. */
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR + 11 * WT_MS, NULL));
	for (i = 0; i < TIMERS; i++)
		if (self->armed[i].when <= WT_HOUR + 11 * WT_MS)
			self->armed[i].op = 0;
	n = list_all(self->fd, 0, 50, self->listed, TIMERS);
	EXPECT_TRUE(same(self->armed, self->listed, n));
}

/* A moved timer is listed with its new deadline. */
WT_TEST(wheel, deadlines_as_they_are)
{
	int i, n;

	for (i = 0; i < TIMERS; i += 3) {
		struct wheel_op op = self->armed[i];

		op.op = WHEEL_OP_REARM;
		op.when += WT_HOUR;
		op.cookie = 0;
		op.period = 0;
		ASSERT_EQ(0, wt_do(self->fd, &op));
		self->armed[i].when = op.when;
	}
	n = list_all(self->fd, 0, 99, self->listed, TIMERS);
	EXPECT_TRUE(same(self->armed, self->listed, n));
}

/* The timers that STOP returned can be armed on a new wheel and are the same there. */
WT_TEST(wheel, moves_to_a_new_wheel)
{
	int fd, n;

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ((TIMERS + 2) / 3, self->unfired);
	n = list_all(self->fd, 0, 100, self->listed, TIMERS);
	ASSERT_EQ(self->unfired, n);
	EXPECT_TRUE(same(self->armed, self->listed, n));
	fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_batch(fd, self->listed, n));
	while (n--)
		ASSERT_EQ(0, self->listed[n].res);
	n = list_all(fd, 0, 100, self->listed, TIMERS);
	EXPECT_EQ(self->unfired, n);
	EXPECT_TRUE(same(self->armed, self->listed, n));
	close(fd);
}

/* TAKE frees the timers that it lists. The others remain. */
WT_TEST(wheel, take_frees)
{
	int n;

	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	ASSERT_EQ(0, wt_list(self->fd, WHEEL_LIST_TAKE, self->listed, 100,
			     &self->list));
	ASSERT_EQ(100, self->list.done);
	n = list_all(self->fd, 0, 100, self->listed + 100, TIMERS - 100);
	EXPECT_EQ(self->unfired - 100, n);
	EXPECT_TRUE(same(self->armed, self->listed, n + 100));
	EXPECT_EQ(n, list_all(self->fd, WHEEL_LIST_TAKE, 64,
			      self->listed + 100, TIMERS - 100));
	EXPECT_TRUE(same(self->armed, self->listed, n + 100));
	EXPECT_EQ(0, list_all(self->fd, 0, 64, self->listed, TIMERS));
	EXPECT_EQ(0, list_all(self->fd, WHEEL_LIST_TAKE, 64, self->listed,
			      TIMERS));
}

WT_TEST(wheel, take_before_stop_takes_nothing)
{
	int n;

	EXPECT_EQ(-EINVAL, wt_list(self->fd, WHEEL_LIST_TAKE, self->listed, 10,
				   &self->list));
	n = list_all(self->fd, 0, 100, self->listed, TIMERS);
	EXPECT_TRUE(same(self->armed, self->listed, n));
	EXPECT_EQ(0, wt_cancel(self->fd, self->armed[0].id));
}

/* Timers with unread events are not listed after STOP. */
WT_TEST(wheel, take_leaves_the_events)
{
	struct wheel_event event;
	int n;

	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR + WT_SEC, NULL));
	ASSERT_EQ(0, wt_stop(self->fd, &self->unfired));
	EXPECT_EQ(0, self->unfired);
	EXPECT_EQ(0, list_all(self->fd, WHEEL_LIST_TAKE, 100, self->listed,
			      TIMERS));
	for (n = 0; wt_read(self->fd, &event, 1) == 1; n++)
		EXPECT_EQ(event.id, self->armed[WHEEL_ID_SLOT(event.id)].id);
	EXPECT_EQ((TIMERS + 2) / 3, n);
}

WT_TEST(wheel, no_room_and_no_timers)
{
	int fd = wt_open_virtual(TIMERS, WT_MS);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wt_list(fd, 0, self->listed, 10, &self->list));
	EXPECT_EQ(0, self->list.done);
	self->list.cursor = 0;
	EXPECT_EQ(0, wt_list(self->fd, 0, self->listed, 0, &self->list));
	EXPECT_EQ(0, self->list.done);
	close(fd);
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
