// SPDX-License-Identifier: GPL-2.0
/* A red-black tree with embedded nodes, from the macros of BSD. */
#include <bsd/sys/tree.h>
#include <stdlib.h>

#include "contestant.h"

struct timer {
	RB_ENTRY(timer)	node;
	u64		deadline;
};

RB_HEAD(tree, timer);

static struct tree tree;
static struct timer *timers;

/* Never returns 0: a new timer is sorted after those with the same deadline. */
static int compare(const struct timer *more, const struct timer *t)
{
	return more->deadline < t->deadline ? -1 : 1;
}

RB_PROTOTYPE(tree, timer, node, compare)
RB_GENERATE(tree, timer, node, compare)

static bool create(u32 count)
{
	timers = aligned_alloc(64, (count * sizeof(*timers) + 63) / 64 * 64);
	return timers;
}

static void arm(u32 i, u64 deadline)
{
	timers[i].deadline = deadline;
	RB_INSERT(tree, &tree, &timers[i]);
}

static void cancel(u32 i)
{
	RB_REMOVE(tree, &tree, &timers[i]);
}

static void rearm(u32 i, u64 deadline)
{
	cancel(i);
	arm(i, deadline);
}

static void advance(void)
{
	struct timer *t = RB_MIN(tree, &tree);

	while (t && t->deadline <= bench_now) {
		struct timer *next = RB_NEXT(tree, &tree, t);

		RB_REMOVE(tree, &tree, t);
		bench_fire();
		t = next;
	}
}

const struct contestant red_black_tree = {
	"rbtree", create, arm, rearm, cancel, advance,
};
