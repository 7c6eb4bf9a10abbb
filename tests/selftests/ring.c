// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in mapped memory, and due timers while the ring is full.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define ENTRIES	8
#define TIMERS	64

FIXTURE(ring) {
	struct wt_ring ring;
	struct wheel_enter enter;
	struct wheel_stats stats;
};

FIXTURE_SETUP(ring)
{
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
	/* Only files with words use it. */
	EXPECT_EQ(0, self->ring.kernel->next_wake);
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

TEST_HARNESS_MAIN
