// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Random operations on two sides. They depend only on the seed and on the results, which are the
 * same on both sides. The second side may be the model, which follows the first.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../splitmix64.h"
#include "script.h"

/* More than the maximum number of operations per lock hold. */
#define BATCH	80

/**
 * struct script - state of a comparison
 * @a: one side
 * @b: other side
 * @setup: effective configuration of both sides
 * @seed: state of the random number generator
 * @step: number of completed steps
 * @now: current time
 * @next: due time of the next timer, after the last advance
 * @slack: use slack of a tick and more, with which the due tick is not determined
 * @id: newest id of each used slot; its generation is 0 before the first arm
 */
struct script {
	struct side *a, *b;
	const struct wheel_setup *setup;
	__u64 seed;
	__u64 step;
	__u64 now;
	__u64 next;
	bool slack;
	__u64 id[SIDE_SLOTS];
};

static __u64 number(struct script *s)
{
	return splitmix64(&s->seed);
}

static __u64 below(struct script *s, __u64 limit)
{
	return number(s) % limit;
}

static bool chance(struct script *s, __u64 one_in)
{
	return !below(s, one_in);
}

static int differ(const struct script *s, const char *what, unsigned long long a,
		  unsigned long long b)
{
	printf("# step %llu: %s: 0x%llx and 0x%llx\n",
	       (unsigned long long)s->step, what, a, b);
	return -1;
}

/* Returns an upper limit of delays. Occasionally it exceeds the range of some schemes. */
static __u64 span(struct script *s)
{
	__u64 ring = s->setup->buckets * s->setup->tick_ns;

	if (s->setup->scheme == WHEEL_BOUNDED)
		return chance(s, 32) ? 2 * ring : ring - s->setup->tick_ns;
	if (chance(s, 32))
		return WHEEL_MAX_TIME >> 4;
	return chance(s, 4) ? 40 * ring : ring;
}

static __u64 any_time(struct script *s)
{
	__u64 tick = s->setup->tick_ns;

	switch (below(s, 24)) {
	case 0:
		return below(s, s->now + 1);
	case 1:
		return 0;
	case 2:
		return number(s) | 1ULL << 63;
	case 3:
		return (s->now / tick + 1 + below(s, 64)) * tick;
	case 4:
		return s->now + (1ULL << below(s, 63));
	default:
		return s->now + below(s, span(s));
	}
}

/* Change a random member, in most cases to an invalid value. */
static void spoil(struct script *s, struct wheel_op *op)
{
	__u32 timers = s->setup->timers;

	switch (below(s, 9)) {
	case 0:
		op->flags ^= 1U << below(s, 32);
		break;
	case 1:
		op->reserved[below(s, 3)] = number(s) | 1;
		break;
	case 2:
		op->op = number(s);
		break;
	case 3:
		op->id += timers;
		break;
	case 4:
		op->id = WHEEL_ID(timers + below(s, WHEEL_MAX_TIMERS - timers),
				  WHEEL_ID_GEN(op->id));
		break;
	case 5:
		op->cookie = number(s);
		break;
	case 6:
		op->period = number(s);
		break;
	case 7:
		op->when = number(s);
		break;
	default:
		op->slack = number(s) | 1ULL << 63;
	}
}

static struct wheel_op any_op(struct script *s)
{
	__u64 id = s->id[below(s, SIDE_SLOTS)];
	__u64 gen = WHEEL_ID_GEN(id);
	struct wheel_op op = {
		.op = WHEEL_OP_ARM + below(s, 4), .when = any_time(s),
		/* The result must be written, also if it is equal to that of an earlier call. */
		.res = -(__s32)below(s, 3),
	};

	if (op.op == WHEEL_OP_ARM)
		op.cookie = number(s);
	if (op.op == WHEEL_OP_CANCEL)
		op.when = 0;

	if (op.op == WHEEL_OP_ARM ? !chance(s, 8) : chance(s, 8))
		gen++;
	op.id = WHEEL_ID(WHEEL_ID_SLOT(id), gen);
	if (op.op <= WHEEL_OP_REARM && op.when >= s->now && chance(s, 2)) {
		op.flags |= WHEEL_OP_REL;
		op.when -= s->now;
	}
	if (op.op == WHEEL_OP_ARM && chance(s, 4))
		op.period = 1 + (number(s) >> (4 + below(s, 60)));
	if (op.period && s->setup->scheme == WHEEL_BOUNDED && !chance(s, 32))
		op.period %= s->setup->buckets * s->setup->tick_ns / 2;
	if (op.op == WHEEL_OP_ARM &&
	    (op.period ? chance(s, 32) : chance(s, 2)) &&
	    (s->setup->flags & WHEEL_SETUP_WORDS || chance(s, 16)))
		op.flags |= WHEEL_OP_WORD;
	if (op.flags & WHEEL_OP_WORD && chance(s, 2)) {
		op.flags &= ~WHEEL_OP_REL;
		op.when = 0;
	}
	if (op.op <= WHEEL_OP_REARM && chance(s, 4))
		op.slack = s->slack ? number(s) >> (1 + below(s, 60)) :
				      below(s, s->setup->tick_ns);
	if (chance(s, 40))
		spoil(s, &op);
	return op;
}

