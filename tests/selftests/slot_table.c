// SPDX-License-Identifier: GPL-2.0
/*
 * The state table of the ABI: every operation on a slot in every state, with the timer's own
 * id, an older one, a newer one, and one with generation 0.
 */
#include <kselftest_harness.h>

#include "wheel_test.h"

#define SLOT	9
/* The newest generation of the slot, except in state UNUSED. */
#define GEN	5
#define WHEN	(10 * WT_MS)
#define PERIOD	(10 * WT_MS)

FIXTURE(slot) {
	int fd;
	/* Counters and timer before the operation. */
	struct wheel_stats before;
	__u64 when_before;
	int query_before;
};

enum state {
	UNUSED, CANCELLED, READ, PENDING, FIRED,
	PERIODIC, PERIODIC_FIRED, PERIODIC_STOPPED, PERIODIC_ENDED,
};

/* The result of each operation with the timer's own id, generation GEN. */
FIXTURE_VARIANT(slot) {
	enum state state;
	int arm;
	int rearm;
	int cancel;
	int query;
	/* The result of ARM with any other id, if the slot is not free. */
	int arm_other;
	/* Number of events that will be delivered. */
	int events;
	/* The newest generation used by the slot. */
	__u64 seen;
};

FIXTURE_VARIANT_ADD(slot, unused) {
	.state = UNUSED, .arm = 0, .rearm = -ENOENT, .cancel = -ENOENT,
	.query = -ENOENT, .seen = 0,
};

FIXTURE_VARIANT_ADD(slot, cancelled) {
	.state = CANCELLED, .arm = -ESTALE, .rearm = -ENOENT,
	.cancel = -ENOENT, .query = -ENOENT, .seen = GEN,
};

FIXTURE_VARIANT_ADD(slot, read) {
	.state = READ, .arm = -ESTALE, .rearm = -ENOENT, .cancel = -ENOENT,
	.query = -ENOENT, .seen = GEN,
};

FIXTURE_VARIANT_ADD(slot, pending) {
	.state = PENDING, .arm = -EBUSY, .arm_other = -EBUSY, .events = 1,
};

FIXTURE_VARIANT_ADD(slot, fired) {
	.state = FIRED, .arm = -EBUSY, .rearm = -ENOENT, .cancel = -ENOENT,
	.query = -ENOENT, .arm_other = -EBUSY, .events = 1,
};

FIXTURE_VARIANT_ADD(slot, periodic) {
	.state = PERIODIC, .arm = -EBUSY, .arm_other = -EBUSY, .events = 1,
};

FIXTURE_VARIANT_ADD(slot, periodic_fired) {
	.state = PERIODIC_FIRED, .arm = -EBUSY, .rearm = -ENOENT, .cancel = 1,
	.query = -ENOENT, .arm_other = -EBUSY, .events = 1,
};

FIXTURE_VARIANT_ADD(slot, periodic_stopped) {
	.state = PERIODIC_STOPPED, .arm = -EBUSY, .rearm = -ENOENT,
	.cancel = -ENOENT, .query = -ENOENT, .arm_other = -EBUSY, .events = 1,
};

FIXTURE_VARIANT_ADD(slot, periodic_ended) {
	.state = PERIODIC_ENDED, .arm = -ESTALE, .rearm = -ENOENT,
	.cancel = -ENOENT, .query = -ENOENT, .seen = GEN,
};

/* Bring the slot into a state. */
static int bring(int fd, enum state state)
{
	__u64 id = WHEEL_ID(SLOT, GEN);
	struct wheel_event event;
	int ret = 0;

	if (state == UNUSED)
		return 0;
	ret |= wt_arm_every(fd, id, WHEN, state >= PERIODIC ? PERIOD : 0);
	if (state == PENDING || state == PERIODIC)
		return ret;
	if (state == CANCELLED)
		return ret | wt_cancel(fd, id);
	ret |= wt_advance(fd, WHEN, NULL);
	if (state == PERIODIC_STOPPED || state == PERIODIC_ENDED)
		ret |= wt_cancel(fd, id) - 1;
	if (state == READ || state == PERIODIC_ENDED)
		ret |= wt_read(fd, &event, 1) - 1;
	return ret;
}

