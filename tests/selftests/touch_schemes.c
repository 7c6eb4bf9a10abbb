// SPDX-License-Identifier: GPL-2.0
/*
 * Touched timers with every scheme: together with plain ones, with slack, beyond the span of
 * a bounded wheel, and on a settable clock.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	64
#define SLOTS	256
#define TICK	WT_MS
#define D	(10 * TICK)

FIXTURE(scheme) {
	struct wheel_setup setup;
	int fd;
	__u64 *words;
	struct wheel_stats stats;
	struct wheel_event event;
	struct wheel_event events[TIMERS];
};

FIXTURE_VARIANT(scheme) {
	__u32 scheme;
};

FIXTURE_VARIANT_ADD(scheme, hashed) { .scheme = WHEEL_HASHED, };
FIXTURE_VARIANT_ADD(scheme, hierarchical) { .scheme = WHEEL_HIERARCHICAL, };
FIXTURE_VARIANT_ADD(scheme, bounded) { .scheme = WHEEL_BOUNDED, };
FIXTURE_VARIANT_ADD(scheme, overflow) { .scheme = WHEEL_OVERFLOW, };

FIXTURE_SETUP(scheme)
{
	self->fd = -1;
	if (!(wt_features() & WHEEL_HAS_SCHEME(variant->scheme)))
		SKIP(return, "the module has no such scheme");
	self->setup = (struct wheel_setup){
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.flags = WHEEL_SETUP_TOUCH, .tick_ns = TICK, .timers = TIMERS,
		.buckets = SLOTS,
	};
	self->fd = wt_open_setup(O_NONBLOCK, &self->setup);
	ASSERT_LE(0, self->fd);
	self->words = wt_map(self->fd, TIMERS);
	ASSERT_NE(NULL, self->words);
}

FIXTURE_TEARDOWN(scheme)
{
	close(self->fd);
}

#define EXPECT_QUIET_UNTIL(when) do { \
	ASSERT_EQ(0, wt_advance(self->fd, when, NULL)); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
} while (0)

#define EXPECT_FIRES(which, when, due) do { \
	const __u64 the_time = (when); \
	\
	EXPECT_QUIET_UNTIL(the_time - 1); \
	ASSERT_EQ(0, wt_advance(self->fd, the_time, NULL)); \
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1)); \
	EXPECT_EQ(which, self->event.id); \
	EXPECT_EQ(due, self->event.deadline); \
	EXPECT_EQ(the_time, self->event.fired); \
	EXPECT_TRUE(wt_quiet(self->fd)); \
} while (0)

/* Touched by less than a tick, by one revolution, and by far more than any ring spans. */
WT_TEST(scheme, touched_by_any_distance)
{
	const __u64 by[] = {
		1, TICK - 1, TICK, TICK + 1, 255 * TICK, 256 * TICK, 257 * TICK,
		10000 * TICK, WT_HOUR, 1000 * WT_HOUR,
	};
	__u64 now = 0, when;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by); i++) {
		ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(1, i + 1),
					  now + D));
		when = now + D + by[i];
		ASSERT_TRUE(wt_touch(&self->words[1], when));
		now = wt_boundary(when, TICK);
		EXPECT_FIRES(WHEEL_ID(1, i + 1), now, when);
	}
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(i, self->stats.armed);
	EXPECT_EQ(i, self->stats.fired);
	EXPECT_LE(i - 1, self->stats.requeued);
}

/* Touched to the maximum time: the kernel requeues the timer, and it never expires early. */
WT_TEST(scheme, touched_to_the_end_of_time)
{
	__u64 now = 0;
	int i;

	ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(1, 1), D));
	ASSERT_TRUE(wt_touch(&self->words[1], WHEEL_MAX_TIME));
	for (i = 0; i < 40; i++, now += now / 2 + D)
		EXPECT_QUIET_UNTIL(now);
	EXPECT_EQ(0, wt_query(self->fd, WHEEL_ID(1, 1), &now));
	EXPECT_EQ(WHEEL_MAX_TIME, now);
	EXPECT_EQ(0, wt_cancel(self->fd, WHEEL_ID(1, 1)));
}

/* The clock jumps past the old and the new deadline: the timer expires once, late. */
WT_TEST(scheme, the_clock_jumps_over_old_and_new)
{
	ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(1, 1), D));
	ASSERT_TRUE(wt_touch(&self->words[1], 20 * D));
	ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(2, 1), D));
	ASSERT_TRUE(wt_touch(&self->words[2], WT_HOUR + 1));
	ASSERT_EQ(0, wt_advance(self->fd, WT_HOUR, NULL));
	ASSERT_EQ(1, wt_read(self->fd, self->events, TIMERS));
	EXPECT_EQ(WHEEL_ID(1, 1), self->events[0].id);
	EXPECT_EQ(20 * D, self->events[0].deadline);
	EXPECT_FIRES(WHEEL_ID(2, 1), WT_HOUR + TICK, WT_HOUR + 1);
}