static int compare_ops(struct script *s, const struct wheel_op *a,
		       const struct wheel_op *b, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!memcmp(&a[i], &b[i], sizeof(a[i])))
			continue;
		printf("# operation %u, flags 0x%x, of slot %u\n", a[i].op,
		       a[i].flags, WHEEL_ID_SLOT(a[i].id));
		differ(s, "id", a[i].id, b[i].id);
		differ(s, "when", a[i].when, b[i].when);
		return differ(s, "result", (__u32)a[i].res, (__u32)b[i].res);
	}
	return 0;
}

/* Record the result, on which later operations depend. */
static void learn(struct script *s, const struct wheel_op *op)
{
	__u32 i = WHEEL_ID_SLOT(op->id) / side_apart(s->setup);

	if (op->op == WHEEL_OP_ARM && !op->res)
		s->id[i] = op->id;
}

/* An operation changes only its result, and that of QUERY. */
static bool is_preserved(const struct wheel_op *given, const struct wheel_op *done)
{
	struct wheel_op op = *given;

	op.res = done->res;
	if (op.op == WHEEL_OP_QUERY && !op.res)
		op.when = done->when;
	return !memcmp(&op, done, sizeof(op));
}

static int step_operations(struct script *s)
{
	struct wheel_op a[BATCH], b[BATCH], given[BATCH];
	__u32 count = 1 + below(s, BATCH), i;

	for (i = 0; i < count; i++)
		a[i] = any_op(s);
	memcpy(b, a, sizeof(a));
	memcpy(given, a, sizeof(a));
	if (s->a->submit(s->a, a, count))
		return differ(s, "a call failed", 0, 0);
	if (s->b->follows)
		memcpy(b, a, sizeof(a));
	if (s->b->submit(s->b, b, count))
		return differ(s, "a call failed", 0, 0);
	if (compare_ops(s, a, b, count))
		return -1;
	for (i = 0; i < count; i++) {
		if (!is_preserved(&given[i], &a[i]))
			return differ(s, "an input was changed", given[i].op, a[i].res);
		learn(s, &a[i]);
	}
	return count;
}

static void set_bit(__u64 *bits, __u32 nr)
{
	__atomic_fetch_or(&bits[nr / 64], 1ULL << nr % 64, __ATOMIC_SEQ_CST);
}

static void ring(struct side *side, __u32 slot)
{
	if (!side->bells)
		return;
	set_bit(side->bells, slot);
	set_bit(side->summary, slot / 64);
}

/* Returns the word of a used slot. */
static __u64 *word_of(const struct side *side, __u32 i)
{
	return &side->words[i * side->apart];
}

/* Change a word as a program may, and occasionally as it must not, also of a slot without one. */
static int step_word(struct script *s)
{
	__u32 i = below(s, SIDE_SLOTS), slot = WHEEL_ID_SLOT(s->id[i]);
	__u64 word = *word_of(s->a, i), tick = s->setup->tick_ns;
	__u64 to = any_time(s) & WHEEL_MAX_TIME;

	if (word == WHEEL_WORD_IDLE && chance(s, 2))
		return 1;
	if (chance(s, 3))
		to = WHEEL_WORD_PARKED;
	else if (chance(s, 8) && word < WHEEL_MAX_TIME - tick)
		/* One nanosecond after the tick at which the timer is due. */
		to = (word / tick + !!(word % tick)) * tick + 1;
	else if (chance(s, 32))
		to = number(s) | WHEEL_WORD_IDLE | 1;
	__atomic_store_n(word_of(s->a, i), to, __ATOMIC_SEQ_CST);
	__atomic_store_n(word_of(s->b, i), to, __ATOMIC_SEQ_CST);
	ring(s->a, slot);
	ring(s->b, slot);
	return 1;
}

static int step_advance(struct script *s)
{
	__u64 ring = s->setup->buckets * s->setup->tick_ns;
	__u64 a = 0, b = 0;

	if (chance(s, 3) && s->next > s->now && s->next != ~0ULL)
		s->now = s->next - below(s, 2);
	else
		s->now += chance(s, 50) ? number(s) >> 20 :
					  below(s, ring + ring / 4);
	if (s->now > WHEEL_MAX_TIME)
		s->now = WHEEL_MAX_TIME;
	if (s->a->advance(s->a, s->now, &a))
		return differ(s, "a clock did not move", a, b);
	b = a;
	if (s->b->advance(s->b, s->now, &b))
		return differ(s, "a clock did not move", a, b);
	s->next = a;
	return a == b ? 1 : differ(s, "next", a, b);
}

