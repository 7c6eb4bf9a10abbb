// SPDX-License-Identifier: GPL-2.0
/*
 * read(): whole events, as many as fit, with sequence numbers. Events that a call does not
 * return remain unread. deferred_race.c tests blocking reads and their wake-ups.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "wheel_test.h"

#define TIMERS	1000
#define EVENT	sizeof(struct wheel_event)

FIXTURE(wheel) {
	int fd;
	struct wheel_event events[TIMERS];
};

/* Ten unread events: that of slot i has the deadline i + 1 ms. */
FIXTURE_SETUP(wheel)
{
	int i;

	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), (i + 1) * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 10 * WT_MS, NULL));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static bool is_event(const struct wheel_event *e, __u32 nr)
{
	return e->id == WHEEL_ID(nr, 1) && e->cookie == ~WHEEL_ID(nr, 1) &&
		e->deadline == (nr + 1) * WT_MS && e->fired >= e->deadline &&
		e->fired <= 10 * WT_MS && e->overrun == 0 && e->seq == nr &&
		e->res == 0;
}

/* The buffer after the last whole event is not modified. */
WT_TEST(wheel, nothing_beyond_whole_events)
{
	unsigned char *byte = (unsigned char *)(self->events + 1);
	size_t i;

	memset(self->events, WT_POISON, sizeof(self->events));
	ASSERT_EQ(EVENT, read(self->fd, self->events, 2 * EVENT - 1));
	EXPECT_TRUE(is_event(self->events, 0));
	for (i = 0; i < EVENT; i++)
		EXPECT_EQ(WT_POISON, byte[i]);
	ASSERT_EQ(3 * EVENT, read(self->fd, self->events, 4 * EVENT - 1));
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(is_event(&self->events[i], i + 1));
}

/* As many events as fit are returned, not limited to a batch of the kernel. */
WT_TEST(wheel, as_many_as_fit)
{
	int i;

	for (i = 10; i < TIMERS; i++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), 0));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_EQ(TIMERS - 1, wt_read(self->fd, self->events, TIMERS - 1));
	EXPECT_EQ(1, wt_read(self->fd, self->events, TIMERS));
	EXPECT_EQ(TIMERS - 1, self->events[0].seq);
}

/* The file is in blocking mode, but the call must not block. */
WT_TEST(wheel, call_without_waiting)
{
	struct iovec all = { self->events, sizeof(self->events) };

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR));
	EXPECT_EQ(10 * EVENT, preadv2(self->fd, &all, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(-1, preadv2(self->fd, &all, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(EAGAIN, errno);
}

/* This also applies if there is nothing to read. */
WT_TEST(wheel, short_buffer_is_einval)
{
	size_t size;

	for (size = 0; size < EVENT; size++) {
		EXPECT_EQ(-1, read(self->fd, self->events, size));
		EXPECT_EQ(EINVAL, errno);
	}
	ASSERT_EQ(10, wt_read(self->fd, self->events, TIMERS));
	EXPECT_EQ(-1, read(self->fd, self->events, EVENT - 1));
	EXPECT_EQ(EINVAL, errno);
}

/* The total length counts: an event may be split across buffers. */
WT_TEST(wheel, readv_of_pieces)
{
	struct iovec iov[] = {
		{ self->events, 1 },
		{ (char *)self->events + 1, EVENT + 10 },
		{ (char *)self->events + EVENT + 11, EVENT - 10 },
	};
	int i;

	ASSERT_EQ(2 * EVENT, readv(self->fd, iov, 3));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(is_event(&self->events[i], i));
	EXPECT_EQ(-1, readv(self->fd, iov, 1));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
	EXPECT_TRUE(is_event(self->events, 2));
}

/* The file is not seekable. */
WT_TEST(wheel, no_seek_no_pread_no_write)
{
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->fd, self->events, EVENT, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, write(self->fd, self->events, EVENT));
	ASSERT_EQ(10, wt_read(self->fd, self->events, TIMERS));
	EXPECT_TRUE(is_event(self->events, 0));
}

TEST_HARNESS_MAIN
