// SPDX-License-Identifier: GPL-2.0
/*
 * Slots picked by the kernel: ids are never reused, the limit is exact, and each slot
 * becomes free after its timer has ended.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"

#define TIMERS	100
#define WHEN	(10 * WT_MS)

FIXTURE(any) {
	int fd;
};

FIXTURE_SETUP(any)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_ANY_SLOT, .timers = TIMERS,
		.clock = WHEEL_CLOCK_VIRTUAL,
	};

	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(any)
{
	close(self->fd);
}

/* The id is an output. Its value before the call does not matter. */
static int arm(int fd, __u64 when, __u64 period, __u64 *id)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, 0, when);
	int ret;

	memset(&op.id, WT_POISON, sizeof(op.id));
	op.period = period;
	ret = wt_do(fd, &op);
	*id = op.id;
	return ret;
}

/* Arm until the limit is reached. Returns the number of armed timers. */
static int fill(int fd, __u64 when, __u64 *ids)
{
	__u64 spare;
	int n = 0;

	while (n <= TIMERS && !arm(fd, when, 0, n < TIMERS ? &ids[n] : &spare))
		n++;
	return n;
}

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool distinct(__u64 *ids, size_t n)
{
	size_t i;

	qsort(ids, n, sizeof(*ids), compare);
	for (i = 1; i < n; i++)
		if (ids[i] == ids[i - 1])
			return false;
	return true;
}

WT_TEST(any, every_id_names_its_timer)
{
	__u64 ids[TIMERS], when;
	int i;

	ASSERT_EQ(TIMERS, fill(self->fd, WHEN, ids));
	for (i = 0; i < TIMERS; i++) {
		EXPECT_GT(TIMERS, WHEEL_ID_SLOT(ids[i]));
		EXPECT_LT(0, WHEEL_ID_GEN(ids[i]));
		EXPECT_EQ(0, wt_rearm(self->fd, ids[i], WHEN + i));
	}
	for (i = 0; i < TIMERS; i++) {
		EXPECT_EQ(0, wt_query(self->fd, ids[i], &when));
		EXPECT_EQ(WHEN + i, when);
	}
	EXPECT_TRUE(distinct(ids, TIMERS));
}

WT_TEST(any, full_is_edquot_exactly)
{
	__u64 ids[TIMERS], id;
	int i;

	ASSERT_EQ(TIMERS, fill(self->fd, WHEN, ids));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-EDQUOT, arm(self->fd, WHEN, 0, &id));
	/* One rejected arm in fill(), three here. */
	EXPECT_LEDGER(self->fd, .armed = TIMERS, .refused = 4);
}

/* Each CANCEL makes room for exactly one timer. Compare Netty issue #14959. */
WT_TEST(any, a_cancel_makes_room_for_one)
{
	__u64 ids[TIMERS], id;
	int round, i;

	ASSERT_EQ(TIMERS, fill(self->fd, WHEN, ids));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < TIMERS; i += 7) {
			ASSERT_EQ(0, wt_cancel(self->fd, ids[i]));
			EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ids[i]));
			ASSERT_EQ(0, arm(self->fd, WHEN, 0, &id));
			EXPECT_NE(ids[i], id);
			ids[i] = id;
			EXPECT_EQ(-EDQUOT, arm(self->fd, WHEN, 0, &id));
		}
	}
}

/* Half of the timers are cancelled just before the tick at which the others expire. */
WT_TEST(any, cancel_beside_expiry_is_counted_once)
{
	struct wheel_event events[TIMERS];
	__u64 ids[TIMERS];
	int i;

	ASSERT_EQ(TIMERS, fill(self->fd, WHEN, ids));
	for (i = 0; i < TIMERS; i += 2)
		ASSERT_EQ(0, wt_cancel(self->fd, ids[i]));
	ASSERT_EQ(0, wt_advance(self->fd, WHEN, NULL));
	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ids[i]));
	EXPECT_EQ(TIMERS / 2, fill(self->fd, 2 * WHEN, ids));
	EXPECT_EQ(TIMERS / 2, wt_read_all(self->fd, events, TIMERS, TIMERS));
	EXPECT_EQ(TIMERS / 2, fill(self->fd, 2 * WHEN, ids));
}

/* An unread event occupies its slot. Reading it frees the slot. */
WT_TEST(any, unread_events_hold_their_slots)
{
	struct wheel_event events[TIMERS];
	__u64 ids[TIMERS], id;
	int i;

	ASSERT_EQ(TIMERS, fill(self->fd, WHEN, ids));
	ASSERT_EQ(0, wt_advance(self->fd, WHEN, NULL));
	EXPECT_EQ(-EDQUOT, arm(self->fd, WHEN, 0, &id));
	for (i = 1; i <= 10; i++) {
		ASSERT_EQ(1, wt_read(self->fd, events, 1));
		ASSERT_EQ(0, arm(self->fd, 2 * WHEN, 0, &id));
		EXPECT_EQ(-EDQUOT, arm(self->fd, 2 * WHEN, 0, &id));
	}
	EXPECT_EQ(TIMERS - 10, wt_read_all(self->fd, events, TIMERS, TIMERS));
	EXPECT_EQ(TIMERS - 10, fill(self->fd, 2 * WHEN, ids));
}

