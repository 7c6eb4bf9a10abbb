// SPDX-License-Identifier: GPL-2.0
/*
 * Results of operations: which error takes precedence, what counts as an arm, and the limits of
 * time. uapi.rst and linux/wheel_timer.h state them. contract.c compares the same results in random
 * sequences.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS		64
#define BUCKETS		256ULL
#define LAST		WHEEL_MAX_TIME
#define TOO_LATE	(WHEEL_MAX_TIME + 1)
#define BEYOND		(1000 * BUCKETS * WT_MS)

static int open_large(__u32 scheme, __u32 timers, __u32 flags)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = scheme, .timers = timers,
		.buckets = BUCKETS, .tick_ns = WT_MS, .flags = flags,
	};

	return wt_open_setup(O_NONBLOCK, &setup);
}

static int open_scheme(__u32 scheme)
{
	return open_large(scheme, TIMERS, 0);
}

/* The state of the slot of an operation. Its generation 5 was armed, unless it is UNUSED. */
enum state { UNUSED, CANCELLED, PENDING, STOPPED };

static int bring(enum state state, int fd, __u32 slot)
{
	__u64 unfired;

	if (state != UNUSED && wt_arm(fd, WHEEL_ID(slot, 5), WT_MS))
		return -1;
	if (state == CANCELLED && wt_cancel(fd, WHEEL_ID(slot, 5)))
		return -1;
	if (state == STOPPED && wt_stop(fd, &unfired))
		return -1;
	return fd;
}

FIXTURE(precedence) {
	int fd;
};

FIXTURE_VARIANT(precedence) {
	enum state state;
	__u32 scheme;
	int error;
	struct wheel_op op;
};

