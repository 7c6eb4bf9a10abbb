// SPDX-License-Identifier: GPL-2.0
/*
 * A popped timer whose deadline was postponed does not fire. It is queued again with the
 * slack with which it was armed.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define BUCKETS	64

/**
 * struct requeued - test case
 * @tick_ns: tick length of the wheel
 * @armed: first deadline
 * @slack: slack of the first deadline
 * @until: last tick of the pass that pops the timer
 * @deadline: deadline with which the timer is queued again
 * @due: expected due tick
 */
struct requeued {
	u64 tick_ns;
	u64 armed;
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

static void file_again(struct wheel_core *w, struct wheel_timer *t,
		       const struct requeued *is)
{
	wheel_place(w, t, is->armed, is->slack);
	if (pop(w, is->until) != t)
		ktap_fail("the timer was not popped");
	/* The deadline is moved again while the pass queues the timer. */
	t->deadline = is->deadline + 1;
	wheel_requeue(w, t, is->deadline);
	if (!wheel_is_queued(t) || w->pending != 1)
		ktap_fail("the timer is not queued");
	if (t->deadline != is->deadline + 1)
		ktap_fail("the deadline was overwritten");
	if (t->due_tick != is->due)
		ktap_fail("the due tick does not match the deadline and slack");
	if (t->due_tick % ((u64)1 << t->order) && t->due_tick != w->last)
		ktap_fail("the timer is not due at a multiple of 2^order");
	if (is->due > is->until && pop(w, is->until))
		ktap_fail("the timer was popped again in a pass in which it is not due");
	if (is->due > is->until + 1 && pop(w, is->due - 1))
		ktap_fail("the timer was popped before it was due");
	if (pop(w, max(is->due, is->until)) != t || w->pending)
		ktap_fail("the timer was not popped when it was due");
}

static void requeue(const struct requeued *is)
{
	const struct wheel_scheme *scheme = ktap_subject;
	u32 buckets = scheme->buckets(BUCKETS);
	void *memory = malloc(wheel_memory(buckets));
	struct wheel_core wheel;
	struct wheel_timer t;

	if (!memory)
		abort();
	memset(&t, 0xa5, sizeof(t));
	t.bucket = WHEEL_UNFILED;
	wheel_init(&wheel, scheme, buckets, is->tick_ns, memory);
	file_again(&wheel, &t, is);
	check_wheel(&wheel);
	free(memory);
}

static void each_of(const struct requeued *cases)
{
	for (; cases->tick_ns; cases++)
		requeue(cases);
}

static void p1_filed_again_later(void)
{
	static const struct requeued cases[] = {
		{ 1, 5, 0, 5, 30, 30 },
		{ 10, 41, 0, 5, 295, 30 },
		/* A deadline in the past is due at the next tick, during the pass or after it. */
		{ 1, 5, 0, 20, 0, 6 },
		{ 1, 5, 0, 5, 5, 6 },
		/* 5 .. 11 contains 8; a slack of six ticks rounds to multiples of 4. */
		{ 1, 5, 6, 8, 13, 16 },
		{ 1, 5, 6, 8, 16, 16 },
		{ 1, 5, 6, 8, 0, 12 },
		{ }
	};

	each_of(cases);
}

static void p6_filed_again_at_the_end(void)
{
	const u64 last = WHEEL_END_NS / 10 + 1;
	const struct requeued cases[] = {
		{ 10, 50, 0, 5, WHEEL_END_NS, last },
		{ 10, 50, 60, 8, WHEEL_END_NS, last },
		{ 10, 50, 60, 8, WHEEL_END_NS - 9, last - 1 },
		{ }
	};

	each_of(cases);
}

/* A timer beyond the bound is queued at the bound; if only its slack exceeds it, earlier. */
static void p6_filed_again_on_the_way(void)
{
	static const struct requeued cases[] = {
		{ 1, 5, 0, 5, 5 + BUCKETS, 5 + BUCKETS },
		{ 1, 5, 0, 5, 6 + BUCKETS, 5 + BUCKETS },
		{ 1, 5, 0, 5, 1000, 5 + BUCKETS },
		{ 1, 5, 6, 8, 7 + BUCKETS, 8 + BUCKETS },
		{ 1, 5, 6, 9, 9 + BUCKETS, 9 + BUCKETS },
		{ 1, 5, 6, 9, 1000, 9 + BUCKETS },
		{ }
	};

	each_of(cases);
}

const struct ktap_test requeue_tests[] = {
	{ "p1_filed_again_later", p1_filed_again_later },
	{ }
};

const struct ktap_test requeue_unbounded_tests[] = {
	{ "p6_filed_again_at_the_end", p6_filed_again_at_the_end },
	{ }
};

const struct ktap_test requeue_bounded_tests[] = {
	{ "p6_filed_again_on_the_way", p6_filed_again_on_the_way },
	{ }
};
