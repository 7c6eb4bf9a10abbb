// SPDX-License-Identifier: GPL-2.0
/*
 * A timer that was popped and shall not fire yet, since its deadline was moved
 * meanwhile: it is queued again with the slack that it was armed with.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define BUCKETS	64

/**
 * struct requeued - one case
 * @tick_ns: of the wheel
 * @armed: the first deadline
 * @slack: as armed
 * @until: the tick to which the pass goes that pops it
 * @deadline: deadline with which it is queued again
 * @due: the tick that is expected
 */
struct requeued {
	u64 tick_ns;
	u64 armed;
	u64 slack;
	u64 until;
	u64 deadline;
	u64 due;
};

/* The next timer of a pass with a budget for all of it. */
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
		ktap_fail("it was not popped");
	/* Moved again while the pass queues it. */
	t->deadline = is->deadline + 1;
	wheel_requeue(w, t, is->deadline);
	if (!wheel_filed(t) || w->pending != 1)
		ktap_fail("it is not queued");
	if (t->deadline != is->deadline + 1)
		ktap_fail("it forgot that it was moved on");
	if (t->due_tick != is->due)
		ktap_fail("it is not due when its deadline and its slack say");
	if (t->due_tick % ((u64)1 << t->order) && t->due_tick != w->last)
		ktap_fail("it is not due at a multiple of its order");
	if (is->due > is->until && pop(w, is->until))
		ktap_fail("it was popped twice in a pass that it is not due in");
	if (is->due > is->until + 1 && pop(w, is->due - 1))
		ktap_fail("it was popped before it was due");
	if (pop(w, max(is->due, is->until)) != t || w->pending)
		ktap_fail("it was not popped when it was due");
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
		/* A past deadline comes at the next tick, in the pass or after it. */
		{ 1, 5, 0, 20, 0, 6 },
		{ 1, 5, 0, 5, 5, 6 },
		/* 5 .. 11 met at 8; six ticks round to multiples of 4. */
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

/* Beyond the bound it stops on the way; if its slack led there, before that. */
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
