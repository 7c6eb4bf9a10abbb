// SPDX-License-Identifier: GPL-2.0
/*
 * P7: an idle wheel causes no wake-ups. The hrtimer, which a cancel does not reprogram, is
 * simulated by a loop that advances to the next expiry.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS	60
#define ROUNDS	400

static const u32 rings[] = { 1, 4, 64, 256 };

static void with_each_ring(void (*run)(u32 buckets))
{
	size_t i;

	for (i = 0; i < sizeof(rings) / sizeof(*rings); i++)
		run(rings[i]);
}

static void nothing_pending(u32 buckets)
{
	struct rig rig;

	rig_init(&rig, buckets, 1, 1);
	if (rig.wheel.next != WHEEL_NO_TICK)
		ktap_fail("a new wheel requests a wake-up");
	rig_arm(&rig, 0, 10, 0);
	rig_cancel(&rig, 0);
	rig_pass(&rig, 10, 5);
	if (rig.wheel.next != WHEEL_NO_TICK)
		ktap_fail("a wheel whose only timer was cancelled requests a wake-up");
	rig_arm(&rig, 0, 20, 0);
	rig_pass(&rig, 20, 5);
	if (rig.wheel.next != WHEEL_NO_TICK)
		ktap_fail("a wheel whose only timer fired requests a wake-up");
}

static void p7_silence_when_empty(void)
{
	with_each_ring(nothing_pending);
}

/* No wake-up is without an expiry, although all timers are many revolutions away. */
static void only_far(u32 buckets)
{
	struct random r = random_start(40);
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, 10 * buckets + random_below(&r, 50 * buckets), 0);
	while (rig.wheel.pending)
		if (!rig_pass(&rig, rig.wheel.next, 1 + i % 9))
			ktap_fail("a wake-up was without an expiry");
}

static void p7_silence_when_far(void)
{
	with_each_ring(only_far);
}

static void cancel_earliest(struct rig *rig, u64 count)
{
	while (count-- && rig->oracle.first)
		rig_cancel(rig, (unsigned int)
			   (container_of(rig->oracle.first, struct rig_timer,
					 oracle) - rig->timer));
}

/* Returns the number of wake-ups without an expiry before the next expiry. */
static unsigned int empty_wakeups(struct rig *rig, unsigned int budget)
{
	unsigned int empty = 0;

	while (rig->wheel.pending) {
		if (rig_pass(rig, rig->wheel.next, budget))
			break;
		empty++;
	}
	return empty;
}

static void arm_many(struct rig *rig, struct random *r, unsigned int percent)
{
	u64 now = rig->wheel.clock;
	unsigned int i;

	for (i = 0; i < TIMERS; i++)
		if (random_percent(r, percent))
			rig_arm(rig, i, now + random_below(r, 20 *
				(rig->wheel.ring.mask + 1)), 0);
}

/* After the earliest timers were cancelled, at most one wake-up is without an expiry. */
static void one_empty(u32 buckets)
{
	struct random r = random_start(41);
	unsigned int round;
	struct rig rig;

	rig_init(&rig, buckets, 1, TIMERS);
	for (round = 0; round < ROUNDS; round++) {
		arm_many(&rig, &r, 60);
		cancel_earliest(&rig, random_below(&r, TIMERS));
		if (empty_wakeups(&rig, 1 + round % 9) > 1)
			ktap_fail("cancelled timers cost several empty wake-ups");
	}
}

static void p7_one_empty_wakeup(void)
{
	with_each_ring(one_empty);
}

/* The same if they are cancelled between the calls of a pass. */
static void one_empty_after_pass(u32 buckets)
{
	struct random r = random_start(43);
	unsigned int round;
	struct rig rig;

	rig_init(&rig, buckets, 1, TIMERS);
	for (round = 0; round < ROUNDS; round++) {
		unsigned int budget = 1 + round % 9;
		u64 until;

		arm_many(&rig, &r, 60);
		until = rig.wheel.next + random_below(&r, 3 * buckets);
		do {
			rig_pop(&rig, until, budget);
			cancel_earliest(&rig, random_percent(&r, 30));
			if (random_percent(&r, 10))
				rig_arm(&rig, 0, until + buckets, 0);
		} while (rig.passing);
		if (empty_wakeups(&rig, budget) > 1)
			ktap_fail("cancelled timers cost several empty wake-ups");
		if (!rig.wheel.pending)
			rig_forward(&rig, rig.wheel.clock + buckets);
	}
}

