// SPDX-License-Identifier: GPL-2.0
/*
 * P8: a slow reader, or a small or inaccessible buffer, delays events, but no event is lost.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "wheel_test.h"

#define PAGE	wt_page()
#define LONGEST	4096
#define TIMERS	4096
#define EVENT	sizeof(struct wheel_event)

FIXTURE(wheel) {
	int fd;
	struct wheel_event events[256];
	/* Two pages, of which the second is inaccessible. */
	char *page;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	ASSERT_EQ(0, mprotect(self->page + PAGE, PAGE, PROT_NONE));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* Expire slots from..to-1, one per tick, so that slot i has sequence number i. */
static int fire(int fd, int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		if (wt_arm(fd, WHEEL_ID(i, 1), (i + 1) * WT_MS))
			return -1;
	return wt_advance(fd, to * WT_MS, NULL);
}

/* Check that the events have the sequence numbers first, first + 1 and so on. */
static bool in_line(const struct wheel_event *events, int n, int first)
{
	int i;

	for (i = 0; i < n; i++)
		if (events[i].id != WHEEL_ID(first + i, 1) ||
		    events[i].seq != (__u32)(first + i))
			return false;
	return true;
}

/* A failed read() does not consume the event of a periodic timer. */
WT_TEST(wheel, p8_nothing_lost_of_a_period)
{
	int i;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(0, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 10 * WT_MS, NULL));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(-1, read(self->fd, self->page + PAGE, 48));
		EXPECT_EQ(EFAULT, errno);
	}
	EXPECT_LEDGER(self->fd, .armed = 1, .fired = 1, .unread = 1);
	ASSERT_EQ(1, wt_read(self->fd, self->events, 200));
	EXPECT_EQ(10 * WT_MS, self->events[0].deadline);
	EXPECT_EQ(9, self->events[0].overrun);
	EXPECT_LEDGER(self->fd, .armed = 2, .fired = 1, .overruns = 9);
}

/* A read() that a fault ends leaves events, for which an edge-triggered epoll gets another edge. */
WT_TEST(wheel, p8_edge_after_a_fault)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, fire(self->fd, 0, 8));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(2 * 48, read(self->fd, self->page + PAGE - 2 * 48, 8 * 48));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(6, wt_read_all(self->fd, self->events, 256, 256));
	close(epoll);
}

/* A read() that leaves events is a check: the next event causes an edge. */
WT_TEST(wheel, p8_edge_after_a_short_read)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0), i;

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, fire(self->fd, 2 * i, 2 * i + 2));
		EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
		EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
		ASSERT_EQ(1, wt_read(self->fd, self->events, 1));
		EXPECT_TRUE(in_line(self->events, 1, i));
	}
	EXPECT_EQ(8, wt_read_all(self->fd, self->events, 256, 256));
	close(epoll);
}

/* Of two workers with one epoll, the first is killed before it calls read(). */
WT_TEST(wheel, p8_edge_after_a_killed_worker)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, fire(self->fd, 0, 1));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	ASSERT_EQ(0, fire(self->fd, 1, 2));
	EXPECT_EQ(1, epoll_wait(epoll, &event, 1, 0));
	EXPECT_EQ(2, wt_read_all(self->fd, self->events, 256, 2));
	close(epoll);
}

/* Map pages that do not exist until they are accessed. */
static char *missing_pages(int pages)
{
	return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The page of an event, or its second page, is added during the call, which copies it again. */
WT_TEST(wheel, p8_missing_pages)
{
	char *room = missing_pages(4), *at = room + PAGE - EVENT / 2;
	enum { N = 200 };

	ASSERT_NE(MAP_FAILED, room);
	ASSERT_LT(2 * PAGE, N * EVENT);
	ASSERT_EQ(0, fire(self->fd, 0, N + 1));
	ASSERT_EQ(N * EVENT, read(self->fd, at, N * EVENT));
	EXPECT_TRUE(in_line((struct wheel_event *)at, N, 0));
	EXPECT_LEDGER(self->fd, .armed = N + 1, .fired = N + 1, .unread = 1);
}

/* The same for readv(), whose buffers may begin and end within an event. */
WT_TEST(wheel, p8_missing_pages_of_readv)
{
	char *one = missing_pages(2), *two = missing_pages(2);
	struct iovec iov[] = {
		{ one + PAGE - EVENT / 2, 2 * EVENT + 1 },
		{ two + PAGE - EVENT / 2, 3 * EVENT - 1 },
	};

	ASSERT_NE(MAP_FAILED, one);
	ASSERT_NE(MAP_FAILED, two);
	ASSERT_EQ(0, fire(self->fd, 0, 6));
	ASSERT_EQ(5 * EVENT, readv(self->fd, iov, 2));
	memcpy(self->events, iov[0].iov_base, iov[0].iov_len);
	memcpy((char *)self->events + iov[0].iov_len, iov[1].iov_base, iov[1].iov_len);
	EXPECT_TRUE(in_line(self->events, 5, 0));
	EXPECT_LEDGER(self->fd, .armed = 6, .fired = 6, .unread = 1);
}

/* Random accessible and inaccessible buffers while new events arrive. */
WT_TEST(wheel, p8_nothing_lost_at_random)
{
	__u64 seed = wt_seed();
	int fired = 0, at = 0;

	while (at < 3000) {
		size_t off = wt_below(&seed, 2 * PAGE);
		size_t len = wt_below(&seed, LONGEST);
		ssize_t got;
		int n;

		if (fired < 3000) {
			n = wt_below(&seed, 40);
			ASSERT_EQ(0, fire(self->fd, fired, fired + n));
			fired += n;
		}
		got = read(self->fd, self->page + off, len);
		if (got < 0) {
			ASSERT_TRUE(errno == (len < 48 ? EINVAL : EFAULT) ||
				    (errno == EAGAIN && at == fired));
			continue;
		}
		ASSERT_EQ(0, got % 48);
		ASSERT_GE(PAGE, off + got);
		memcpy(self->events, self->page + off, got);
		ASSERT_TRUE(in_line(self->events, got / 48, at));
		at += got / 48;
	}
	EXPECT_EQ(fired, at + wt_read_all(self->fd, self->events, 256, 256));
}

TEST_HARNESS_MAIN