/* A bounded wheel rejects a touched timer beyond its span, and does not change its word. */
WT_TEST(scheme, beyond_the_span)
{
	__u64 far = 1000 * SLOTS * TICK;
	int ret;

	ret = wt_arm_touch(self->fd, WHEEL_ID(1, 1), far);
	if (variant->scheme != WHEEL_BOUNDED) {
		EXPECT_EQ(0, ret);
		EXPECT_EQ(far, wt_word(&self->words[1]));
		return;
	}
	EXPECT_EQ(-ERANGE, ret);
	EXPECT_EQ(WT_OFF, wt_word(&self->words[1]));
	ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(1, 1), D));
	EXPECT_EQ(-ERANGE, wt_rearm(self->fd, WHEEL_ID(1, 1), far));
	EXPECT_EQ(D, wt_word(&self->words[1]));
	/* A failed ARM does not lose a parked timer: it can be revived, or its word is IDLE. */
	ASSERT_TRUE(wt_park(&self->words[1]));
	EXPECT_EQ(-ERANGE, wt_arm_touch(self->fd, WHEEL_ID(1, 2), far));
	if (wt_revive(&self->words[1], 2 * D)) {
		EXPECT_FIRES(WHEEL_ID(1, 1), 2 * D, 2 * D);
	} else {
		EXPECT_EQ(WT_OFF, wt_word(&self->words[1]));
		EXPECT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(1, 2), 2 * D));
		EXPECT_FIRES(WHEEL_ID(1, 2), 2 * D, 2 * D);
	}
}

/* Ordered by due tick, then by arm. Touched timers count as armed when they are requeued. */
WT_TEST(scheme, plain_and_touched_in_order)
{
	__u64 slot;
	int i;

	for (i = 0; i < TIMERS; i++) {
		/* Due at 20 ms: plain timers, and touched ones after the touch. */
		slot = WHEEL_ID(i, 1);
		ASSERT_EQ(0, i % 2 ? wt_arm(self->fd, slot, 2 * D) :
				     wt_arm_touch(self->fd, slot, D));
	}
	for (i = 0; i < TIMERS; i += 2)
		ASSERT_TRUE(wt_touch(&self->words[i], 2 * D));
	EXPECT_QUIET_UNTIL(2 * D - 1);
	ASSERT_EQ(0, wt_advance(self->fd, 2 * D, NULL));
	ASSERT_EQ(TIMERS, wt_read_all(self->fd, self->events, TIMERS, TIMERS));
	for (i = 0; i < TIMERS; i++) {
		slot = i < TIMERS / 2 ? 2 * i + 1 : 2 * i - TIMERS;
		EXPECT_EQ(slot, WHEEL_ID_SLOT(self->events[i].id));
		EXPECT_EQ(2 * D, self->events[i].deadline);
	}
}

WT_TEST(scheme, slack_goes_on_from_the_word)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), D);
	__u64 when = 123 * TICK + 1;

	op.flags = WHEEL_OP_TOUCH;
	op.slack = 7 * TICK;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_TRUE(wt_touch(&self->words[1], when));
	EXPECT_QUIET_UNTIL(when - 1);
	ASSERT_EQ(0, wt_advance(self->fd, when + op.slack, NULL));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(when, self->event.deadline);
	EXPECT_LE(when, self->event.fired);
}

/* With slack, a parked timer is reclaimed no later than its old deadline plus the slack. */
WT_TEST(scheme, slack_and_parked)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), D);

	op.flags = WHEEL_OP_TOUCH;
	op.slack = 50 * TICK;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_TRUE(wt_park(&self->words[1]));
	EXPECT_QUIET_UNTIL(D - 1);
	EXPECT_EQ(WT_PARKED, wt_word(&self->words[1]));
	EXPECT_QUIET_UNTIL(D + op.slack);
	EXPECT_EQ(WT_OFF, wt_word(&self->words[1]));
}

/* Parked slots can be armed again indefinitely, with and without a reclaim in between. */
WT_TEST(scheme, a_full_wheel_of_parked_ones)
{
	__u64 gen, now = 0;
	int i;

	for (gen = 1; gen <= 20; gen++, now += 2 * D) {
		for (i = 0; i < TIMERS; i++) {
			ASSERT_EQ(0, wt_arm_touch(self->fd, WHEEL_ID(i, gen),
						  now + D + i * 1000));
			ASSERT_TRUE(wt_park(&self->words[i]));
		}
		if (gen % 2)
			EXPECT_QUIET_UNTIL(now + 2 * D);
	}
	EXPECT_QUIET_UNTIL(now + D);
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(20 * TIMERS, self->stats.armed);
	EXPECT_EQ(20 * TIMERS, self->stats.cancelled);
	EXPECT_EQ(0, self->stats.refused);
}

/* The clock may be set at any time, so an event is compared with the time at its expiry. */
TEST(realtime)
{
	struct wheel_event event;
	__u64 *words, when;
	int fd;

	fd = wt_open_touch(WHEEL_CLOCK_REALTIME, TIMERS, WHEEL_MIN_TICK_NS);
	ASSERT_LE(0, fd);
	words = wt_map(fd, TIMERS);
	ASSERT_NE(NULL, words);
	when = wt_now(WHEEL_CLOCK_REALTIME) + 5 * WT_MS;
	ASSERT_EQ(0, wt_arm_touch(fd, WHEEL_ID(1, 1), when));
	if (wt_touch(&words[1], when + 5 * WT_MS))
		when += 5 * WT_MS;
	ASSERT_EQ(1, wt_read(fd, &event, 1));
	EXPECT_LE(when, wt_now(WHEEL_CLOCK_REALTIME));
	EXPECT_EQ(when, event.deadline);
	EXPECT_LE(when, event.fired);
	EXPECT_EQ(WT_OFF, wt_word(&words[1]));
	close(fd);
}

TEST_HARNESS_MAIN