#define CASE(name, state, scheme, error, ...) \
	WT_VARIANT(precedence, name, state, WHEEL_##scheme, error, { __VA_ARGS__ })

#define ARM	.op = WHEEL_OP_ARM
#define REARM	.op = WHEEL_OP_REARM
#define CANCEL	.op = WHEEL_OP_CANCEL
#define QUERY	.op = WHEEL_OP_QUERY
#define WORD	.flags = WHEEL_OP_WORD
#define SLOT(n, gen) .id = WHEEL_ID(n, gen)

/* Two errors of ARM each: the first one is returned. */
CASE(form_before_word, UNUSED, HASHED, -EINVAL, ARM, WORD, SLOT(0, 1), .period = 1);
CASE(slot_before_word, UNUSED, HASHED, -EINVAL, ARM, WORD, SLOT(TIMERS, 1));
CASE(slot_before_range, UNUSED, HASHED, -EINVAL, ARM, SLOT(TIMERS, 1), .when = TOO_LATE);
CASE(form_before_stop, STOPPED, HASHED, -EINVAL, ARM, SLOT(TIMERS, 1));
CASE(word_before_stop, STOPPED, HASHED, -EOPNOTSUPP, ARM, WORD, SLOT(1, 1));
CASE(word_before_range, UNUSED, HASHED, -EOPNOTSUPP, ARM, WORD, SLOT(0, 1), .when = TOO_LATE);
CASE(word_before_busy, PENDING, HASHED, -EOPNOTSUPP, ARM, WORD, SLOT(0, 6));
CASE(stop_before_range, STOPPED, HASHED, -ESHUTDOWN, ARM, SLOT(1, 1), .when = TOO_LATE);
CASE(stop_before_stale, STOPPED, HASHED, -ESHUTDOWN, ARM, SLOT(0, 1));
CASE(when_before_busy, PENDING, HASHED, -ERANGE, ARM, SLOT(0, 6), .when = TOO_LATE);
CASE(when_before_stale, CANCELLED, HASHED, -ERANGE, ARM, SLOT(0, 5), .when = TOO_LATE);
CASE(slack_before_stale, CANCELLED, HASHED, -ERANGE, ARM, SLOT(0, 5), .slack = TOO_LATE);
CASE(period_before_busy, PENDING, HASHED, -ERANGE, ARM, SLOT(0, 6), .period = TOO_LATE);
CASE(period_range_before_busy, PENDING, BOUNDED, -ERANGE, ARM, SLOT(0, 6), .period = BEYOND);
CASE(busy_before_stale, PENDING, HASHED, -EBUSY, ARM, SLOT(0, 5));
CASE(busy_before_wheels_range, PENDING, BOUNDED, -EBUSY, ARM, SLOT(0, 6), .when = BEYOND);
CASE(stale_before_wheels_range, CANCELLED, BOUNDED, -ESTALE, ARM, SLOT(0, 5), .when = BEYOND);
CASE(wheels_range, UNUSED, BOUNDED, -ERANGE, ARM, SLOT(0, 1), .when = BEYOND);
/* The other operations. After STOP no timer is pending. */
CASE(rearm_form, PENDING, HASHED, -EINVAL, REARM, SLOT(0, 5), .when = TOO_LATE, .period = 1);
CASE(rearm_free_before_range, CANCELLED, HASHED, -ENOENT, REARM, SLOT(0, 5), .when = TOO_LATE);
CASE(rearm_other_before_range, PENDING, HASHED, -ENOENT, REARM, SLOT(0, 6), .when = TOO_LATE);
CASE(rearm_range, PENDING, HASHED, -ERANGE, REARM, SLOT(0, 5), .when = TOO_LATE);
CASE(rearm_wheels_range, PENDING, BOUNDED, -ERANGE, REARM, SLOT(0, 5), .when = BEYOND);
CASE(rearm_slot, UNUSED, HASHED, -EINVAL, REARM, SLOT(TIMERS, 1));
CASE(cancel_slot, UNUSED, HASHED, -EINVAL, CANCEL, SLOT(TIMERS, 1));
CASE(query_slot, UNUSED, HASHED, -EINVAL, QUERY, SLOT(TIMERS, 1));
CASE(rearm_after_stop, STOPPED, HASHED, -ENOENT, REARM, SLOT(0, 5), .when = WT_MS);
CASE(rearm_range_after_stop, STOPPED, HASHED, -ENOENT, REARM, SLOT(0, 5), .when = TOO_LATE);
CASE(cancel_after_stop, STOPPED, HASHED, -ENOENT, CANCEL, SLOT(0, 5));
CASE(query_after_stop, STOPPED, HASHED, -ENOENT, QUERY, SLOT(0, 5));
CASE(arm_after_stop, STOPPED, HASHED, -ESHUTDOWN, ARM, SLOT(0, 6));

FIXTURE_SETUP(precedence)
{
	self->fd = bring(variant->state, open_scheme(variant->scheme), 0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(precedence)
{
	close(self->fd);
}

WT_TEST(precedence, of_errors)
{
	struct wheel_op op = variant->op;

	EXPECT_EQ(variant->error, wt_do(self->fd, &op));
}

/*
 * The same for a user whose memory limit is reached. The slot MISSING needs another page, and a
 * word of slot 0, too.
 */
#define LIMIT_FILE	"/sys/module/wheel_timer/parameters/user_kb"
#define LIMIT_KB	"1024"
#define NOBODY		65534
#define LARGE		8192
#define MISSING		(LARGE - 1)
#define HUGE		(1 << 16)

FIXTURE(memory) {
	int fd;
	int other;
};

FIXTURE_VARIANT(memory) {
	enum state state;
	__u32 scheme;
	__u32 words;
	int error;
	struct wheel_op op;
};

#define FULL(name, state, scheme, words, error, ...) \
	WT_VARIANT(memory, name, state, WHEEL_##scheme, words, error, { __VA_ARGS__ })
#define WORDS WHEEL_SETUP_WORDS

FULL(alone, UNUSED, HASHED, 0, -EDQUOT, ARM, SLOT(MISSING, 1));
FULL(for_a_word, UNUSED, HASHED, WORDS, -EDQUOT, ARM, WORD, SLOT(0, 1));
FULL(after_form, UNUSED, HASHED, WORDS, -EINVAL, ARM, WORD, SLOT(MISSING, 1), .period = 1);
FULL(after_slot, UNUSED, HASHED, 0, -EINVAL, ARM, SLOT(LARGE, 1));
FULL(after_word, UNUSED, HASHED, 0, -EOPNOTSUPP, ARM, WORD, SLOT(MISSING, 1));
FULL(after_stop, STOPPED, HASHED, 0, -ESHUTDOWN, ARM, SLOT(MISSING, 1));
FULL(after_range, UNUSED, HASHED, 0, -ERANGE, ARM, SLOT(MISSING, 1), .when = TOO_LATE);
FULL(after_period, UNUSED, BOUNDED, 0, -ERANGE, ARM, SLOT(MISSING, 1), .period = BEYOND);
FULL(before_busy, PENDING, HASHED, WORDS, -EDQUOT, ARM, WORD, SLOT(0, 6));
FULL(before_stale, CANCELLED, HASHED, WORDS, -EDQUOT, ARM, WORD, SLOT(0, 5));
FULL(before_wheels_range, UNUSED, BOUNDED, 0, -EDQUOT, ARM, SLOT(MISSING, 1), .when = BEYOND);
/* Operations that need no page. */
FULL(not_for_busy, PENDING, HASHED, WORDS, -EBUSY, ARM, SLOT(0, 6));
FULL(not_for_stale, CANCELLED, HASHED, WORDS, -ESTALE, ARM, SLOT(0, 5));
FULL(not_for_rearm, UNUSED, HASHED, 0, -ENOENT, REARM, SLOT(MISSING, 1));
FULL(not_for_cancel, UNUSED, HASHED, 0, -ENOENT, CANCEL, SLOT(MISSING, 1));
FULL(not_for_query, UNUSED, HASHED, 0, -ENOENT, QUERY, SLOT(MISSING, 1));

/* The process that runs the test remains unprivileged. Another file uses up the limit. */
FIXTURE_SETUP(memory)
{
	const struct rlimit nothing = {};
	__u64 slot = 0;
	int ret;

	if (geteuid())
		SKIP(return, "needs root to set the limit");
	ASSERT_TRUE(wt_write_file(LIMIT_FILE, LIMIT_KB));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &nothing));
	ASSERT_EQ(0, setgid(NOBODY));
	ASSERT_EQ(0, setuid(NOBODY));
	self->fd = open_large(variant->scheme, LARGE, variant->words);
	ASSERT_LE(0, self->fd);
	if (variant->state != UNUSED)
		ASSERT_LE(0, bring(variant->state, self->fd, 0));
	self->other = open_large(WHEEL_HIERARCHICAL, HUGE, 0);
	ASSERT_LE(0, self->other);
	do {
		ret = wt_arm(self->other, WHEEL_ID(slot, 1), WT_MS);
		slot++;
	} while (!ret && slot < HUGE);
	ASSERT_EQ(-EDQUOT, ret);
}

FIXTURE_TEARDOWN(memory)
{
}

WT_TEST(memory, precedence)
{
	struct wheel_op op = variant->op;

	EXPECT_EQ(variant->error, wt_do(self->fd, &op));
	/* Nothing has changed: the operation succeeds later, if memory was the only error. */
	close(self->other);
	op = variant->op;
	if (variant->error == -EDQUOT && variant->state == UNUSED && op.when != BEYOND)
		EXPECT_EQ(0, wt_do(self->fd, &op));
	close(self->fd);
}

/* Of timers that are due at the same tick, one that was moved, also to the same time, is last. */
TEST(rearm_counts_as_arming)
{
	struct wheel_event events[3];
	int fd = open_scheme(WHEEL_HASHED), i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(i, 1), 5 * WT_MS));
	ASSERT_EQ(0, wt_rearm(fd, WHEEL_ID(0, 1), 5 * WT_MS));
	ASSERT_EQ(0, wt_advance(fd, 5 * WT_MS, NULL));
	ASSERT_EQ(3, wt_read(fd, events, 3));
	EXPECT_EQ(WHEEL_ID(1, 1), events[0].id);
	EXPECT_EQ(WHEEL_ID(2, 1), events[1].id);
	EXPECT_EQ(WHEEL_ID(0, 1), events[2].id);
	close(fd);
}

