// SPDX-License-Identifier: GPL-2.0
/*
 * Long random histories, wheel and oracle side by side. A failure names the
 * configuration and the step; SEED=n repeats it.
 */
#include <stdio.h>

#include "random.h"
#include "rig.h"
#include "tests.h"

/* With more timers than this wheel_check() runs every CHECK_EVERY steps. */
#define FEW		64
#define CHECK_EVERY	1000

/**
 * struct differential - what to throw at a wheel
 * @buckets: of the ring
 * @tick_ns: nanoseconds a tick
 * @timers: how many there are
 * @start: tick where the clock starts
 * @span: delays are shorter than so many ticks
 * @jump: the clock moves by less than so many ticks
 * @budget: of a call is 1 .. so much
 * @calls: of a pass in a row are 1 .. so many, so it may stay unfinished
 * @slack: in ticks, of a third of the arms
 * @cancel: percent of the steps that cancel
 * @move: percent of the steps that move the clock; the others arm
 * @past: percent of the arms whose deadline has passed
 * @callback: percent of the timers that fire and then arm or cancel others
 */
struct differential {
	u32 buckets;
	u64 tick_ns;
	unsigned int timers;
	u64 start;
	u64 span;
	u64 jump;
	unsigned int budget;
	unsigned int calls;
	u64 slack;
	unsigned int cancel;
	unsigned int move;
	unsigned int past;
	unsigned int callback;
};

struct run {
	const struct differential *config;
	struct random random;
	struct rig rig;
	u64 number;
	u64 now;
};

static u64 later(u64 time, u64 by)
{
	return time + min(by, WHEEL_END_NS - time);
}

/* Any time, a whole tick, or whole revolutions from now. */
static u64 draw_deadline(struct run *run)
{
	const struct differential *c = run->config;
	struct random *r = &run->random;
	u64 ticks = random_below(r, c->span);

	if (random_percent(r, c->past))
		return random_below(r, run->now + 1);
	if (random_percent(r, 10))
		ticks -= ticks % c->buckets;
	if (random_percent(r, 30))
		return later(run->now, ticks * c->tick_ns);
	return later(run->now, ticks * c->tick_ns +
		     random_below(r, c->tick_ns));
}

/* As the engine does, it may tell the time first. */
static void arm_one(struct run *run)
{
	const struct differential *c = run->config;
	struct random *r = &run->random;
	unsigned int i = (unsigned int)random_below(r, c->timers);
	u64 deadline = draw_deadline(run);
	u64 slack = 0;

	if (c->slack && random_percent(r, 33))
		slack = random_below(r, c->slack * c->tick_ns);
	if (random_percent(r, 30))
		rig_forward(&run->rig,
			    oracle_tick_at(&run->rig.oracle, run->now));
	rig_arm(&run->rig, i, deadline, slack);
}

static void reduce_one(struct run *run)
{
	const struct differential *c = run->config;
	struct random *r = &run->random;
	unsigned int i = (unsigned int)random_below(r, c->timers);
	u64 deadline = run->rig.timer[i].deadline;
	u64 slack = 0;

	if (!deadline)
		return;
	if (c->slack && random_percent(r, 33))
		slack = random_below(r, c->slack * c->tick_ns);
	rig_reduce(&run->rig, i, random_below(r, deadline), slack);
}

static void cancel_one(struct run *run)
{
	struct oracle_timer *first = run->rig.oracle.first;
	struct random *r = &run->random;

	if (first && random_percent(r, 20))
		rig_cancel(&run->rig, (unsigned int)
			   (container_of(first, struct rig_timer, oracle) -
			    run->rig.timer));
	else
		rig_cancel(&run->rig, (unsigned int)
			   random_below(r, run->config->timers));
}

static void call_back(struct run *run)
{
	struct random *r = &run->random;

	if (!random_percent(r, run->config->callback))
		return;
	if (random_percent(r, 60))
		arm_one(run);
	if (random_percent(r, 40))
		cancel_one(run);
	if (random_percent(r, 20))
		reduce_one(run);
}

static void move_clock(struct run *run)
{
	const struct differential *c = run->config;
	struct random *r = &run->random;
	u64 calls = 1 + random_below(r, c->calls);
	u64 until;

	if (random_percent(r, 70))
		run->now = later(run->now,
				 random_below(r, c->jump * c->tick_ns));
	until = oracle_tick_at(&run->rig.oracle, run->now);
	if (!run->rig.wheel.pending && random_percent(r, 50)) {
		rig_forward(&run->rig, until);
		return;
	}
	do {
		unsigned int budget = 1 + (unsigned int)
				      random_below(r, c->budget);

		if (rig_pop(&run->rig, until, budget))
			call_back(run);
	} while (run->rig.passing && --calls);
}

static void step(struct run *run)
{
	u64 roll = random_below(&run->random, 100);

	if (!random_below(&run->random, 20000))
		rig_drain(&run->rig);
	else if (roll < run->config->cancel)
		cancel_one(run);
	else if (roll < run->config->cancel + run->config->move)
		move_clock(run);
	else if (random_percent(&run->random, 10))
		reduce_one(run);
	else
		arm_one(run);
	if (run->rig.wheel.pending <= FEW || !(run->number % CHECK_EVERY))
		rig_check(&run->rig);
}

static void explain(const void *of)
{
	const struct run *run = of;

	printf("# SEED=%llu, step %llu, at %llu ns\n", random_seed,
	       run->number, run->now);
}

