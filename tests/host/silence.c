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

const struct ktap_test silence_tests[] = {
	{ "p7_one_empty_wakeup", p7_one_empty_wakeup },
	{ }
};