static void p7_one_empty_wakeup_after_a_pass(void)
{
	with_each_ring(one_empty_after_pass);
}

/* The harness compares the next expiry after each pass with the true minimum. */
static void exact_next(u32 buckets)
{
	struct random r = random_start(42);
	unsigned int round;
	struct rig rig;
	u64 now = 0;

	rig_init(&rig, buckets, 1, TIMERS);
	for (round = 0; round < 20 * ROUNDS; round++) {
		unsigned int i = (unsigned int)random_below(&r, TIMERS);

		if (random_percent(&r, 35))
			cancel_earliest(&rig, 1);
		else if (random_percent(&r, 30))
			rig_cancel(&rig, i);
		else
			rig_arm(&rig, i, now + random_below(&r, 4 * buckets), 0);
		rig_check(&rig);
		if (random_percent(&r, 60))
			continue;
		now += random_below(&r, buckets / 2 + 2);
		rig_pass(&rig, now, 1 + round % 7);
		rig_check(&rig);
	}
}

static void p7_silence(void)
{
	with_each_ring(exact_next);
}

/* A cancelled minimum is refreshed while its bucket gains and loses timers. */
static void refresh_disturbed(unsigned int pops, unsigned int victim, bool arm)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 4, 1, 9);
	for (i = 0; i < 8; i++)
		rig_arm(&rig, i, 9 + 4 * i, 0);
	rig_cancel(&rig, 0);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 8, 1);
	rig_cancel(&rig, victim);
	if (arm)
		rig_arm(&rig, 8, 9 + 4 * victim, 0);
	rig_check(&rig);
	rig_pass(&rig, 8, 1);
	rig_check(&rig);
	rig_pass(&rig, 100, 1);
}

static void p7_refresh_while_it_changes(void)
{
	unsigned int victim;
	unsigned int pops;

	for (pops = 0; pops < 16; pops++) {
		for (victim = 0; victim < 8; victim++) {
			refresh_disturbed(pops, victim, false);
			refresh_disturbed(pops, victim, true);
		}
	}
}

/*
 * A pass ends after @pops calls, because all timers are cancelled. It has no effect on the next
 * pass, before which a timer of a searched bucket was cancelled.
 */
static void pass_left(unsigned int pops, bool drain, bool forward)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 4, 1, 4);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 6, 0);
	rig_arm(&rig, 2, 10, 0);
	rig_arm(&rig, 3, 11, 0);
	rig_cancel(&rig, 1);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 3, 1);
	if (drain)
		rig_drain(&rig);
	for (i = 0; i < 4; i++)
		rig_cancel(&rig, i);
	if (forward)
		rig_forward(&rig, 20);
	else
		rig_pass(&rig, 20, 1);
	rig_arm(&rig, 0, 25, 0);
	rig_arm(&rig, 1, 26, 0);
	rig_arm(&rig, 2, 30, 0);
	rig_cancel(&rig, 1);
	if (rig_pass(&rig, 25, 1) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.wheel.next != 30)
		ktap_fail("the next wake-up is without an expiry");
}

static void p7_nothing_stays_of_a_pass(void)
{
	unsigned int pops;

	for (pops = 0; pops < 16; pops++) {
		pass_left(pops, false, false);
		pass_left(pops, false, true);
		pass_left(pops, true, false);
		pass_left(pops, true, true);
	}
}

const struct ktap_test silence_tests[] = {
	{ "p7_silence", p7_silence },
	{ "p7_silence_when_empty", p7_silence_when_empty },
	{ "p7_silence_when_far", p7_silence_when_far },
	{ "p7_one_empty_wakeup", p7_one_empty_wakeup },
	{ "p7_one_empty_wakeup_after_a_pass",
	  p7_one_empty_wakeup_after_a_pass },
	{ "p7_nothing_stays_of_a_pass", p7_nothing_stays_of_a_pass },
	{ "p7_refresh_while_it_changes", p7_refresh_while_it_changes },
	{ }
};