FIXTURE_SETUP(slot)
{
	self->fd = wt_open_virtual(64, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, bring(self->fd, variant->state));
	ASSERT_EQ(0, wt_stats(self->fd, &self->before));
	self->query_before = wt_query(self->fd, WHEEL_ID(SLOT, GEN),
				      &self->when_before);
}

FIXTURE_TEARDOWN(slot)
{
	close(self->fd);
}

/* Check that a failed operation has no visible effect. */
static bool same(int fd, const struct wheel_stats *before, int query_before,
		 __u64 when_before)
{
	struct wheel_stats now;
	__u64 when;
	int query;

	query = wt_query(fd, WHEEL_ID(SLOT, GEN), &when);
	return !wt_stats(fd, &now) && !memcmp(before, &now, sizeof(now)) &&
		query == query_before && (query || when == when_before);
}

#define EXPECT_SAME() \
	EXPECT_TRUE(same(self->fd, &self->before, self->query_before, \
			 self->when_before))

/* The number of events up to the deadline WHEN, or -1 if others are delivered. */
static int events_to_come(int fd, enum state state)
{
	struct wheel_event event;
	int n = 0;

	/* One more tick, because a timer armed for WHEN at that time is due one tick later. */
	if (wt_advance(fd, WHEN + WT_MS, NULL))
		return -1;
	while (wt_read(fd, &event, 1) == 1) {
		if (WHEEL_ID_SLOT(event.id) != SLOT || event.deadline != WHEN)
			return -1;
		n++;
	}
	/* The next period of a continuing timer is not due yet. */
	return state > PERIODIC || wt_quiet(fd) ? n : -1;
}

static const __u64 other_gens[] = {
	0, 1, GEN - 1, GEN + 1, GEN + 2, (1ULL << 40) - 1,
};

WT_TEST(slot, arm_same_id)
{
	EXPECT_EQ(variant->arm, wt_arm(self->fd, WHEEL_ID(SLOT, GEN), WHEN));
	if (variant->arm)
		EXPECT_SAME();
	EXPECT_EQ(variant->arm ? variant->events : 1,
		  events_to_come(self->fd, variant->state));
}

WT_TEST(slot, rearm_same_id)
{
	EXPECT_EQ(variant->rearm,
		  wt_rearm(self->fd, WHEEL_ID(SLOT, GEN), WHEN));
	if (variant->rearm)
		EXPECT_SAME();
	EXPECT_EQ(variant->events, events_to_come(self->fd, variant->state));
}

WT_TEST(slot, cancel_same_id)
{
	bool pending = !self->query_before;

	EXPECT_EQ(variant->cancel, wt_cancel(self->fd, WHEEL_ID(SLOT, GEN)));
	if (variant->cancel)
		EXPECT_SAME();
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, WHEEL_ID(SLOT, GEN)));
	EXPECT_EQ(pending ? 0 : variant->events,
		  events_to_come(self->fd, variant->state));
}

WT_TEST(slot, query_same_id)
{
	__u64 when;

	EXPECT_EQ(variant->query,
		  wt_query(self->fd, WHEEL_ID(SLOT, GEN), &when));
	if (!variant->query)
		EXPECT_EQ(WHEN, when);
	EXPECT_SAME();
	EXPECT_EQ(variant->events, events_to_come(self->fd, variant->state));
}

WT_TEST(slot, arm_other_ids)
{
	unsigned int i;
	int expected;

	for (i = 0; i < ARRAY_SIZE(other_gens); i++) {
		__u64 id = WHEEL_ID(SLOT, other_gens[i]);

		expected = variant->arm_other;
		if (!expected && other_gens[i] <= variant->seen)
			expected = -ESTALE;
		if (!expected)
			continue;
		EXPECT_EQ(expected, wt_arm(self->fd, id, WHEN));
		EXPECT_SAME();
	}
	EXPECT_EQ(variant->events, events_to_come(self->fd, variant->state));
}