static void differ(const struct differential *config)
{
	struct run run = {
		.config	= config,
		.random	= random_start(config->buckets + config->timers),
		.now	= config->start * config->tick_ns,
	};
	u64 end;

	ktap_if_it_fails(explain, &run);
	rig_init(&run.rig, config->buckets, config->tick_ns, config->timers);
	rig_forward(&run.rig, config->start);
	for (; run.number < random_ops; run.number++)
		step(&run);
	end = oracle_tick_at(&run.rig.oracle, WHEEL_END_NS);
	rig_pass(&run.rig, end - 1, config->budget);
	rig_pass(&run.rig, end, config->budget);
	rig_check(&run.rig);
}

static void differential_one_bucket(void)
{
	return differ(&(struct differential){
		.buckets = 1, .tick_ns = 1, .timers = 20, .span = 30, .jump = 4,
		.budget = 3, .calls = 6, .cancel = 20, .move = 40, .past = 10,
		.callback = 50,
	});
}

static void differential_four_buckets(void)
{
	return differ(&(struct differential){
		.buckets = 4, .tick_ns = 10, .timers = 12, .span = 40, .jump = 6,
		.budget = 2, .calls = 9, .cancel = 30, .move = 45, .past = 20,
		.callback = 80,
	});
}

static void differential_one_word(void)
{
	return differ(&(struct differential){
		.buckets = 64, .tick_ns = 7, .timers = 60, .span = 300,
		.jump = 20, .budget = 5, .calls = 20, .slack = 50, .cancel = 30,
		.move = 30, .past = 5, .callback = 30,
	});
}

static void differential_mostly_cancelled(void)
{
	return differ(&(struct differential){
		.buckets = 256, .tick_ns = 1000000, .timers = 300, .span = 3000,
		.jump = 9, .budget = 64, .calls = 100, .slack = 100,
		.cancel = 45, .move = 5, .past = 2, .callback = 20,
	});
}

static void differential_sparse(void)
{
	return differ(&(struct differential){
		.buckets = 512, .tick_ns = 3, .timers = 5, .span = 5000,
		.jump = 700, .budget = 4, .calls = 30, .slack = 900,
		.cancel = 20, .move = 40, .past = 5, .callback = 50,
	});
}

static void differential_past_storm(void)
{
	return differ(&(struct differential){
		.buckets = 16, .tick_ns = 100, .timers = 40, .span = 30,
		.jump = 50, .budget = 3, .calls = 100, .cancel = 10,
		.move = 40, .past = 60, .callback = 90,
	});
}

static void differential_slack(void)
{
	return differ(&(struct differential){
		.buckets = 1024, .tick_ns = 999983, .timers = 200,
		.span = 4000, .jump = 30, .budget = 20, .calls = 50,
		.slack = 3000, .cancel = 25, .move = 25, .past = 3,
		.callback = 30,
	});
}

static void differential_many_timers(void)
{
	return differ(&(struct differential){
		.buckets = 4096, .tick_ns = 1000, .timers = 1500, .span = 9000,
		.jump = 40, .budget = 64, .calls = 200, .slack = 200,
		.cancel = 15, .move = 10, .past = 1, .callback = 10,
	});
}

static void differential_large_ring(void)
{
	return differ(&(struct differential){
		.buckets = 65536, .tick_ns = 1, .timers = 900, .span = 200000,
		.jump = 3000, .budget = 300, .calls = 20, .slack = 9000,
		.cancel = 5, .move = 5, .past = 1, .callback = 10,
	});
}

static void differential_across_2_to_the_32nd(void)
{
	return differ(&(struct differential){
		.buckets = 32, .tick_ns = 1, .timers = 30,
		.start = ((u64)1 << 32) - 1000, .span = 200, .jump = 3,
		.budget = 3, .calls = 20, .cancel = 30, .move = 40, .past = 9,
		.callback = 40,
	});
}

static void differential_to_the_end_of_time(void)
{
	return differ(&(struct differential){
		.buckets = 128, .tick_ns = 1, .timers = 50,
		.start = WHEEL_END_NS - 100000, .span = 500, .jump = 12,
		.budget = 4, .calls = 30, .slack = 100, .cancel = 30,
		.move = 40, .past = 5, .callback = 40,
	});
}

static void differential_long_ticks(void)
{
	return differ(&(struct differential){
		.buckets = 64, .tick_ns = ((u64)1 << 44) + 1, .timers = 50,
		.span = 200, .jump = 20, .budget = 8, .calls = 20,
		.slack = 30, .cancel = 30, .move = 30, .past = 5,
		.callback = 40,
	});
}

/* Delays to the end of the clock, which moves by years. */
static void differential_any_delay(void)
{
	return differ(&(struct differential){
		.buckets = 64, .tick_ns = 1, .timers = 50,
		.span = (u64)1 << 62, .jump = (u64)1 << 48, .budget = 20,
		.calls = 20, .slack = (u64)1 << 61, .cancel = 30, .move = 30,
		.past = 5, .callback = 40,
	});
}

const struct ktap_test differential_tests[] = {
	{ "differential_one_bucket", differential_one_bucket },
	{ "differential_four_buckets", differential_four_buckets },
	{ "differential_one_word", differential_one_word },
	{ "differential_mostly_cancelled", differential_mostly_cancelled },
	{ "differential_sparse", differential_sparse },
	{ "differential_past_storm", differential_past_storm },
	{ "differential_slack", differential_slack },
	{ "differential_many_timers", differential_many_timers },
	{ "differential_large_ring", differential_large_ring },
	{ "differential_across_2_to_the_32nd", differential_across_2_to_the_32nd },
	{ "differential_to_the_end_of_time", differential_to_the_end_of_time },
	{ "differential_long_ticks", differential_long_ticks },
	{ "differential_any_delay", differential_any_delay },
	{ }
};