static int step_take(struct script *s)
{
	struct wheel_event a[SIDE_SLOTS], b[SIDE_SLOTS];
	__u32 room = 1 + below(s, SIDE_SLOTS);
	int n = s->a->take(s->a, a, room);
	int i;

	if (s->b->follows && n > 0)
		memcpy(b, a, n * sizeof(*a));
	s->b->result = n;
	i = s->b->take(s->b, b, room);
	if (i != n)
		return differ(s, "events taken", n, i);
	for (i = 0; i < n; i++) {
		if (!memcmp(&a[i], &b[i], sizeof(a[i])))
			continue;
		differ(s, "event's id", a[i].id, b[i].id);
		differ(s, "deadline", a[i].deadline, b[i].deadline);
		differ(s, "fired", a[i].fired, b[i].fired);
		differ(s, "seq", a[i].seq, b[i].seq);
		return differ(s, "overrun", a[i].overrun, b[i].overrun);
	}
	return 1;
}

static int step_list(struct script *s)
{
	struct wheel_op a[SIDE_SLOTS], b[SIDE_SLOTS];
	int n, m;

	n = s->a->list(s->a, a, SIDE_SLOTS);
	s->b->result = n;
	m = s->b->list(s->b, b, SIDE_SLOTS);
	if (n != m)
		return differ(s, "timers listed", n, m);
	return n > 0 && compare_ops(s, a, b, n) ? -1 : 1;
}

static int compare_words(struct script *s)
{
	__u32 i;

	for (i = 0; s->a->words && i < SIDE_SLOTS; i++)
		if (*word_of(s->a, i) != *word_of(s->b, i))
			return differ(s, "word", *word_of(s->a, i),
				      *word_of(s->b, i));
	return 0;
}

static int compare_counters(struct script *s, const char *what, const __u64 *a, const __u64 *b,
			    long count)
{
	long i;

	for (i = 0; i < count; i++)
		if (a[i] != b[i]) {
			printf("# counter %ld\n", i);
			return differ(s, what, a[i], b[i]);
		}
	return 0;
}

/* The counters of passes and wake-ups, which are not compared, depend on the implementation. */
static int compare_stats(struct script *s)
{
	struct wheel_stats a = { .size = sizeof(a) }, b = { .size = sizeof(b) };

	if (s->a->stats(s->a, &a))
		return differ(s, "no counters", 0, 0);
	if (s->b->follows)
		b = a;
	if (s->b->stats(s->b, &b))
		return differ(s, "no counters", 0, 0);
	if (compare_counters(s, "counter", &a.armed, &b.armed, 1 + (&a.unread - &a.armed)) ||
	    compare_counters(s, "lateness", a.late, b.late, 64))
		return -1;
	if (a.armed != a.fired + a.cancelled + a.pending)
		return differ(s, "balance", a.armed, a.pending);
	return 0;
}

/* Returns the number of executed operations, or -1 if the sides differ. */
static int step(struct script *s)
{
	switch (below(s, 8)) {
	case 0:
		return step_advance(s);
	case 1:
		return step_take(s);
	case 2:
	case 3:
	case 4:
		return s->a->words ? step_word(s) : step_operations(s);
	case 5:
		return chance(s, 16) ? step_list(s) : step_operations(s);
	default:
		return step_operations(s);
	}
}

static int step_stop(struct script *s)
{
	__u64 a = 0, b = 0;

	if (s->a->stop(s->a, &a))
		return differ(s, "did not stop", 0, 0);
	b = a;
	if (s->b->stop(s->b, &b))
		return differ(s, "did not stop", 0, 0);
	return a == b ? 1 : differ(s, "unfired", a, b);
}

/* Stop both sides. Pending timers can then be listed, and unread events can be read. */
static int end(struct script *s)
{
	int i;

	s->step++;
	for (i = 0; i < 8; i++)
		if (step_stop(s) < 0 || (s->a->words && step_word(s) < 0) || step_list(s) < 0 ||
		    step_operations(s) < 0 || step_advance(s) < 0 || step_take(s) < 0 ||
		    compare_words(s) || compare_stats(s))
			return -1;
	return 0;
}

int script_run(struct side *a, struct side *b, const struct wheel_setup *setup,
	       __u64 seed, __u64 operations)
{
	struct script s = {
		.a = a, .b = b, .setup = setup, .seed = seed,
		.slack = seed & 1,
	};
	__u64 made = 0;
	__u32 i;

	for (i = 0; i < SIDE_SLOTS; i++)
		s.id[i] = WHEEL_ID(i * side_apart(setup), 0);
	for (; made < operations; s.step++) {
		int n;

		/* The last eighth of the operations is at the end of the clock. */
		if (made > operations / 8 * 7 && s.now < WHEEL_MAX_TIME / 2)
			s.now = WHEEL_MAX_TIME - below(&s, 1ULL << below(&s, 40));
		n = step(&s);
		if (n < 0 || compare_words(&s) ||
		    (s.step % 16 == 0 && compare_stats(&s)))
			return -1;
		made += n;
	}
	return end(&s);
}
