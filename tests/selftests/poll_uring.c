// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring's polls: one that stays is told of an event at the wake-up, and does not ask
 * the file again.
 */
#include <kselftest_harness.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define TIMERS	64
#define ENTRIES	8

struct uring {
	struct io_uring_params params;
	struct io_uring_sqe *sqe;
	char *rings;
	__u32 told;
	int fd;
};

static int uring_enter(const struct uring *u, __u32 submit, __u32 wait, __u32 flags)
{
	return syscall(__NR_io_uring_enter, u->fd, submit, wait, flags, NULL, 0);
}

static void *map(const struct uring *u, size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, offset);
}

/* Begins a poll that stays. */
static bool watch(struct uring *u, int fd)
{
	__u32 *tail = (__u32 *)(u->rings + u->params.sq_off.tail);

	*u->sqe = (struct io_uring_sqe) {
		.opcode = IORING_OP_POLL_ADD, .fd = fd,
		.len = IORING_POLL_ADD_MULTI, .poll_events = POLLIN,
	};
	*(__u32 *)(u->rings + u->params.sq_off.array) = 0;
	__atomic_store_n(tail, 1, __ATOMIC_RELEASE);
	return uring_enter(u, 1, 0, 0) == 1;
}

/* Collects all that the poll was told since the last call; waits for so many answers. */
static int told(struct uring *u, __u32 wait)
{
	const struct io_uring_cqe *cqe = (void *)(u->rings + u->params.cq_off.cqes);
	__u32 *head = (__u32 *)(u->rings + u->params.cq_off.head);
	__u32 *tail = (__u32 *)(u->rings + u->params.cq_off.tail);
	int mask = 0;

	/* The poll is told of a wake-up on the way out of a call. */
	uring_enter(u, 0, wait, IORING_ENTER_GETEVENTS);
	while (u->told != __atomic_load_n(tail, __ATOMIC_ACQUIRE))
		mask |= cqe[u->told++ % u->params.cq_entries].res;
	__atomic_store_n(head, u->told, __ATOMIC_RELEASE);
	return mask;
}

FIXTURE(uring) {
	struct uring uring;
};

FIXTURE_SETUP(uring)
{
	struct uring *u = &self->uring;
	size_t size;

	u->fd = syscall(__NR_io_uring_setup, ENTRIES, &u->params);
	if (u->fd < 0)
		SKIP(return, "no io_uring");
	size = u->params.cq_off.cqes + u->params.cq_entries * sizeof(struct io_uring_cqe);
	u->rings = map(u, size, IORING_OFF_SQ_RING);
	ASSERT_NE(MAP_FAILED, u->rings);
	u->sqe = map(u, u->params.sq_entries * sizeof(*u->sqe), IORING_OFF_SQES);
	ASSERT_NE(MAP_FAILED, u->sqe);
}

FIXTURE_TEARDOWN(uring)
{
	close(self->uring.fd);
}

WT_TEST(uring, p8_hears_of_each_event)
{
	struct wheel_event events[2];
	__u64 unfired;
	int fd = wt_open_virtual(TIMERS, WT_MS);
	__u64 gen;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(watch(&self->uring, fd));
	EXPECT_EQ(0, told(&self->uring, 0));
	for (gen = 1; gen <= 10; gen++) {
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, gen), gen * WT_MS));
		ASSERT_EQ(0, wt_advance(fd, gen * WT_MS, NULL));
		EXPECT_EQ(POLLIN, told(&self->uring, 0));
		EXPECT_EQ(1, wt_read(fd, events, 2));
	}
	EXPECT_EQ(0, told(&self->uring, 0));
	ASSERT_EQ(0, wt_stop(fd, &unfired));
	EXPECT_NE(0, told(&self->uring, 0));
	close(fd);
}

/* A program that takes events from a ring makes no call at all; ADVANCE would be one. */
WT_TEST(uring, p8_hears_of_each_event_in_the_ring)
{
	struct wheel_setup setup = { .timers = TIMERS, .events = ENTRIES };
	struct wt_ring ring;
	__u64 gen;

	if (!(wt_features() & WHEEL_HAS_RINGS))
		SKIP(return, "no rings");
	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_TRUE(watch(&self->uring, ring.fd));
	for (gen = 1; gen <= 10; gen++) {
		ASSERT_EQ(0, wt_arm_rel(ring.fd, WHEEL_ID(1, gen), WT_MS));
		/* A user in debt for expiries is told before there is an event, too. */
		do {
			ASSERT_EQ(POLLIN, told(&self->uring, 1));
		} while (wt_ring_tail(&ring) != gen);
		wt_ring_take(&ring, gen);
	}
	close(ring.fd);
}

TEST_HARNESS_MAIN