WT_TEST(slot, rearm_cancel_query_other_ids)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(other_gens); i++) {
		__u64 id = WHEEL_ID(SLOT, other_gens[i]);

		EXPECT_EQ(-ENOENT, wt_rearm(self->fd, id, 20 * WT_MS));
		EXPECT_EQ(-ENOENT, wt_cancel(self->fd, id));
		EXPECT_EQ(-ENOENT, wt_query(self->fd, id, NULL));
		EXPECT_SAME();
	}
	EXPECT_EQ(variant->events, events_to_come(self->fd, variant->state));
}

/* A newer generation arms a free slot. Only that id is valid afterwards. */
WT_TEST(slot, newer_generation)
{
	__u64 id = WHEEL_ID(SLOT, GEN + 1);

	if (variant->arm_other) {
		EXPECT_EQ(variant->arm_other, wt_arm(self->fd, id, WHEN));
		return;
	}
	EXPECT_EQ(0, wt_arm(self->fd, id, WT_HOUR));
	EXPECT_EQ(-EBUSY, wt_arm(self->fd, WHEEL_ID(SLOT, GEN + 2), WHEN));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, WHEEL_ID(SLOT, GEN)));
	EXPECT_EQ(-ENOENT, wt_rearm(self->fd, WHEEL_ID(SLOT, GEN), WHEN));
	EXPECT_EQ(0, wt_rearm(self->fd, id, WHEN));
	EXPECT_EQ(1, events_to_come(self->fd, variant->state));
	EXPECT_EQ(-ESTALE, wt_arm(self->fd, id, WHEN));
}

/* After the last generation, the slot cannot be armed again. */
WT_TEST(slot, last_generation)
{
	__u64 id = WHEEL_ID(SLOT, (1ULL << 40) - 1);

	if (variant->arm_other) {
		EXPECT_EQ(variant->arm_other, wt_arm(self->fd, id, WHEN));
		return;
	}
	EXPECT_EQ(0, wt_arm(self->fd, id, WHEN));
	EXPECT_EQ(0, wt_query(self->fd, id, NULL));
	EXPECT_EQ(0, wt_cancel(self->fd, id));
	EXPECT_EQ(-ESTALE, wt_arm(self->fd, id, WHEN));
	EXPECT_EQ(-ESTALE, wt_arm(self->fd, WHEEL_ID(SLOT, 0), WHEN));
	EXPECT_EQ(-ESTALE, wt_arm(self->fd, WHEEL_ID(SLOT, 1), WHEN));
	EXPECT_EQ(0, events_to_come(self->fd, variant->state));
}

/* A failed ARM does not use up its generation. */
WT_TEST(slot, refused_arm_keeps_the_generation)
{
	__u64 id = WHEEL_ID(SLOT, GEN + 1);

	if (variant->arm_other)
		SKIP(return, "not a free slot");
	EXPECT_EQ(-ERANGE, wt_arm(self->fd, id, 1ULL << 63));
	EXPECT_EQ(0, wt_arm(self->fd, id, WHEN));
	EXPECT_EQ(1, events_to_come(self->fd, variant->state));
}

/* An operation on one file does not affect the timers of another. */
WT_TEST(slot, another_file)
{
	int fd = wt_open_virtual(64, WT_MS);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOENT, wt_cancel(fd, WHEEL_ID(SLOT, GEN)));
	EXPECT_EQ(-ENOENT, wt_rearm(fd, WHEEL_ID(SLOT, GEN), WHEN));
	EXPECT_EQ(-ENOENT, wt_query(fd, WHEEL_ID(SLOT, GEN), NULL));
	EXPECT_EQ(0, wt_arm(fd, WHEEL_ID(SLOT, 1), WHEN));
	EXPECT_SAME();
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(variant->events, events_to_come(self->fd, variant->state));
}

TEST_HARNESS_MAIN
