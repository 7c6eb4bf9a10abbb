// SPDX-License-Identifier: GPL-2.0
/*
 * Check that the harness detects errors. Each case changes the wheel but not the oracle.
 */
#include "rig.h"
#include "tests.h"

#define TIMERS 4

/**
 * struct plant - an injected error
 * @plant: injects it
 * @otherwise: failure message if the harness does not detect it
 */
struct plant {
	void (*plant)(struct rig *rig);
	const char *otherwise;
};

static struct wheel_timer *timer(struct rig *rig, unsigned int i)
{
	return &rig->timer[i].wheel;
}

static void move(struct rig *rig, unsigned int i, u64 deadline)
{
	wheel_remove(&rig->wheel, timer(rig, i));
	wheel_place(&rig->wheel, timer(rig, i), deadline, 0);
}

static void plant_early(struct rig *rig)
{
	move(rig, 1, 9);
}

static void plant_late(struct rig *rig)
{
	move(rig, 1, 11);
}

static void plant_order(struct rig *rig)
{
	move(rig, 1, 10);
}

static void plant_loss(struct rig *rig)
{
	wheel_remove(&rig->wheel, timer(rig, 1));
}

static void plant_stranger(struct rig *rig)
{
	wheel_place(&rig->wheel, timer(rig, 3), 10, 0);
}

static void plant_clock(struct rig *rig)
{
	rig->wheel.clock = 10;
}

static void plant_floor(struct rig *rig)
{
	rig->wheel.floor += 1000;
}

static void plant_sleep(struct rig *rig)
{
	rig->wheel.next++;
}

static void plant_minimum(struct rig *rig)
{
	rig->wheel.ring.bucket[timer(rig, 1)->bucket].min++;
}

static void plant_bit(struct rig *rig)
{
	rig->wheel.ring.busy[0] = 0;
}

static void plant_bucket(struct rig *rig)
{
	timer(rig, 1)->due_tick++;
}

static void plant_count(struct rig *rig)
{
	rig->wheel.pending++;
}

static void plant_past_floor(struct rig *rig)
{
	rig->wheel.floor = rig->wheel.clock;
}

static void plant_nothing(struct rig *rig)
{
	(void)rig;
}

/* Timers 0, 1 and 2 are due at one tick, 3 is idle. Inject the error, then run a pass. */
static void try_injected(const void *with)
{
	const struct plant *plant = with;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, TIMERS);
	for (i = 0; i < 3; i++)
		rig_arm(&rig, i, 10, 0);
	plant->plant(&rig);
	rig_check(&rig);
	rig_pass(&rig, 9, 100);
	rig_pass(&rig, 10, 100);
	rig_pass(&rig, 20, 100);
}

static void rig_notices_what_is_wrong(void)
{
	static const struct plant plants[] = {
		{ plant_early, "a timer that fires early was not detected" },
		{ plant_late, "a timer that fires late was not detected" },
		{ plant_order, "a wrong order was not detected" },
		{ plant_loss, "a lost timer was not detected" },
		{ plant_stranger, "an expiry of an idle timer was not detected" },
		{ plant_clock, "a clock that passes a timer was not detected" },
		{ plant_floor, "a wrong floor was not detected" },
		{ plant_sleep, "a late next expiry was not detected" },
		{ plant_minimum, "a bucket's wrong minimum was not detected" },
		{ plant_bit, "a wrong bitmap was not detected" },
		{ plant_bucket, "a timer in a wrong bucket was not detected" },
		{ plant_count, "a wrong count was not detected" },
		{ plant_past_floor, "a floor that was passed was not detected" },
	};
	size_t i;

	for (i = 0; i < sizeof(plants) / sizeof(*plants); i++)
		if (!ktap_fails(try_injected, &plants[i]))
			ktap_fail(plants[i].otherwise);
}

static void rig_accepts_what_is_right(void)
{
	const struct plant nothing = { plant_nothing, NULL };

	if (ktap_fails(try_injected, &nothing))
		ktap_fail("the harness reported an error although none was injected");
}

const struct ktap_test rig_tests[] = {
	{ "rig_notices_what_is_wrong", rig_notices_what_is_wrong },
	{ "rig_accepts_what_is_right", rig_accepts_what_is_right },
	{ }
};