/* A periodic timer of 10 ms, with an unread event from 12 ms. It is now 35 ms. */
static int open_periodic(void)
{
	int fd = open_scheme(WHEEL_HASHED);

	if (wt_arm_every(fd, WHEEL_ID(0, 1), 10 * WT_MS, 10 * WT_MS) ||
	    wt_advance(fd, 12 * WT_MS, NULL) || wt_advance(fd, 35 * WT_MS, NULL))
		return -1;
	return fd;
}

/* The event that is read after CANCEL returned 1 counts the periods until the CANCEL. */
TEST(overrun_until_cancel)
{
	struct wheel_event event;
	int fd = open_periodic();
	__u64 unfired;

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, wt_cancel(fd, WHEEL_ID(0, 1)));
	EXPECT_EQ(-ENOENT, wt_cancel(fd, WHEEL_ID(0, 1)));
	EXPECT_EQ(-ENOENT, wt_rearm(fd, WHEEL_ID(0, 1), 90 * WT_MS));
	EXPECT_EQ(-EBUSY, wt_arm(fd, WHEEL_ID(0, 2), 90 * WT_MS));
	ASSERT_EQ(0, wt_advance(fd, 75 * WT_MS, NULL));
	/* A STOP afterwards does not change it. */
	ASSERT_EQ(0, wt_stop(fd, &unfired));
	EXPECT_EQ(0, unfired);
	ASSERT_EQ(1, wt_read(fd, &event, 1));
	EXPECT_EQ(30 * WT_MS, event.deadline);
	EXPECT_EQ(30 * WT_MS, event.fired);
	EXPECT_EQ(2, event.overrun);
	EXPECT_EQ(-ESHUTDOWN, wt_read(fd, &event, 1));
	close(fd);
}

