// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in mapped memory, and due timers while the ring is full.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define ENTRIES	8
#define TIMERS	64
#define PAGE	wt_page()

static void *map(int fd, size_t size, int prot, off_t offset)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, offset);
}

FIXTURE(ring) {
	struct wt_ring ring;
	struct wheel_enter enter;
	struct wheel_stats stats;
};

FIXTURE_SETUP(ring)
{
	if (!(wt_features() & WHEEL_HAS_RINGS))
		SKIP(return, "no rings");
	ASSERT_TRUE(wt_ring_open_virtual(&self->ring, TIMERS, ENTRIES - 1));
}

FIXTURE_TEARDOWN(ring)
{
	close(self->ring.fd);
}

WT_TEST(ring, is_rounded_up)
{
	EXPECT_EQ(ENTRIES, self->ring.setup.events);
	EXPECT_EQ(0, wt_ring_tail(&self->ring));
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
}

WT_TEST(ring, p5_in_order_p1_never_early)
{
	__u32 i;

	for (i = 0; i < ENTRIES; i++)
		ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(i, 1), (ENTRIES - i) * WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, 3 * WT_MS - 1, NULL));
	EXPECT_EQ(2, wt_ring_tail(&self->ring));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC, NULL));
	ASSERT_EQ(ENTRIES, wt_ring_tail(&self->ring));
	for (i = 0; i < ENTRIES; i++) {
		EXPECT_EQ(WHEEL_ID(ENTRIES - 1 - i, 1), wt_ring_at(&self->ring, i)->id);
		EXPECT_EQ((i + 1) * WT_MS, wt_ring_at(&self->ring, i)->deadline);
		EXPECT_LE(wt_ring_at(&self->ring, i)->deadline, wt_ring_at(&self->ring, i)->fired);
		EXPECT_EQ(i, wt_ring_at(&self->ring, i)->seq);
	}
	/* The ring was full. ENTER finds that no other timer is due. */
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
	EXPECT_EQ(0, self->enter.ready);
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
}

WT_TEST(ring, p8_nothing_lost_when_it_is_full)
{
	__u32 head = 0, seen = 0;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, TIMERS, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC, NULL));
	EXPECT_EQ(ENTRIES, wt_ring_tail(&self->ring));
	EXPECT_EQ(WHEEL_RING_BACKLOG, wt_ring_flags(&self->ring));
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(ENTRIES, self->stats.unread);
	EXPECT_EQ(TIMERS - ENTRIES, self->stats.pending);
	while (seen < TIMERS) {
		ASSERT_NE(wt_ring_tail(&self->ring), head);
		for (; head != wt_ring_tail(&self->ring); head++)
			EXPECT_EQ(WHEEL_ID(seen++, 1), wt_ring_at(&self->ring, head)->id);
		wt_ring_take(&self->ring, head);
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
		EXPECT_EQ(seen < TIMERS ? ENTRIES : 0, self->enter.ready);
	}
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(0, self->stats.unread);
	EXPECT_EQ(TIMERS, self->stats.fired);
}

/*
 * Edge-triggered epoll reports an edge while due timers wait for space. A program that takes
 * all events, and calls ENTER while BACKLOG is set, has received all events before it sleeps.
 */
WT_TEST(ring, p8_by_edge_until_no_backlog)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, ep);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->ring.fd, &event));
	ASSERT_EQ(0, wt_arm_many(self->ring.fd, TIMERS, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
	wt_ring_take(&self->ring, wt_ring_tail(&self->ring));
	while (wt_ring_flags(&self->ring) & WHEEL_RING_BACKLOG) {
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
		wt_ring_take(&self->ring, wt_ring_tail(&self->ring));
	}
	EXPECT_EQ(TIMERS, wt_ring_tail(&self->ring));
	while (epoll_wait(ep, &event, 1, 0) == 1)
		;
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(1, 2), 2 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, 2 * WT_MS, NULL));
	EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
	close(ep);
}

/* Timers that waited for space expire before timers that are due later. */
WT_TEST(ring, p5_timers_that_waited_for_room_expire_first)
{
	__u32 i;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES + 1, 1), 2 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_advance(self->ring.fd, 2 * WT_MS, NULL));
	ASSERT_EQ(ENTRIES + 2, wt_ring_tail(&self->ring));
	for (i = ENTRIES; i < ENTRIES + 2; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), wt_ring_at(&self->ring, i)->id);
}

/* A due timer stays pending until the ring has space for its event. */
WT_TEST(ring, due_timer_without_room_is_pending)
{
	ASSERT_EQ(0, wt_arm_many(self->ring.fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(0, 2), 5 * WT_MS));
	EXPECT_EQ(-EBUSY, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES, 2), 5 * WT_MS));
	EXPECT_EQ(0, wt_query(self->ring.fd, WHEEL_ID(ENTRIES, 1), &(__u64){ 0 }));
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_enter(self->ring.fd, 1, 0, &self->enter));
	EXPECT_EQ(1, self->enter.ready);
	EXPECT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES, 2), 5 * WT_MS));
}

