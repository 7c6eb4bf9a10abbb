// SPDX-License-Identifier: GPL-2.0
/*
 * Execute all sequences (histories) of a few operations on a ring of four buckets, or on
 * three levels, with two timers. The tree of histories is traversed: each state is saved,
 * each operation is executed on it, and the state is restored. At each leaf, the wheel
 * runs until all timers have fired.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define LONGEST	8
#define BUCKETS	4
#define TIMERS	3

enum operation {
	ARM_A_NEAR,
	ARM_A_FAR,
	ARM_A_PAST,
	ARM_B_NEAR,
	ARM_B_FARTHER,
	CANCEL_A,
	CANCEL_B,
	POP,
	PASS,
	TELL,
	TICK,
	REVOLUTION,
	OPERATIONS
};

static const char *const names[OPERATIONS] = {
	[ARM_A_NEAR]	= "arm a near",
	[ARM_A_FAR]	= "arm a far",
	[ARM_A_PAST]	= "arm a past",
	[ARM_B_NEAR]	= "arm b near",
	[ARM_B_FARTHER]	= "arm b farther",
	[CANCEL_A]	= "cancel a",
	[CANCEL_B]	= "cancel b",
	[POP]		= "pop",
	[PASS]		= "pass",
	[TELL]		= "forward the clock",
	[TICK]		= "advance by 1",
	[REVOLUTION]	= "advance by a revolution",
};

/**
 * struct history - state of the traversal
 * @rig: test harness
 * @now: current tick
 * @revolution: ticks per revolution of the ring, or of the lowest level
 * @budget: budget of each call
 * @length: length of the histories
 * @done: operations of the current history
 * @depth: number of operations in @done
 * @leaves: number of completed histories
 * @interrupted: true if a call has used up its budget
 * @levels: hierarchical scheme: one bit per level that has contained timers
 */
struct history {
	struct rig rig;
	u64 now;
	u32 revolution;
	unsigned int budget;
	unsigned int length;
	enum operation done[LONGEST];
	unsigned int depth;
	u64 leaves;
	bool interrupted;
	u32 levels;
};

/* Saved state of the harness, followed by the memory of the wheel. */
struct state {
	struct rig rig;
	u64 now;
	struct rig_timer timer[TIMERS];
	char memory[];
};

static size_t memory_size(const struct history *h)
{
	return wheel_memory(h->rig.wheel.ring.mask + 1);
}

static void save(const struct history *h, struct state *s)
{
	s->rig = h->rig;
	s->now = h->now;
	memcpy(s->timer, h->rig.timer, sizeof(s->timer));
	memcpy(s->memory, h->rig.memory, memory_size(h));
}

static void restore(struct history *h, const struct state *s)
{
	h->rig = s->rig;
	h->now = s->now;
	memcpy(h->rig.timer, s->timer, sizeof(s->timer));
	memcpy(h->rig.memory, s->memory, memory_size(h));
}

static void operate(struct history *h, enum operation operation)
{
	struct rig *rig = &h->rig;

	switch (operation) {
	case ARM_A_NEAR:
		rig_arm(rig, 0, h->now + 1, 0);
		break;
	case ARM_A_FAR:
		rig_arm(rig, 0, h->now + 1 + h->revolution, 0);
		break;
	case ARM_A_PAST:
		rig_arm(rig, 0, 0, 0);
		break;
	case ARM_B_NEAR:
		rig_arm(rig, 1, h->now + 1, 0);
		break;
	case ARM_B_FARTHER:
		rig_arm(rig, 1, h->now + 1 + 2 * h->revolution, 0);
		break;
	case CANCEL_A:
		rig_cancel(rig, 0);
		break;
	case CANCEL_B:
		rig_cancel(rig, 1);
		break;
	case POP:
		rig_pop(rig, h->now, h->budget);
		break;
	case PASS:
		rig_pass(rig, h->now, h->budget);
		break;
	case TELL:
		rig_forward(rig, h->now);
		break;
	case TICK:
		h->now++;
		break;
	case REVOLUTION:
		h->now += h->revolution;
		break;
	case OPERATIONS:
		break;
	}
}

static void run_out(struct history *h)
{
	rig_pass(&h->rig, h->now, h->budget);
	rig_check(&h->rig);
	rig_pass(&h->rig, h->now + 2 * h->revolution + 2, h->budget);
	if (h->rig.wheel.pending)
		ktap_fail("a timer did not fire");
	h->interrupted |= h->rig.interrupted;
	h->leaves++;
}

static void explain(const void *of)
{
	const struct history *h = of;
	unsigned int i;

	for (i = 0; i < h->depth; i++)
		printf("# %s\n", names[h->done[i]]);
}

static void explore(struct history *h)
{
	enum operation next;
	struct state *here;

	if (h->depth == h->length) {
		run_out(h);
		return;
	}
	here = malloc(sizeof(*here) + memory_size(h));
	if (!here)
		abort();
	save(h, here);
	for (next = 0; next < OPERATIONS; next++) {
		h->done[h->depth++] = next;
		operate(h, next);
		rig_check(&h->rig);
		h->levels |= h->rig.wheel.levels;
		explore(h);
		h->depth--;
		restore(h, here);
	}
	free(here);
}

static bool hierarchical(void)
{
	return ktap_subject == &wheel_hierarchical;
}

/* Start three ticks before the revolution that ends at @end. */
static void start(struct history *h, u64 end, unsigned int length)
{
	u32 revolution = hierarchical() ? 64 : BUCKETS;

	*h = (struct history){
		.now		= end - revolution - 3,
		.revolution	= revolution,
		.budget		= 1,
		.length		= min(length, (unsigned int)LONGEST),
	};
	ktap_if_it_fails(explain, h);
	rig_init(&h->rig, BUCKETS, 1, TIMERS);
	rig_forward(&h->rig, h->now);
}

static void explore_all(struct history *h)
{
	explore(h);
	printf("# %llu histories of %u with a budget of %u\n", h->leaves, h->length, h->budget);
}

/* In a hierarchy, "near", "far" and "farther" are on different levels. */
static void exhaustive_with_two_timers(void)
{
	struct history h;

	start(&h, 4096, history_length);
	explore_all(&h);
	if (hierarchical() && h.levels != 7)
		ktap_fail("not exactly three levels were used");
}

/*
 * The bucket of the first near timers already contains a timer of a later revolution.
 * The clock passes 2^32.
 */
static void exhaustive_with_a_third(void)
{
	struct history h;

	start(&h, (u64)1 << 32, history_length - 1);
	rig_arm(&h.rig, 2, h.now + 1 + 2 * h.revolution, 0);
	explore_all(&h);
}

/* Increase the budget until no call uses it up. */
static void exhaustive_with_each_budget(void)
{
	unsigned int budget = 1;
	struct history h;

	do {
		start(&h, 4096, history_length - 1);
		h.budget = budget++;
		rig_arm(&h.rig, 2, h.now + 1 + h.revolution, 0);
		explore_all(&h);
		} while (h.interrupted);
}

const struct ktap_test exhaustive_tests[] = {
	{ "exhaustive_with_two_timers", exhaustive_with_two_timers },
	{ "exhaustive_with_a_third", exhaustive_with_a_third },
	{ "exhaustive_with_each_budget", exhaustive_with_each_budget },
	{ }
};
