// SPDX-License-Identifier: GPL-2.0
/*
 * P12, cost: the cache lines that a lock hold accesses. Counted instructions, which p12_irqs_off
 * limits, leave out cache misses: with many files, each line may be one.
 *
 * The wheel has as many timers as the device permits with overflow, and MANY otherwise, in slots of
 * one line each. Prefetched lines count. The slots' parameters and the rest of the file do not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/uapi/linux/wheel_timer.h"
#include "ktap.h"
#include "random.h"
#include "touch.h"
#include "wheel.h"

#define MANY		65536
/* The last one is armed while the others are pending. */
#define SORTED		WHEEL_OVERFLOW_TIMERS
/* Timers per bucket, the default of the device. */
#define PER_BUCKET	16
/* Operations per lock hold: DEV_HOLD and WHEEL_BATCH of the module. */
#define BATCH		32
#define STEP		64
#define ROUNDS		100

/* Distance of the deadlines, which are in (0, timers * SPREAD], from each other. */
#define SPREAD		64

/* Upper limit of the lines per lock hold: 17 KB. A walk accesses 256 of them. */
#define LIMIT		272

u64 random_seed = 1;

/* As in the table of a file. */
struct slot {
	struct wheel_timer timer;
	u64 id;
} __attribute__((aligned(TOUCH_LINE)));

static struct wheel_core wheel __attribute__((aligned(TOUCH_LINE)));
static struct slot *slots;
static u32 timers;
static struct random state;

/* Deadlines of the timers that are armed while the others are pending. */
enum order { RANDOM, EARLIEST, LATEST };

static bool is_sorted(void)
{
	return wheel.own_queue;
}

/* Later than the first revolution of the ring, so that the list of overflow contains it. */
static u64 some_deadline(enum order order)
{
	u64 first = 2 * timers, range = (u64)timers * SPREAD;

	if (order == EARLIEST)
		return first;
	return order == LATEST ? first + range : first + 1 + random_next(&state) % (range - 1);
}

static void arm(u32 i, enum order order)
{
	if (wheel_place(&wheel, &slots[i].timer, some_deadline(order), 0))
		ktap_fail("a timer is not armed");
}

/* Queue all timers but the last BATCH, or one with overflow. */
static u32 fill(void)
{
	const struct wheel_scheme *scheme = ktap_subject;
	u32 buckets, pending, i;
	void *memory;

	state = random_start(0);
	timers = scheme == &wheel_overflow ? SORTED : MANY;
	buckets = wheel_buckets(scheme, timers / PER_BUCKET, 0);
	if (scheme == &wheel_bounded)
		buckets = 1 << 23;
	memory = aligned_alloc(TOUCH_LINE, (wheel_memory(buckets) / TOUCH_LINE + 1) * TOUCH_LINE);
	slots = aligned_alloc(TOUCH_LINE, timers * sizeof(*slots));
	if (!memory || !slots)
		abort();
	memset(slots, 0, timers * sizeof(*slots));
	wheel_init(&wheel, scheme, buckets, 1, memory);
	for (i = 0; i < timers; i++)
		slots[i].timer.place = WHEEL_UNFILED;
	pending = timers - (is_sorted() ? 1 : BATCH);
	for (i = 0; i < pending; i++)
		arm(i, RANDOM);
	touch_record(memory, wheel_memory(buckets));
	touch_record(slots, timers * sizeof(*slots));
	touch_record(&wheel, sizeof(wheel));
	return pending;
}

static void expect_few(const char *what, u32 operations, unsigned int most)
{
	printf("# %-12s %-30s up to %2u: %5u lines %7u bytes\n", wheel.scheme->name, what,
	       operations, most, most * TOUCH_LINE);
	if (most > LIMIT)
		ktap_fail("a lock hold accesses too many lines");
}

/* Arm, then cancel, as many timers as a lock hold may. */
static void arm_and_cancel(const char *what, enum order order)
{
	u32 pending = fill(), batch = timers - pending, round, i;
	unsigned int armed = 0, cancelled = 0;

	for (round = 0; round < ROUNDS; round++) {
		touch_reset();
		for (i = pending; i < timers; i++)
			arm(i, order);
		armed = max(armed, touch_lines());
		touch_reset();
		for (i = pending; i < timers; i++)
			wheel_remove(&wheel, &slots[i].timer);
		cancelled = max(cancelled, touch_lines());
	}
	expect_few(what, batch, armed);
	expect_few("cancel", batch, cancelled);
}

static void p12_lines_of_arms(void)
{
	arm_and_cancel("arm, random", RANDOM);
}

static void p12_lines_of_arms_before_all(void)
{
	arm_and_cancel("arm, before all others", EARLIEST);
}

static void p12_lines_of_arms_after_all(void)
{
	arm_and_cancel("arm, after all others", LATEST);
}

/* Steps of a pass in which all timers are due. With @again, each is queued again. */
static void expire(const char *what, bool again)
{
	unsigned int most = 0, budget, popped = 0, step;
	const u32 pending = fill();
	u64 until = 2 * timers + (u64)timers * SPREAD, later = 2 * until;
	struct wheel_timer *t;

	do {
		touch_reset();
		budget = STEP;
		step = 0;
		while (budget && (t = wheel_pop(&wheel, until, &budget))) {
			step++;
			if (!again)
				continue;
			/* Each is due before those that were queued again: the longest walk. */
			wheel_requeue(&wheel, t, later -= 3);
			budget -= min(budget, is_sorted() ? STEP : 1U);
		}
		popped += step;
		most = max(most, touch_lines());
	} while (popped < pending);
	expect_few(what, STEP, most);
}

static void p12_lines_of_expiries(void)
{
	expire("step, timers expire", false);
}

static void p12_lines_of_requeues(void)
{
	expire("step, timers are queued again", true);
}

static const struct ktap_test tests[] = {
	{ "p12_lines_of_arms", p12_lines_of_arms },
	{ "p12_lines_of_arms_before_all", p12_lines_of_arms_before_all },
	{ "p12_lines_of_arms_after_all", p12_lines_of_arms_after_all },
	{ "p12_lines_of_expiries", p12_lines_of_expiries },
	{ "p12_lines_of_requeues", p12_lines_of_requeues },
	{}
};

static const struct ktap_test *const tables[] = { tests, NULL };

static const struct ktap_group groups[] = {
	{ "hashed", &wheel_hashed, tables },
	{ "hierarchical", &wheel_hierarchical, tables },
	{ "bounded", &wheel_bounded, tables },
	{ "overflow", &wheel_overflow, tables },
	{}
};

int main(int argc, char **argv)
{
	(void)argc;
	return ktap_run(groups, (const char *const *)argv + 1) != 0;
}