WT_TEST(any, periodic_timers_hold_theirs_until_stopped)
{
	struct wheel_event event;
	__u64 ids[TIMERS], id;

	ASSERT_EQ(0, arm(self->fd, WHEN, WHEN, &id));
	ASSERT_EQ(TIMERS - 1, fill(self->fd, WT_HOUR, ids));
	ASSERT_EQ(0, wt_advance(self->fd, WHEN, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(id, event.id);
	EXPECT_EQ(0, fill(self->fd, WHEN, ids));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WHEN, NULL));
	EXPECT_EQ(1, wt_cancel(self->fd, id));
	EXPECT_EQ(0, fill(self->fd, WHEN, ids));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(1, fill(self->fd, WHEN, ids));
}

WT_TEST(any, an_arm_that_fails_holds_no_slot)
{
	__u64 ids[TIMERS], id;
	int i;

	for (i = 0; i < 2 * TIMERS; i++)
		EXPECT_EQ(-ERANGE, arm(self->fd, 1ULL << 63, 0, &id));
	EXPECT_EQ(TIMERS, fill(self->fd, WHEN, ids));
}

/* In a batch beyond the limit, the first arms succeed and the others fail with EDQUOT. */
WT_TEST(any, a_batch_over_the_limit)
{
	struct wheel_op ops[TIMERS + 20];
	__u64 ids[TIMERS];
	int i;

	for (i = 0; i < TIMERS + 20; i++)
		ops[i] = wt_op(WHEEL_OP_ARM, ~0ULL, WHEN);
	ASSERT_EQ(0, wt_batch(self->fd, ops, TIMERS + 20));
	for (i = 0; i < TIMERS + 20; i++)
		EXPECT_EQ(i < TIMERS ? 0 : -EDQUOT, ops[i].res);
	for (i = 0; i < TIMERS; i++)
		ids[i] = ops[i].id;
	EXPECT_TRUE(distinct(ids, TIMERS));
}

/* 10^4 ids from few slots: no id is used twice, and old ids remain invalid. */
WT_TEST(any, an_id_is_never_used_twice)
{
	static __u64 ids[10000];
	struct wheel_event event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		ASSERT_EQ(0, arm(self->fd, (i + 1) * WT_MS, 0, &ids[i]));
		if (i % 4 == 0) {
			ASSERT_EQ(0, wt_advance(self->fd, (i + 1) * WT_MS,
						NULL));
			ASSERT_EQ(1, wt_read(self->fd, &event, 1));
			EXPECT_EQ(ids[i], event.id);
		} else {
			ASSERT_EQ(0, wt_cancel(self->fd, ids[i]));
		}
		EXPECT_EQ(-ENOENT, wt_cancel(self->fd, ids[i / 2]));
	}
	EXPECT_TRUE(distinct(ids, ARRAY_SIZE(ids)));
}

struct sharer {
	pthread_t thread;
	int fd;
	unsigned long armed;
	/* An unexpected result. */
	int bad;
};

static void *arm_and_cancel(void *arg)
{
	struct sharer *s = arg;
	__u64 id;
	int ret, i;

	for (i = 0; i < 1000 && !s->bad; i++) {
		ret = arm(s->fd, WHEN, 0, &id);
		if (ret == -EDQUOT)
			continue;
		s->armed += !ret;
		s->bad = ret ?: wt_cancel(s->fd, id);
	}
	return NULL;
}

/* More threads than slots: no thread blocks, and each CANCEL finds the thread's own timer. */
WT_TEST(any, threads_share_few_slots)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_ANY_SLOT, .timers = 3,
		.clock = WHEEL_CLOCK_VIRTUAL,
	};
	struct sharer sharers[6] = {};
	__u64 armed = 0, id;
	int fd, i;

	fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, fd);
	for (i = 0; i < 6; i++) {
		sharers[i].fd = fd;
		ASSERT_EQ(0, pthread_create(&sharers[i].thread, NULL,
					    arm_and_cancel, &sharers[i]));
	}
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, pthread_join(sharers[i].thread, NULL));
		EXPECT_EQ(0, sharers[i].bad);
		armed += sharers[i].armed;
	}
	EXPECT_LEDGER(fd, .armed = armed, .cancelled = armed,
		      .refused = 6000 - armed);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(i < 3 ? 0 : -EDQUOT, arm(fd, WHEN, 0, &id));
	close(fd);
}

WT_TEST(any, one_timer)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_ANY_SLOT, .timers = 1,
	};
	int fd = wt_open_setup(0, &setup);
	__u64 id, second;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, arm(fd, WT_HOUR + wt_now(WHEEL_CLOCK_MONOTONIC), 0, &id));
	EXPECT_EQ(0, WHEEL_ID_SLOT(id));
	EXPECT_EQ(-EDQUOT, arm(fd, WHEN, 0, &second));
	EXPECT_EQ(0, wt_cancel(fd, id));
	EXPECT_EQ(0, arm(fd, WT_HOUR, 0, &second));
	EXPECT_LT(WHEEL_ID_GEN(id), WHEEL_ID_GEN(second));
	close(fd);
}

TEST_HARNESS_MAIN
