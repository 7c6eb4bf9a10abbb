// SPDX-License-Identifier: GPL-2.0
/*
 * All histories of LENGTH operations on a ring of four slots with two timers,
 * by walking the tree of them: each state is saved, tried on with each
 * operation, and restored. At each leaf the wheel is run to its end.
 */
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define LENGTH	6
#define SLOTS	4
#define TIMERS	3

enum operation {
	ARM_A_NEAR,
	ARM_A_FAR,
	ARM_A_PAST,
	REDUCE_A,
	ARM_B_NEAR,
	ARM_B_FAR,
	CANCEL_A,
	CANCEL_B,
	POP,
	PASS,
	TICK,
	REVOLUTION,
	OPERATIONS
};

static const char *const names[OPERATIONS] = {
	[ARM_A_NEAR]	= "arm a near",
	[ARM_A_FAR]	= "arm a far",
	[ARM_A_PAST]	= "arm a past",
	[REDUCE_A]	= "reduce a to the past",
	[ARM_B_NEAR]	= "arm b near",
	[ARM_B_FAR]	= "arm b far",
	[CANCEL_A]	= "cancel a",
	[CANCEL_B]	= "cancel b",
	[POP]		= "pop with budget 1",
	[PASS]		= "pass",
	[TICK]		= "advance by 1",
	[REVOLUTION]	= "advance by a revolution",
};

struct history {
	struct rig rig;
	u64 now;
	enum operation done[LENGTH];
	u64 leaves;
};

struct state {
	struct rig rig;
	u64 now;
	struct rig_timer timer[TIMERS];
	union {
		struct wheel_slot slot[SLOTS];
		char memory[SLOTS * sizeof(struct wheel_slot) +
			    sizeof(struct wheel_group)];
	};
};

static void save(const struct history *h, struct state *s)
{
	s->rig = h->rig;
	s->now = h->now;
	memcpy(s->timer, h->rig.timer, sizeof(s->timer));
	memcpy(s->memory, h->rig.memory, sizeof(s->memory));
}

static void restore(struct history *h, const struct state *s)
{
	h->rig = s->rig;
	h->now = s->now;
	memcpy(h->rig.timer, s->timer, sizeof(s->timer));
	memcpy(h->rig.memory, s->memory, sizeof(s->memory));
}

static void operate(struct history *h, enum operation operation)
{
	struct rig *rig = &h->rig;

	switch (operation) {
	case ARM_A_NEAR:
		return rig_arm(rig, 0, h->now + 1, 0);
	case ARM_A_FAR:
		return rig_arm(rig, 0, h->now + 1 + SLOTS, 0);
	case ARM_A_PAST:
		return rig_arm(rig, 0, 0, 0);
	case REDUCE_A:
		return rig_reduce(rig, 0, 0, 0);
	case ARM_B_NEAR:
		return rig_arm(rig, 1, h->now + 1, 0);
	case ARM_B_FAR:
		return rig_arm(rig, 1, h->now + 1 + SLOTS, 0);
	case CANCEL_A:
		return rig_cancel(rig, 0);
	case CANCEL_B:
		return rig_cancel(rig, 1);
	case POP:
		rig_pop(rig, h->now, 1);
		break;
	case PASS:
		rig_pass(rig, h->now, 1);
		break;
	case TICK:
		h->now++;
		break;
	case REVOLUTION:
		h->now += SLOTS;
		break;
	case OPERATIONS:
		break;
	}
}

static void run_out(struct history *h)
{
	rig_pass(&h->rig, h->now, 1);
	rig_check(&h->rig);
	rig_pass(&h->rig, h->now + 2 * SLOTS + 2, 1);
	if (!h->rig.error && h->rig.wheel.pending)
		h->rig.error = "a timer did not fire";
	h->leaves++;
}

static void explain(const struct history *h, unsigned int depth)
{
	unsigned int i;

	for (i = 0; i < depth; i++)
		printf("# %s\n", names[h->done[i]]);
}

static void explore(struct history *h, unsigned int depth)
{
	enum operation next;
	struct state here;

	if (depth == LENGTH) {
		run_out(h);
		if (h->rig.error)
			explain(h, depth);
		return;
	}
	save(h, &here);
	for (next = 0; next < OPERATIONS; next++) {
		h->done[depth] = next;
		operate(h, next);
		rig_check(&h->rig);
		if (h->rig.error) {
			explain(h, depth + 1);
			return;
		}
		explore(h, depth + 1);
		if (h->rig.error)
			return;
		restore(h, &here);
	}
}

static const char *run(struct history *h)
{
	const char *error;

	if (wheel_memory(SLOTS) != sizeof(((struct state *)NULL)->memory))
		return "the state is not all of the wheel's memory";
	explore(h, 0);
	error = h->rig.error;
	printf("# %llu histories\n", h->leaves);
	rig_free(&h->rig);
	return error;
}

static const char *exhaustive_with_two_timers(void)
{
	struct history h = { };

	rig_init(&h.rig, SLOTS, 1, TIMERS);
	return run(&h);
}

/*
 * The slot of the first near timers holds a later one already, and the clock
 * passes 2^32 on the way.
 */
static const char *exhaustive_with_a_third(void)
{
	struct history h = { .now = ((u64)1 << 32) - 3 };

	rig_init(&h.rig, SLOTS, 1, TIMERS);
	rig_forward(&h.rig, h.now);
	rig_arm(&h.rig, 2, h.now + 1 + 2 * SLOTS, 0);
	return run(&h);
}

const struct ktap_test exhaustive_tests[] = {
	{ "exhaustive_with_two_timers", exhaustive_with_two_timers },
	{ "exhaustive_with_a_third", exhaustive_with_a_third },
	{ }
};
