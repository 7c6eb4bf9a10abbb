// SPDX-License-Identifier: GPL-2.0
/*
 * Memory whose page faults block: while one call waits for a page that userfaultfd does
 * not provide, all other calls proceed.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "wheel_test.h"

#define PAGE	wt_page()
#define TIMERS	256

struct stalled {
	pthread_t thread;
	int fd;
	void *page;
	int (*call)(int fd, void *page);
	int ret;
};

FIXTURE(wheel) {
	int fd;
	/* A page that is missing until deliver() provides it. */
	int uffd;
	char *page;
	struct stalled stalled;
};

FIXTURE_SETUP(wheel)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->uffd < 0)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_API, &api));
	self->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	reg.range.start = wt_addr(self->page);
	reg.range.len = PAGE;
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_REGISTER, &reg));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->uffd);
	close(self->fd);
}

static void *call_it(void *arg)
{
	struct stalled *s = arg;

	s->ret = s->call(s->fd, s->page);
	return NULL;
}

/* Start the call and wait until it blocks on the page. */
static int stall(struct stalled *s, int uffd)
{
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	struct uffd_msg msg;

	if (pthread_create(&s->thread, NULL, call_it, s) ||
	    poll(&p, 1, -1) != 1 || read(uffd, &msg, sizeof(msg)) < 0)
		return -1;
	return msg.event == UFFD_EVENT_PAGEFAULT ? 0 : -1;
}

#define STALL(function) do { \
	self->stalled = (struct stalled){ \
		.fd = self->fd, .page = self->page, .call = (function), \
	}; \
	ASSERT_EQ(0, stall(&self->stalled, self->uffd)); \
} while (0)

static int deliver(struct stalled *s, int uffd, void *content)
{
	struct uffdio_copy copy = {
		.dst = wt_addr(s->page), .src = wt_addr(content), .len = PAGE,
	};

	return ioctl(uffd, UFFDIO_COPY, &copy) ||
		pthread_join(s->thread, NULL);
}

/* Use all other commands meanwhile. Returns the line of a failed check, or 0. */
static int use_all(int fd, __u64 now, __u64 gen)
{
	struct wheel_list list = {};
	struct wheel_stats stats;
	struct wheel_setup info;
	struct wheel_op op;
	int twin;

	if (wt_arm(fd, WHEEL_ID(100, gen), now + WT_HOUR) ||
	    wt_rearm(fd, WHEEL_ID(100, gen), now + 2 * WT_HOUR) ||
	    wt_query(fd, WHEEL_ID(100, gen), NULL) ||
	    wt_arm(fd, WHEEL_ID(101, gen), now + WT_MS))
		return __LINE__;
	if (wt_advance(fd, now + WT_MS, NULL) || wt_quiet(fd))
		return __LINE__;
	if (wt_cancel(fd, WHEEL_ID(100, gen)) || wt_stats(fd, &stats) ||
	    wt_info(fd, &info) || wt_list(fd, 0, &op, 1, &list))
		return __LINE__;
	twin = dup(fd);
	return close(twin) ? __LINE__ : 0;
}

static int submit_page(int fd, void *page)
{
	struct wheel_submit batch = {
		.size = sizeof(batch), .ops = wt_addr(page),
		.op_size = sizeof(struct wheel_op), .count = 2,
	};

	return wt_ioctl(fd, WHEEL_IOC_SUBMIT, &batch) ?:
		(int)batch.done * 10 + (int)batch.failed;
}

static int list_page(int fd, void *page)
{
	struct wheel_list list = {
		.size = sizeof(list), .timers = wt_addr(page),
		.op_size = sizeof(struct wheel_op), .count = 64,
	};

	return wt_ioctl(fd, WHEEL_IOC_LIST, &list) ?: (int)list.done;
}

static int read_page(int fd, void *page)
{
	ssize_t got = read(fd, page, PAGE);

	return got < 0 ? -errno : (int)(got / sizeof(struct wheel_event));
}

WT_TEST(wheel, others_go_on_while_a_batch_is_stalled)
{
	struct wheel_op ops[WT_PAGE_MOST / sizeof(struct wheel_op)] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WT_HOUR),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(2, 1), WT_HOUR),
	};

	STALL(submit_page);
	EXPECT_EQ(-ENOENT, wt_query(self->fd, WHEEL_ID(1, 1), NULL));
	EXPECT_EQ(0, use_all(self->fd, 0, 1));
	ASSERT_EQ(0, deliver(&self->stalled, self->uffd, ops));
	EXPECT_EQ(20, self->stalled.ret);
	EXPECT_EQ(0, wt_query(self->fd, WHEEL_ID(2, 1), NULL));
}

WT_TEST(wheel, others_go_on_while_a_list_is_stalled)
{
	char zero[WT_PAGE_MOST] = {};

	ASSERT_EQ(0, wt_arm_many(self->fd, 10, 1, WT_HOUR));
	STALL(list_page);
	EXPECT_EQ(0, use_all(self->fd, 0, 1));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(3, 1)));
	ASSERT_EQ(0, deliver(&self->stalled, self->uffd, zero));
	/* The list shows the timers at some time during the call. */
	EXPECT_LE(9, self->stalled.ret);
	EXPECT_GE(11, self->stalled.ret);
}

/* The events of a stalled read() are delivered to it or to other readers, and none is lost. */
WT_TEST(wheel, others_go_on_while_a_reader_is_stalled)
{
	struct wheel_event event, events[16];
	char zero[WT_PAGE_MOST] = {};
	int rest;

	ASSERT_EQ(0, wt_arm_many(self->fd, 10, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	STALL(read_page);
	EXPECT_EQ(0, use_all(self->fd, WT_MS, 1));
	ASSERT_EQ(0, deliver(&self->stalled, self->uffd, zero));
	EXPECT_LT(0, self->stalled.ret);
	memcpy(&event, self->page, sizeof(event));
	EXPECT_EQ(WHEEL_ID(0, 1), event.id);
	rest = wt_read_all(self->fd, events, 16, 16);
	EXPECT_EQ(11, self->stalled.ret + (rest > 0 ? rest : 0));
}

/* A stalled batch does not delay STOP. Its operations then fail with ESHUTDOWN. */
WT_TEST(wheel, stop_while_a_batch_is_stalled)
{
	struct wheel_op ops[WT_PAGE_MOST / sizeof(struct wheel_op)] = {
		wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WT_HOUR),
		wt_op(WHEEL_OP_ARM, WHEEL_ID(2, 1), WT_HOUR),
	};
	__u64 unfired;

	STALL(submit_page);
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	EXPECT_EQ(0, unfired);
	ASSERT_EQ(0, deliver(&self->stalled, self->uffd, ops));
	EXPECT_EQ(22, self->stalled.ret);
}

TEST_HARNESS_MAIN
