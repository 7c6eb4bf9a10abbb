// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on a wheel, compared with the oracle. Each wheel is used for several
 * thousand operations. Its geometry is random, and it starts shortly before a time at which
 * numbers overflow. Deadlines and clock are often close to the edges of levels and
 * revolutions. Operations may follow each call of a pass.
 */
#include <stdio.h>

#include "random.h"
#include "rig.h"
#include "tests.h"

/* With more timers than this, check_wheel() is called only every CHECK_EVERY operations. */
#define FEW		64
#define MANY		1000
#define CHECK_EVERY	1000
#define CHOICES		8

/**
 * struct life - test of one wheel
 * @number: number of the test, which determines the random numbers
 * @random: random number generator
 * @rig: test harness
 * @now: current time in nanoseconds
 * @reach: deadlines and times are chosen near edges less than 2^reach ticks away
 * @budget: maximum budget of a call
 * @slack: percentage of arms with slack
 * @most: maximum number of operations
 */
struct life {
	u64 number;
	struct random random;
	struct rig rig;
	u64 now;
	u32 reach;
	unsigned int budget;
	unsigned int slack;
	u64 most;
};

static u64 one_of(struct life *l, const u64 choice[CHOICES])
{
	return choice[random_below(&l->random, CHOICES)];
}

static u64 present(const struct life *l)
{
	return oracle_tick_at(&l->rig.oracle, l->now);
}

/* Returns a time within @tick, often its start. */
static u64 time_in(struct life *l, u64 tick)
{
	u64 tick_ns = l->rig.oracle.tick_ns;

	if (tick >= WHEEL_END_NS / tick_ns)
		return WHEEL_END_NS - random_below(&l->random, 3);
	if (random_percent(&l->random, 50))
		return tick * tick_ns;
	return tick * tick_ns + random_below(&l->random, tick_ns);
}

/* Returns a power of two. Exponents that are multiples of six, the level sizes, are frequent. */
static u64 power(struct life *l)
{
	u32 order = (u32)random_below(&l->random, l->reach);

	if (random_percent(&l->random, 50))
		order -= order % 6;
	return (u64)1 << order;
}

/* Returns a tick close to a future edge, or to a multiple of a revolution from now. */
static u64 edge(struct life *l)
{
	u64 step = power(l);
	u64 tick = present(l);

	if (random_percent(&l->random, 50))
		tick = (tick | (step - 1)) + 1;
	else
		tick += step * (1 + random_below(&l->random, 3));
	return tick + random_below(&l->random, 5) - (tick > 1 ? 2 : 0);
}

static u64 draw_deadline(struct life *l)
{
	u64 tick;

	if (random_percent(&l->random, 5))
		return random_below(&l->random, l->now + 1);
	if (random_percent(&l->random, 40))
		tick = present(l) + random_below(&l->random, 9);
	else
		tick = edge(l);
	return time_in(l, tick);
}

static u64 draw_slack(struct life *l)
{
	if (!random_percent(&l->random, l->slack))
		return 0;
	return min(power(l), WHEEL_END_NS / l->rig.oracle.tick_ns) *
	       l->rig.oracle.tick_ns;
}

static unsigned int any(struct life *l)
{
	return (unsigned int)random_below(&l->random, l->rig.timers);
}

/* Prefer the timer that would fire next, because changing it is most likely to cause errors. */
static unsigned int first_or_any(struct life *l)
{
	struct oracle_timer *first = l->rig.oracle.first;

	if (!first || !random_percent(&l->random, 25))
		return any(l);
	return (unsigned int)(container_of(first, struct rig_timer, oracle) -
			      l->rig.timer);
}

static void arm(struct life *l)
{
	u64 deadline = draw_deadline(l);

	rig_arm(&l->rig, first_or_any(l), deadline, draw_slack(l));
}

/* Advance the clock to the next expiry, just before it, or to a random time. */
static void move_clock(struct life *l)
{
	u64 next = oracle_next(&l->rig.oracle);
	u64 tick;

	if (next != WHEEL_NO_TICK && random_percent(&l->random, 40))
		tick = next - random_below(&l->random, 2);
	else if (random_percent(&l->random, 70))
		tick = present(l) + random_below(&l->random, 4);
	else
		tick = edge(l);
	l->now = max(l->now, time_in(l, tick));
}

/* Some of the popped timers were moved, except at the end of the clock. */
static void pop(struct life *l)
{
	unsigned int budget = 1 + (unsigned int)
			      random_below(&l->random, l->budget);

	if (random_percent(&l->random, 30))
		move_clock(l);
	if (random_percent(&l->random, 15) && present(l) < l->rig.oracle.end)
		rig_pop_again(&l->rig, present(l), budget, draw_deadline(l));
	else
		rig_pop(&l->rig, present(l), budget);
}