/* P4: such a timer can be cancelled. Then its event is not published. */
WT_TEST(ring, p4_due_timer_without_room_can_be_cancelled)
{
	ASSERT_EQ(0, wt_arm_many(self->ring.fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_cancel(self->ring.fd, WHEEL_ID(ENTRIES, 1)));
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
	EXPECT_EQ(0, self->enter.ready);
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
}

/* A periodic timer continues when its event is put into the ring, and counts missed periods. */
WT_TEST(ring, periods_go_on_as_far_as_there_is_room)
{
	ASSERT_EQ(0, wt_arm_every(self->ring.fd, WHEEL_ID(0, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(1, wt_ring_tail(&self->ring));
	ASSERT_EQ(0, wt_advance(self->ring.fd, 4 * WT_MS, NULL));
	EXPECT_EQ(2, wt_ring_tail(&self->ring));
	EXPECT_EQ(2, wt_ring_at(&self->ring, 1)->overrun);
	EXPECT_EQ(4 * WT_MS, wt_ring_at(&self->ring, 1)->deadline);
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC, NULL));
	EXPECT_EQ(3, wt_ring_tail(&self->ring));
	EXPECT_EQ(1, wt_cancel(self->ring.fd, WHEEL_ID(0, 1)));
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
}

/* CANCEL returns 1 if an event of the timer is in the ring, otherwise 0. */
WT_TEST(ring, p4_cancel_tells_of_an_event_in_the_ring)
{
	__u64 id = WHEEL_ID(0, 1);

	ASSERT_EQ(0, wt_arm_every(self->ring.fd, id, WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_query(self->ring.fd, id, &(__u64){ 0 }));
	EXPECT_EQ(1, wt_cancel(self->ring.fd, id));
	EXPECT_EQ(-ENOENT, wt_cancel(self->ring.fd, id));
	EXPECT_EQ(id, wt_ring_at(&self->ring, 0)->id);
	wt_ring_take(&self->ring, 1);

	id = WHEEL_ID(0, 2);
	ASSERT_EQ(0, wt_arm_every(self->ring.fd, id, 2 * WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, 2 * WT_MS, NULL));
	ASSERT_EQ(2, wt_ring_tail(&self->ring));
	wt_ring_take(&self->ring, 2);
	EXPECT_EQ(0, wt_cancel(self->ring.fd, id));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC, NULL));
	EXPECT_EQ(2, wt_ring_tail(&self->ring));

	/* The event of a previous timer in the slot does not affect the new one. */
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(0, 3), WT_SEC + WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC + WT_MS, NULL));
	ASSERT_EQ(0, wt_arm_every(self->ring.fd, WHEEL_ID(0, 4), WT_HOUR, WT_MS));
	EXPECT_EQ(0, wt_cancel(self->ring.fd, WHEEL_ID(0, 4)));
}

WT_TEST(ring, positions_wrap)
{
	__u32 head;

	for (head = 0; head < 5 * ENTRIES; head += 3) {
		__u64 when = (head + 1) * WT_MS;

		ASSERT_EQ(0, wt_arm_many(self->ring.fd, 3, head + 1, when));
		ASSERT_EQ(0, wt_advance(self->ring.fd, when, NULL));
		ASSERT_EQ(head + 3, wt_ring_tail(&self->ring));
		EXPECT_EQ(WHEEL_ID(2, head + 1), wt_ring_at(&self->ring, head + 2)->id);
		wt_ring_take(&self->ring, head + 3);
	}
}

/* With an invalid head, no timer is lost. */
WT_TEST(ring, a_wrong_head_loses_nothing)
{
	static const __u32 heads[] = { ~0U, 1, 1U << 31, 0xcccccccc };
	unsigned int i;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, TIMERS, 1, WT_MS));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		wt_ring_take(&self->ring, heads[i]);
		ASSERT_EQ(0, wt_advance(self->ring.fd, i * WT_MS, NULL));
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
		EXPECT_GE(ENTRIES, self->enter.ready);
	}
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(TIMERS, self->stats.fired + self->stats.pending);
	EXPECT_TRUE(wt_balanced(&self->stats));
}

WT_TEST(ring, read_does_not_see_it)
{
	struct wheel_event event;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(-1, read(self->ring.fd, &event, sizeof(event)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(1, wt_wait(self->ring.fd));
}

/* An area must be mapped whole, from its start, and only the user page is writable. */
WT_TEST(ring, maps_only_what_is_there)
{
	int rw = PROT_READ | PROT_WRITE;

	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, PAGE, rw, WHEEL_OFF_KERNEL));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, PAGE, rw, WHEEL_OFF_EVENTS));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, PAGE, PROT_READ | PROT_EXEC,
				  WHEEL_OFF_USER));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, 2 * PAGE, PROT_READ, WHEEL_OFF_EVENTS));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, PAGE, rw, WHEEL_OFF_TOUCH));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(self->ring.fd, PAGE, PROT_READ, 7 * PAGE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, self->ring.fd,
				   WHEEL_OFF_KERNEL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, mprotect(self->ring.kernel, PAGE, rw));
	EXPECT_EQ(EACCES, errno);
	/* Only files with touch words use next_wake. */
	EXPECT_EQ(0, self->ring.kernel->next_wake);
}

TEST_HARNESS_MAIN
