// SPDX-License-Identifier: GPL-2.0
/*
 * The wheels of this project: hashed with the default of one bucket per 16 timers,
 * hashed with one bucket per timer, and hierarchical. As in the engine, a pass
 * consists of several calls, each with a budget.
 */
#include <stdlib.h>

#include "contestant.h"
#include "wheel.h"

#define TICK_NS	1000000
#define BUDGET	64

static struct wheel_core wheel;
static struct wheel_timer *timers;
static void *memory;

static void fire(struct wheel_timer *t)
{
	(void)t;
	bench_fire();
}

static bool create(const struct wheel_scheme *scheme, u32 count, u32 least)
{
	u32 buckets = 256;
	u32 i;

	while (buckets < least)
		buckets *= 2;
	buckets = wheel_buckets(scheme, buckets, 0);
	memory = aligned_alloc(64, (wheel_memory(buckets) + 63) / 64 * 64);
	timers = aligned_alloc(64, (count * sizeof(*timers) + 63) / 64 * 64);
	if (!memory || !timers)
		return false;
	wheel_init(&wheel, scheme, buckets, TICK_NS, memory);
	wheel_forward(&wheel, bench_now);
	for (i = 0; i < count; i++)
		timers[i] = (struct wheel_timer){
			.function = fire, .place = WHEEL_UNFILED,
		};
	return true;
}

static bool create_default(u32 count)
{
	return create(&wheel_hashed, count, count / 16);
}

static bool create_large(u32 count)
{
	return create(&wheel_hashed, count, count);
}

static bool create_hierarchical(u32 count)
{
	return create(&wheel_hierarchical, count, 0);
}

static void arm(u32 i, u64 deadline)
{
	wheel_place(&wheel, &timers[i], deadline * TICK_NS, 0);
}

static void cancel(u32 i)
{
	wheel_remove(&wheel, &timers[i]);
}

static void rearm(u32 i, u64 deadline)
{
	wheel_move(&wheel, &timers[i], deadline * TICK_NS, 0);
}

static void advance(void)
{
	u64 until = wheel_tick_at(&wheel, bench_now * TICK_NS);
	struct wheel_timer *t;
	unsigned int budget;

	do {
		budget = BUDGET;
		t = wheel_pop(&wheel, until, &budget);
		if (t)
			t->function(t);
	} while (t ? !wheel_popped_all(&wheel, until) : !budget);
}

const struct contestant hashed_default = {
	"hashed/16", create_default, arm, rearm, cancel, advance,
};

const struct contestant hashed_large = {
	"hashed/1", create_large, arm, rearm, cancel, advance,
};

const struct contestant hierarchical = {
	"hierarch.", create_hierarchical, arm, rearm, cancel, advance,
};