/* Without a CANCEL, until the STOP. */
TEST(overrun_until_stop)
{
	struct wheel_event event;
	int fd = open_periodic();
	__u64 unfired;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_stop(fd, &unfired));
	EXPECT_EQ(0, unfired);
	ASSERT_EQ(0, wt_advance(fd, 75 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(fd, &event, 1));
	EXPECT_EQ(30 * WT_MS, event.deadline);
	EXPECT_EQ(2, event.overrun);
	close(fd);
}

/* Without either, until the read. */
TEST(overrun_until_read)
{
	struct wheel_event event;
	int fd = open_periodic();
	__u64 when;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_advance(fd, 75 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(fd, &event, 1));
	EXPECT_EQ(70 * WT_MS, event.deadline);
	EXPECT_EQ(6, event.overrun);
	ASSERT_EQ(0, wt_query(fd, WHEEL_ID(0, 1), &when));
	EXPECT_EQ(80 * WT_MS, when);
	close(fd);
}

/* The range of a bounded wheel are the next @buckets ticks, counted from the last one reached. */
TEST(bounded_range)
{
	static const __u64 times[] = {
		0, 1, WT_MS - 1, 10 * WT_MS, 10 * WT_MS + 1, 11 * WT_MS - 1,
	};
	int fd = open_scheme(WHEEL_BOUNDED);
	__u64 gen = 0, end;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		ASSERT_EQ(0, wt_advance(fd, times[i], NULL));
		end = (times[i] / WT_MS + BUCKETS) * WT_MS;
		EXPECT_EQ(0, wt_arm(fd, WHEEL_ID(0, ++gen), end));
		EXPECT_EQ(-ERANGE, wt_rearm(fd, WHEEL_ID(0, gen), end + 1));
		EXPECT_EQ(0, wt_rearm(fd, WHEEL_ID(0, gen), end));
		EXPECT_EQ(0, wt_cancel(fd, WHEEL_ID(0, gen)));
		EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(0, gen + 1), end + 1));
	}
	EXPECT_EQ(0, wt_arm_every(fd, WHEEL_ID(1, 1), end, (BUCKETS - 1) * WT_MS));
	EXPECT_EQ(-ERANGE, wt_arm_every(fd, WHEEL_ID(2, 1), end, (BUCKETS - 1) * WT_MS + 1));
	close(fd);
}

