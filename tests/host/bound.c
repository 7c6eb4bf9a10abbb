// SPDX-License-Identifier: GPL-2.0
/*
 * P6 for the bounded wheel: delays beyond its bound are rejected and never
 * shortened. The harness compares each result with that of the oracle.
 */
#include "rig.h"
#include "tests.h"

#define BUCKETS	16
#define TICK_NS	10

/* Arm with each delay around the bound, with the clock at @clock. Such a bound permits orders. */
static void refused_beyond(u64 clock, u64 slack)
{
	const u64 buckets = 16 * BUCKETS;
	struct rig rig;
	u64 delay;

	rig_init(&rig, (u32)buckets, TICK_NS, 2);
	rig_forward(&rig, clock);
	for (delay = 0; delay < 2 * buckets; delay++) {
		bool armed = rig_arm(&rig, 0, (clock + delay) * TICK_NS, slack);

		if (armed ? delay > buckets : delay <= buckets)
			ktap_fail("the rejected timers are not those beyond the bound");
		if (delay && armed && rig.timer[0].wheel.due_tick < clock + delay)
			ktap_fail("a delay was shortened");
		rig_cancel(&rig, 0);
	}
}

static void p6_beyond_the_bound_is_refused(void)
{
	u64 clock;
	u64 slack;

	for (clock = 0; clock < 40; clock++)
		for (slack = 0; slack < 400; slack += 30)
			refused_beyond(clock, slack);
}

/*
 * The bound is relative to the current time, even if the clock of the wheel has not
 * advanced because no timer was due.
 */
static void p6_bound_counts_from_the_present(void)
{
	struct rig rig;

	rig_init(&rig, BUCKETS, TICK_NS, 2);
	rig_arm(&rig, 0, 15 * TICK_NS, 0);
	rig_forward(&rig, 10);
	if (!rig_arm(&rig, 1, 26 * TICK_NS, 0))
		ktap_fail("a delay of one revolution was rejected");
	rig_check(&rig);
	rig_forward(&rig, 40);
	if (rig.wheel.clock != 14)
		ktap_fail("the clock did not follow to the first due timer");
	if (rig_pass(&rig, 15, 3) != 1 || rig_pass(&rig, 26, 3) != 1)
		ktap_fail("a timer did not fire at its tick");
}

/* The formula in Documentation/howto/choose.rst: longest delay / tick, rounded up, plus one. */
static void p6_buckets_for_a_longest_delay(void)
{
	const u64 longest = (BUCKETS - 1) * TICK_NS;
	u64 refused = 0;
	struct rig rig;
	u64 now;

	rig_init(&rig, BUCKETS, TICK_NS, 1);
	if (wheel_span(&rig.wheel) != longest)
		ktap_fail("the longest delay is wrong");
	for (now = 0; now < 5 * TICK_NS; now++) {
		rig_forward(&rig, now / TICK_NS);
		if (!rig_arm(&rig, 0, now + longest, 0))
			ktap_fail("the longest delay was rejected");
		rig_cancel(&rig, 0);
		refused += !rig_arm(&rig, 0, now + longest + TICK_NS, 0);
		rig_cancel(&rig, 0);
	}
	if (!refused)
		ktap_fail("the longest delay is not the longest");
}

/* Buckets of a ring in which slack can round to multiples of four ticks. */
#define RING	64

/**
 * struct requeued - a timer that is popped and queued again
 * @slack: slack with which it was armed for tick 5
 * @until: last tick of the pass that pops it
 * @deadline: deadline with which it is queued again
 * @due: expected due tick
 */
struct requeued {
	u64 slack;
	u64 until;
	u64 deadline;
	u64 due;
};

/* Returns the next timer of a pass with a sufficient budget. */
static struct wheel_timer *pop(struct wheel_core *w, u64 until)
{
	unsigned int budget = 10000;

	return wheel_pop(w, until, &budget);
}

static void requeue(const struct requeued *is)
{
	struct wheel_timer *t;
	struct wheel_core *w;
	struct rig rig;

	rig_init(&rig, RING, 1, 1);
	w = &rig.wheel;
	t = &rig.timer[0].wheel;
	wheel_place(w, t, 5, is->slack);
	if (pop(w, is->until) != t)
		ktap_fail("the timer was not popped");
	/* The deadline is moved again while the pass queues the timer. */
	t->deadline = is->deadline + 1;
	wheel_requeue(w, t, is->deadline);
	if (t->deadline != is->deadline + 1)
		ktap_fail("the deadline was overwritten");
	if (t->due_tick != is->due || t->due_tick % ((u64)1 << timer_order(t)))
		ktap_fail("the due tick does not match the deadline and slack");
	if (pop(w, is->due - 1))
		ktap_fail("the timer was popped before it was due");
	if (pop(w, is->due) != t || w->pending)
		ktap_fail("the timer was not popped when it was due");
	rig_check(&rig);
}

/* A timer beyond the bound is queued at the bound; if only its slack exceeds it, earlier. */
static void p6_requeued_at_the_bound(void)
{
	static const struct requeued cases[] = {
		{ 0, 5, 5 + RING, 5 + RING },
		{ 0, 5, 6 + RING, 5 + RING },
		{ 0, 5, 1000, 5 + RING },
		{ 6, 8, 7 + RING, 8 + RING },
		{ 6, 9, 9 + RING, 9 + RING },
		{ 6, 9, 1000, 9 + RING },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		requeue(&cases[i]);
}

const struct ktap_test bound_tests[] = {
	{ "p6_beyond_the_bound_is_refused", p6_beyond_the_bound_is_refused },
	{ "p6_bound_counts_from_the_present",
	  p6_bound_counts_from_the_present },
	{ "p6_buckets_for_a_longest_delay", p6_buckets_for_a_longest_delay },
	{ "p6_requeued_at_the_bound", p6_requeued_at_the_bound },
	{ }
};