/*
 * Schemes in which the bucket depends only on the due tick support setting the clock back, also
 * during a pass.
 */
static void set_back(struct life *l)
{
	const struct wheel_scheme *scheme = l->rig.wheel.scheme;
	u64 tick = l->rig.wheel.clock;

	if (scheme != &wheel_hashed && scheme != &wheel_bounded)
		return;
	tick -= min(tick, power(l));
	rig_set_back(&l->rig, tick);
	l->now = time_in(l, tick);
}

static void step(struct life *l)
{
	u64 roll = random_below(&l->random, 1000);

	if (roll < 400)
		pop(l);
	else if (roll < 500)
		rig_cancel(&l->rig, first_or_any(l));
	else if (roll < 600)
		rig_forward(&l->rig, present(l));
	else if (roll < 605)
		set_back(l);
	else if (roll < 606)
		rig_drain(&l->rig);
	else
		arm(l);
	if (l->rig.wheel.pending <= FEW || !(l->rig.operations % CHECK_EVERY))
		rig_check(&l->rig);
}

static u64 draw_start(struct life *l)
{
	static const u64 starts[CHOICES] = {
		0, (u64)1 << 12, (u64)1 << 31, (u64)1 << 31, (u64)1 << 32,
		(u64)1 << 32, (u64)1 << 63, (u64)1 << 63,
	};
	u64 tick = one_of(l, starts);

	if (random_percent(&l->random, 50))
		tick /= l->rig.oracle.tick_ns;
	tick = min(tick, l->rig.oracle.end);
	return tick - min(tick, random_below(&l->random, 1 + power(l)));
}

static void explain(const void *of)
{
	const struct life *l = of;

	printf("# SEED=%llu, life %llu, operation %llu, at %llu ns\n",
	       random_seed, l->number, l->rig.operations, l->now);
}

static void be_born(struct life *l, u64 number)
{
	static const u64 ticks[CHOICES] = {
		1, 1, 1, 3, 1000, 1000000, 100000000, ((u64)1 << 44) + 1,
	};
	static const u64 timers[CHOICES] = { 1, 2, 3, 8, 16, 32, FEW, MANY };
	static const u64 reaches[CHOICES] = { 4, 6, 8, 13, 19, 25, 33, 63 };
	static const u64 budgets[CHOICES] = { 1, 1, 2, 2, 4, 8, 16, 1000 };
	static const u64 slacks[CHOICES] = { 0, 0, 0, 0, 0, 10, 30, 60 };
	u32 buckets;

	*l = (struct life){ .number = number, .random = random_start(number) };
	ktap_if_it_fails(explain, l);
	buckets = (u32)1 << random_below(&l->random, random_percent(&l->random, 90) ? 8 : 17);
	rig_init(&l->rig, buckets, one_of(l, ticks), (unsigned int)one_of(l, timers));
	l->reach = (u32)one_of(l, reaches);
	l->budget = (unsigned int)one_of(l, budgets);
	l->slack = (unsigned int)one_of(l, slacks);
	l->most = 500 + random_below(&l->random, 8000);
	l->now = time_in(l, draw_start(l));
	rig_forward(&l->rig, present(l));
}

/* Advance to the end of the clock, and check that all pending timers fire. */
static void run_out(struct life *l)
{
	u64 end = l->rig.oracle.end;

	rig_pass(&l->rig, present(l), l->budget);
	rig_pass(&l->rig, end - 1, l->budget);
	rig_pass(&l->rig, end, l->budget);
	rig_check(&l->rig);
	if (l->rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

/* Returns the number of operations. */
static u64 live(u64 number)
{
	struct life l;

	be_born(&l, number);
	while (l.rig.operations < l.most && l.now < WHEEL_END_NS - 3)
		step(&l);
	run_out(&l);
	return l.rig.operations;
}

/* check_wheel() on a hierarchical wheel visits 704 buckets, so it runs fewer operations. */
static u64 share(void)
{
	return ktap_subject == &wheel_hierarchical ? random_ops / 3 : random_ops;
}

static void volume_of_operations(void)
{
	u64 operations = 0;
	u64 wanted = share();
	u64 lives = 0;

	while (operations < wanted && lives <= wanted)
		operations += live(lives++);
	printf("# %llu operations on %llu wheels\n", operations, lives);
	if (operations < wanted)
		ktap_fail("the tests executed too few operations");
}

const struct ktap_test volume_tests[] = {
	{ "volume_of_operations", volume_of_operations },
	{ }
};