/* Slack does not extend the range: it ends where the range ends. */
TEST(bounded_slack_is_reduced)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), BUCKETS * WT_MS);
	int fd = open_scheme(WHEEL_BOUNDED);
	struct wheel_event event;

	op.slack = LAST;
	ASSERT_EQ(0, wt_do(fd, &op));
	op = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), 5 * WT_MS);
	op.slack = LAST;
	ASSERT_EQ(0, wt_do(fd, &op));
	ASSERT_EQ(0, wt_advance(fd, BUCKETS * WT_MS - 1, NULL));
	while (wt_read(fd, &event, 1) == 1)
		EXPECT_EQ(WHEEL_ID(1, 1), event.id);
	ASSERT_EQ(0, wt_advance(fd, BUCKETS * WT_MS, NULL));
	EXPECT_EQ(-ENOENT, wt_query(fd, WHEEL_ID(0, 1), NULL));
	EXPECT_EQ(-ENOENT, wt_query(fd, WHEEL_ID(1, 1), NULL));
	close(fd);
}

/* 2^63-1 is a tick boundary of every wheel: a timer for this time expires, but not earlier. */
TEST(arm_at_the_end_of_the_clock)
{
	static const __u32 schemes[] = { WHEEL_HASHED, WHEEL_HIERARCHICAL, WHEEL_OVERFLOW };
	struct wheel_event event;
	__u64 next;
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(schemes); i++) {
		fd = open_scheme(schemes[i]);
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(0, 1), LAST));
		ASSERT_EQ(0, wt_advance(fd, LAST - 1, &next));
		EXPECT_EQ(LAST, next);
		EXPECT_EQ(-EAGAIN, wt_read(fd, &event, 1));
		ASSERT_EQ(0, wt_advance(fd, LAST, &next));
		EXPECT_EQ(~0ULL, next);
		ASSERT_EQ(1, wt_read(fd, &event, 1));
		EXPECT_EQ(LAST, event.fired);
		/* There is no later tick. */
		EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(0, 2), LAST));
		EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(0, 2), 0));
		EXPECT_EQ(-ERANGE, wt_arm_rel(fd, WHEEL_ID(0, 2), 0));
		close(fd);
	}
}

/* The same for a bounded wheel, whose range ends there, too, and which ignores slack beyond it. */
TEST(bounded_range_at_the_end_of_the_clock)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), LAST);
	int fd = open_scheme(WHEEL_BOUNDED);
	struct wheel_event events[2];
	__u64 next;

	ASSERT_EQ(0, wt_advance(fd, LAST - BUCKETS * WT_MS, NULL));
	EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(0, 1), LAST));
	ASSERT_EQ(0, wt_advance(fd, LAST - (BUCKETS - 1) * WT_MS, NULL));
	op.slack = LAST;
	ASSERT_EQ(0, wt_do(fd, &op));
	ASSERT_EQ(0, wt_arm_every(fd, WHEEL_ID(1, 1), LAST - 5 * WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_advance(fd, LAST - 1, &next));
	EXPECT_EQ(LAST, next);
	/* The period ends when its event is read, because its next deadline exceeds the clock. */
	ASSERT_EQ(1, wt_read(fd, events, 2));
	EXPECT_EQ(WHEEL_ID(1, 1), events[0].id);
	EXPECT_EQ(0, wt_arm(fd, WHEEL_ID(1, 2), LAST));
	ASSERT_EQ(0, wt_advance(fd, LAST, &next));
	EXPECT_EQ(~0ULL, next);
	ASSERT_EQ(2, wt_read(fd, events, 2));
	EXPECT_EQ(WHEEL_ID(0, 1), events[0].id);
	EXPECT_EQ(WHEEL_ID(1, 2), events[1].id);
	EXPECT_EQ(LAST, events[1].fired);
	EXPECT_EQ(-ERANGE, wt_arm(fd, WHEEL_ID(0, 2), LAST));
	close(fd);
}

FIXTURE(words) {
	struct wt_areas areas;
};

FIXTURE_SETUP(words)
{
	const struct wheel_setup setup = { .clock = WHEEL_CLOCK_VIRTUAL, .timers = TIMERS };

	ASSERT_TRUE(wt_areas_open(&self->areas, &setup));
}

FIXTURE_TEARDOWN(words)
{
	wt_areas_close(&self->areas);
}

