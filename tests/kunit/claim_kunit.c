// SPDX-License-Identifier: GPL-2.0
/*
 * A wheel with a claim function. At the time for which a timer was queued, the wheel calls the
 * function, which decides whether to expire, requeue or drop the timer. The function used here
 * reads one word per timer: the deadline, or 0 to drop the timer.
 */
#include "schemes.h"

/**
 * struct words - Data of the claim function
 * @asked: number of claims
 * @wrong: number of claims before the due time, or of timers that are not pending
 * @word: deadlines, by timer id
 */
struct words {
	u32	asked;
	u32	wrong;
	u64	word[];
};

static enum wheel_claim claim_word(struct wheel_timer *timer, u64 due,
				   u64 *deadline)
{
	struct probe *probe = from_wheel_timer(probe, timer, timer);
	struct words *words = probe->rig->own;
	u64 word = words->word[probe->id];

	words->asked++;
	/* The timer is pending until the claim function has returned. */
	words->wrong += due > wheel_now(probe->rig->wheel) ||
			!wheel_timer_pending(timer);
	if (!word)
		return WHEEL_GONE;
	*deadline = word;
	return word > due ? WHEEL_LATER : WHEEL_FIRE;
}

static struct rig *claiming(struct kunit *test, wheel_expire_fn expire, u32 count)
{
	const struct wheel_config config = {
		.name = "claiming",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = TICK,
		.claim = claim_word,
		.expire = expire,
	};
	struct rig *rig = rig_new(test, &config, count);
	struct words *words;

	words = kunit_kzalloc(test, struct_size(words, word, count), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, words);
	rig->own = words;
	return rig;
}

static void arm_word(struct rig *rig, u32 id, u64 deadline)
{
	struct words *words = rig->own;

	words->word[id] = deadline;
	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, id, deadline), 0);
}

/* wheel_timer_deadline() and the histogram use the deadline returned by the claim function. */
static void claim_names_the_deadline(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, 1);
	struct words *words = rig->own;

	arm_word(rig, 0, 5 * TICK);
	words->word[0] = 3 * TICK;
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 3 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->late[10], 1);
}

/* A dropped timer gets no callback, counts as cancelled, and can be armed again. */
static void claim_gone(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, 1);
	struct words *words = rig->own;
	struct wheel_timer *timer = &rig->probes[0].timer;

	arm_word(rig, 0, 5 * TICK);
	words->word[0] = 0;
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -ENOENT);
	arm_word(rig, 0, 9 * TICK);
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* Cancelling a timer does not call the claim function. */
static void cancel_asks_nobody(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, 1);
	struct words *words = rig->own;

	arm_word(rig, 0, 5 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, words->asked, 0);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1);
}

/* wheel_stop() calls the claim function once per timer. Dropped timers are not returned. */
static void stop_asks_who_is_gone(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, 3);
	struct words *words = rig->own;
	LIST_HEAD(unfired);
	u32 i;

	for (i = 0; i < 3; i++)
		arm_word(rig, i, (5 + i) * TICK);
	words->word[0] = 0;
	words->word[1] = 50 * TICK;
	words->word[2] = 0;
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	KUNIT_EXPECT_EQ(test, words->asked, 3);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&unfired));
	KUNIT_EXPECT_PTR_EQ(test, unfired.next, &rig->probes[1].timer.node);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[1].timer), 50 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 3);
}

static void take_all(struct wheel *wheel, struct wheel_timer **due,
		     unsigned int n, u64 now)
{
	u32 i;

	for (i = 0; i < n; i++)
		probe_fire(due[i]);
}

/* A batch contains only the expired timers, without gaps for dropped and requeued ones. */
static void claim_within_a_batch(struct kunit *test)
{
	struct rig *rig = claiming(test, take_all, 300);
	struct words *words = rig->own;
	u32 i;

	for (i = 0; i < 300; i++)
		arm_word(rig, i, 5 * TICK);
	for (i = 0; i < 300; i += 3) {
		words->word[i] = 0;
		words->word[i + 1] = 7 * TICK;
	}
	rig_advance(rig, 5 * TICK);
	KUNIT_ASSERT_EQ(test, rig->calls, 100);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 100);
	KUNIT_EXPECT_EQ(test, rig->stats.requeued, 100);
	rig_advance(rig, 7 * TICK);
	KUNIT_ASSERT_EQ(test, rig->calls, 200);
	for (i = 0; i < 100; i++) {
		KUNIT_ASSERT_EQ(test, rig->log[i], 3 * i + 2);
		KUNIT_ASSERT_EQ(test, rig->log[100 + i], 3 * i + 1);
	}
}

