// SPDX-License-Identifier: GPL-2.0
/*
 * The rig itself: that it notices wrong answers. Each case changes the wheel
 * behind the oracle's back.
 */
#include "rig.h"
#include "tests.h"

#define TIMERS 4

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
	rig->wheel.ring.group[0].busy = 0;
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

/* Timers 0, 1 and 2 on one tick, 3 idle; then the plant; then a pass. */
static bool notices(void (*plant)(struct rig *rig))
{
	struct rig rig;
	unsigned int i;
	bool noticed;

	rig_init(&rig, 8, 1, TIMERS);
	for (i = 0; i < 3; i++)
		rig_arm(&rig, i, 10, 0);
	plant(&rig);
	rig_check(&rig);
	rig_pass(&rig, 9, 100);
	rig_pass(&rig, 10, 100);
	rig_pass(&rig, 20, 100);
	noticed = rig.error;
	rig_free(&rig);
	return noticed;
}

static const char *rig_notices_what_is_wrong(void)
{
	if (!notices(plant_early))
		return "a timer that fires early was not noticed";
	if (!notices(plant_late))
		return "a timer that fires late was not noticed";
	if (!notices(plant_order))
		return "a wrong order was not noticed";
	if (!notices(plant_loss))
		return "a lost timer was not noticed";
	if (!notices(plant_stranger))
		return "a timer that nobody armed was not noticed";
	if (!notices(plant_clock))
		return "a clock that passes a timer was not noticed";
	if (!notices(plant_floor))
		return "a wrong floor was not noticed";
	if (!notices(plant_sleep))
		return "a late next expiry was not noticed";
	if (!notices(plant_minimum))
		return "a bucket's wrong minimum was not noticed";
	if (!notices(plant_bit))
		return "a wrong bitmap was not noticed";
	if (!notices(plant_bucket))
		return "a timer in a bucket not its own was not noticed";
	if (!notices(plant_count))
		return "a wrong count was not noticed";
	if (!notices(plant_past_floor))
		return "a floor that was passed was not noticed";
	return NULL;
}

static const char *rig_accepts_what_is_right(void)
{
	return notices(plant_nothing) ? "it complained about nothing" : NULL;
}

const struct ktap_test rig_tests[] = {
	{ "rig_notices_what_is_wrong", rig_notices_what_is_wrong },
	{ "rig_accepts_what_is_right", rig_accepts_what_is_right },
	{ }
};