/* A slot with a word is in use, whether its timer is armed, parked or expired. */
WT_TEST(words, slot_of_a_parked_timer_is_in_use)
{
	struct wt_areas *a = &self->areas;

	ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(0, 1), 0));
	EXPECT_EQ(-EBUSY, wt_arm(a->fd, WHEEL_ID(0, 2), WT_MS));
	EXPECT_EQ(-EBUSY, wt_arm_word(a->fd, WHEEL_ID(0, 2), 0));
	ASSERT_EQ(0, wt_set_word(a, 0, WT_PARKED, WT_MS));
	ASSERT_TRUE(wt_park(&a->words[0]));
	ASSERT_EQ(0, wt_advance(a->fd, 2 * WT_MS, NULL));
	EXPECT_EQ(-EBUSY, wt_arm(a->fd, WHEEL_ID(0, 2), 9 * WT_MS));
	EXPECT_EQ(-ENOENT, wt_cancel(a->fd, WHEEL_ID(0, 1)));
	EXPECT_EQ(0, wt_arm(a->fd, WHEEL_ID(0, 2), 9 * WT_MS));
}

/* REARM of a timer that no scan has queued counts as an arm, and only the next one as a move. */
WT_TEST(words, rearm_queues_what_no_scan_has_queued)
{
	struct wt_areas *a = &self->areas;

	ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(0, 1), 0));
	ASSERT_EQ(0, wt_set_word(a, 0, WT_PARKED, 50 * WT_MS));
	EXPECT_LEDGER(a->fd, .armed = 0);
	EXPECT_EQ(0, wt_rearm(a->fd, WHEEL_ID(0, 1), 60 * WT_MS));
	EXPECT_EQ(60 * WT_MS, a->words[0]);
	EXPECT_LEDGER(a->fd, .armed = 1);
	EXPECT_EQ(0, wt_rearm(a->fd, WHEEL_ID(0, 1), 70 * WT_MS));
	EXPECT_LEDGER(a->fd, .armed = 1, .rearmed = 1);
}

/* 0 is PARKED, so a deadline of 0 is 1 for a timer with a word. */
WT_TEST(words, rearm_to_zero)
{
	struct wt_areas *a = &self->areas;
	struct wheel_event event;

	ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(0, 1), 50 * WT_MS));
	EXPECT_EQ(0, wt_rearm(a->fd, WHEEL_ID(0, 1), 0));
	EXPECT_EQ(1, a->words[0]);
	ASSERT_EQ(0, wt_advance(a->fd, WT_MS, NULL));
	ASSERT_EQ(1, wt_read(a->fd, &event, 1));
	EXPECT_EQ(1, event.deadline);
}

/* REARM and QUERY fail after STOP, as if the timer were not pending; its word is IDLE. */
WT_TEST(words, operations_after_stop)
{
	struct wt_areas *a = &self->areas;
	__u64 unfired;

	ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(0, 1), 50 * WT_MS));
	ASSERT_EQ(0, wt_arm_word(a->fd, WHEEL_ID(1, 1), 0));
	ASSERT_EQ(0, wt_stop(a->fd, &unfired));
	EXPECT_EQ(1, unfired);
	EXPECT_EQ(WT_OFF, a->words[0]);
	EXPECT_EQ(WT_OFF, a->words[1]);
	EXPECT_EQ(-ENOENT, wt_rearm(a->fd, WHEEL_ID(0, 1), 60 * WT_MS));
	EXPECT_EQ(-ENOENT, wt_rearm(a->fd, WHEEL_ID(1, 1), 60 * WT_MS));
	EXPECT_EQ(-ENOENT, wt_query(a->fd, WHEEL_ID(0, 1), NULL));
	EXPECT_EQ(-ENOENT, wt_cancel(a->fd, WHEEL_ID(0, 1)));
	EXPECT_EQ(-ESHUTDOWN, wt_arm_word(a->fd, WHEEL_ID(1, 2), 0));
}

