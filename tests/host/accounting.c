// SPDX-License-Identifier: GPL-2.0
/*
 * P3: exactly once. P4: a successful cancel is final. P10: a drained wheel is empty. The harness
 * compares the counters (P11) after each operation.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS 100

/* Half of the expired timers are armed again from their callbacks. */
static void p3_exactly_once(void)
{
	struct random r = random_start(20);
	u64 armed[TIMERS];
	struct rig rig;
	unsigned int i;
	u64 until;

	rig_init(&rig, 16, 1, TIMERS);
	for (i = 0; i < TIMERS; i++) {
		rig_arm(&rig, i, random_below(&r, 300), 0);
		armed[i] = 1;
	}
	for (until = 1; until < 1000; until += random_below(&r, 20)) {
		do {
			struct rig_timer *t = rig_pop(&rig, until, 3);

			if (!t || random_percent(&r, 50))
				continue;
			i = (unsigned int)(t - rig.timer);
			rig_arm(&rig, i, random_below(&r, until + 50), 0);
			armed[i]++;
		} while (rig.passing);
	}
	rig_pass(&rig, 2000, 3);
	for (i = 0; i < TIMERS; i++)
		if (rig.timer[i].fired != armed[i])
			ktap_fail("a timer did not fire once for each arm");
}

/*
 * Timers 0 .. 7 are in one bucket and are due alternately at ticks 1 and 2. A pass is
 * interrupted after @pops calls, and one of the timers is cancelled, before or after
 * the mark of the walk.
 */
static void cancel_in_pass(unsigned int victim, unsigned int pops)
{
	struct rig rig;
	unsigned int i;
	u64 fired;

	rig_init(&rig, 1, 1, 8);
	for (i = 0; i < 8; i++)
		rig_arm(&rig, i, 1 + i % 2, 0);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 1, 1);
	fired = rig.timer[victim].fired;
	rig_cancel(&rig, victim);
	rig_check(&rig);
	rig_pass(&rig, 1, 1);
	rig_check(&rig);
	rig_pass(&rig, 2, 1);
	rig_check(&rig);
	if (rig.timer[victim].fired != fired)
		ktap_fail("a cancelled timer fired");
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p4_cancel_within_a_pass(void)
{
	unsigned int victim;
	unsigned int pops;

	for (victim = 0; victim < 8; victim++)
		for (pops = 0; pops < 20; pops++)
			cancel_in_pass(victim, pops);
}

static void check_nothing_is_left(const struct rig *rig)
{
	u32 at;

	if (rig->wheel.pending)
		ktap_fail("timers are pending in an empty wheel");
	for (at = 0; at <= rig->wheel.ring.mask; at++) {
		const struct wheel_bucket *bucket = &rig->wheel.ring.bucket[at];

		if (!list_empty(&bucket->timers))
			ktap_fail("a list of an empty wheel is not empty");
		if (bucket->min != WHEEL_NO_TICK || bucket->state)
			ktap_fail("a bucket of an empty wheel has a minimum");
		if (rig->wheel.ring.busy[at / 64])
			ktap_fail("a bucket of an empty wheel is busy");
	}
}

/* Drain a wheel after @pops calls of a pass, then use it again. */
static void drain_in_pass(unsigned int pops)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, 1 + i % 50, 0);
	for (i = 0; i < TIMERS; i += 5)
		rig_cancel(&rig, i);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 20, 1);
	rig_drain(&rig);
	rig_check(&rig);
	check_nothing_is_left(&rig);
	rig_forward(&rig, 90);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, 100 + i % 30, 0);
	rig_pass(&rig, 200, 3);
	if (oracle_pending(&rig.oracle))
		ktap_fail("a timer on a drained wheel did not fire");
}

static void p10_drain_hands_back_all(void)
{
	unsigned int pops;

	for (pops = 0; pops < 400; pops++)
		drain_in_pass(pops);
}

const struct ktap_test accounting_tests[] = {
	{ "p3_exactly_once", p3_exactly_once },
	{ "p4_cancel_within_a_pass", p4_cancel_within_a_pass },
	{ "p10_drain_hands_back_all", p10_drain_hands_back_all },
	{ }
};