/* More timers than one run examines, and as many as the scheme WHEEL_OVERFLOW accepts. */
#define CLAIMS	4096

/* P9: claims count against the work limit of a run, like expiries. */
static void p9_claims_are_bounded(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, CLAIMS);
	struct words *words = rig->own;
	u32 i;

	for (i = 0; i < CLAIMS; i++)
		arm_word(rig, i, 5 * TICK);
	memset(words->word, 0, CLAIMS * sizeof(words->word[0]));
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, CLAIMS);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_GE(test, rig->stats.passes, 2);
}

/*
 * The words change at random without the wheel. Each timer expires at the tick of its current word,
 * or is dropped. After each step, the counters must account for all timers.
 */
static void p3_claims_are_exactly_once(struct kunit *test)
{
	struct rig *rig = claiming(test, NULL, 500);
	struct words *words = rig->own;
	u64 now;
	u32 i;

	for (i = 0; i < 500; i++)
		arm_word(rig, i, 1 + rig_random(rig, 300 * TICK));
	for (now = TICK; now <= 1500 * TICK; now += TICK) {
		const struct wheel_stats *stats;
		u32 id = rig_random(rig, 500);

		if (rig_random(rig, 8))
			words->word[id] = max(words->word[id],
					      now + rig_random(rig, 300 * TICK));
		else if (now < 700 * TICK)
			words->word[id] = 0;
		rig_advance(rig, now);
		stats = rig_stats(rig);
		KUNIT_ASSERT_EQ(test, stats->fired, rig->calls);
		KUNIT_ASSERT_EQ(test, stats->armed,
				stats->fired + stats->cancelled + stats->pending);
	}
	rig_advance(rig, 2000 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
	KUNIT_EXPECT_EQ(test, words->wrong, 0);
	KUNIT_EXPECT_GT(test, rig->stats.cancelled, 0);
	for (i = 0; i < 500; i++) {
		struct probe *probe = &rig->probes[i];

		KUNIT_ASSERT_LE(test, probe->calls, 1);
		if (probe->calls)
			KUNIT_ASSERT_EQ(test, probe->seen,
					due_at(wheel_timer_deadline(&probe->timer),
					       0, TICK));
	}
}

/* Claim function that moves the other timer, which is not drained yet, as another CPU could. */
static enum wheel_claim move_the_other(struct wheel_timer *timer, u64 due,
				       u64 *deadline)
{
	struct probe *probe = from_wheel_timer(probe, timer, timer);

	if (wheel_timer_pending(&probe->other->timer))
		probe->answer = wheel_timer_rearm_locked(&probe->other->timer,
							 TICK, 0);
	*deadline = TICK;
	return WHEEL_FIRE;
}

/* Otherwise, timers could be moved back and forth while the wheel is drained, forever. */
static void nothing_moves_while_the_wheel_stops(struct kunit *test)
{
	const struct rig_bench *bench = test->priv;
	const struct wheel_config config = {
		.name = "moving",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = bench->scheme,
		.buckets = BUCKETS,
		.tick_ns = TICK,
		.claim = move_the_other,
	};
	struct rig *rig = rig_new(test, &config, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		rig->probes[i].other = &rig->probes[!i];
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (5 + i) * TICK), 0);
	}
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer + rig->probes[1].answer,
			-ESHUTDOWN);
}

static struct kunit_case claim_cases[] = {
	ANY_CASE(claim_names_the_deadline),
	ANY_CASE(claim_gone),
	ANY_CASE(cancel_asks_nobody),
	ANY_CASE(stop_asks_who_is_gone),
	ANY_CASE(claim_within_a_batch),
	ANY_CASE(nothing_moves_while_the_wheel_stops),
	ANY_CASE(p9_claims_are_bounded),
	ANY_CASE(p3_claims_are_exactly_once),
	{}
};

static struct kunit_suite claim_suite = {
	.name = "wheel_timer_claim",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = claim_cases,
};

kunit_test_suite(claim_suite);