/* A word may be later than the range of a bounded wheel: ADVANCE sees it. */
TEST(bounded_word_beyond_the_range)
{
	const struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = WHEEL_BOUNDED, .timers = TIMERS,
		.buckets = BUCKETS, .tick_ns = WT_MS,
	};
	struct wheel_event event;
	struct wt_areas areas;
	__u64 next, unfired;

	ASSERT_TRUE(wt_areas_open(&areas, &setup));
	ASSERT_EQ(0, wt_arm_word(areas.fd, WHEEL_ID(0, 1), 0));
	ASSERT_EQ(0, wt_set_word(&areas, 0, WT_PARKED, BEYOND));
	ASSERT_EQ(0, wt_query(areas.fd, WHEEL_ID(0, 1), NULL));
	ASSERT_EQ(0, wt_advance(areas.fd, WT_MS, &next));
	EXPECT_LT(WT_MS, next);
	EXPECT_GE(BEYOND, next);
	ASSERT_EQ(0, wt_advance(areas.fd, BEYOND - 1, &next));
	EXPECT_EQ(-EAGAIN, wt_read(areas.fd, &event, 1));
	EXPECT_EQ(BEYOND, next);
	ASSERT_EQ(0, wt_advance(areas.fd, BEYOND, &next));
	EXPECT_EQ(~0ULL, next);
	ASSERT_EQ(1, wt_read(areas.fd, &event, 1));
	EXPECT_EQ(BEYOND, event.deadline);
	EXPECT_EQ(BEYOND, event.fired);
	/* The same in one step from a time at which the wheel could not hold it. */
	ASSERT_EQ(0, wt_set_word(&areas, 0, WT_OFF, 3 * BEYOND));
	ASSERT_EQ(0, wt_advance(areas.fd, 5 * BEYOND, NULL));
	EXPECT_EQ(1, wt_read(areas.fd, &event, 1));
	/* After STOP, none is pending. */
	ASSERT_EQ(0, wt_set_word(&areas, 0, WT_OFF, 8 * BEYOND));
	ASSERT_EQ(0, wt_advance(areas.fd, 5 * BEYOND, &next));
	EXPECT_GE(8 * BEYOND, next);
	ASSERT_EQ(0, wt_stop(areas.fd, &unfired));
	EXPECT_EQ(1, unfired);
	ASSERT_EQ(0, wt_advance(areas.fd, 5 * BEYOND, &next));
	EXPECT_EQ(~0ULL, next);
	wt_areas_close(&areas);
}

/* A periodic timer that continues in the same ADVANCE does not delay such a word. */
TEST(bounded_word_and_period)
{
	const struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = WHEEL_BOUNDED, .timers = TIMERS,
		.buckets = BUCKETS, .tick_ns = WT_MS, .events = 8, .flags = WHEEL_SETUP_WORDS,
	};
	struct wheel_stats stats;
	struct wt_areas areas;
	__u64 next;

	ASSERT_TRUE(wt_areas_open(&areas, &setup));
	ASSERT_EQ(0, wt_arm_word(areas.fd, WHEEL_ID(0, 1), 0));
	ASSERT_EQ(0, wt_arm_every(areas.fd, WHEEL_ID(1, 1), WT_MS, 10 * WT_MS));
	ASSERT_EQ(0, wt_set_word(&areas, 0, WT_PARKED, BEYOND));
	ASSERT_EQ(0, wt_advance(areas.fd, 2 * BEYOND, &next));
	EXPECT_LT(2 * BEYOND, next);
	EXPECT_EQ(WT_OFF, wt_word(&areas.words[0]));
	ASSERT_EQ(0, wt_stats(areas.fd, &stats));
	EXPECT_EQ(2, stats.fired);
	wt_areas_close(&areas);
}

/* With a full ring, @next is not later than the timers that are due, and BACKLOG is set. */
TEST(next_with_a_full_ring)
{
	struct wt_ring ring;
	__u64 next;
	int i;

	ASSERT_TRUE(wt_ring_open_virtual(&ring, TIMERS, 2));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, wt_arm(ring.fd, WHEEL_ID(i, 1), (i + 1) * WT_MS));
	ASSERT_EQ(0, wt_advance(ring.fd, 10 * WT_MS, &next));
	EXPECT_GE(3 * WT_MS, next);
	EXPECT_EQ(WHEEL_RING_BACKLOG, wt_ring_flags(&ring));
	wt_ring_take(&ring, wt_ring_tail(&ring));
	ASSERT_EQ(0, wt_advance(ring.fd, 10 * WT_MS, &next));
	EXPECT_EQ(~0ULL, next);
	EXPECT_EQ(0, wt_ring_flags(&ring));
	wt_ring_unmap(&ring);
	close(ring.fd);
}

TEST_HARNESS_MAIN
