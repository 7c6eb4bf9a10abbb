// SPDX-License-Identifier: GPL-2.0
/*
 * A clock is set back. Timers armed afterwards are due relative to the new time, and pending
 * timers at their deadlines, as before.
 */
#include "rig.h"
#include "tests.h"

static void p2_clock_set_back(void)
{
	struct rig rig;

	rig_init(&rig, 256, 1, 3);
	rig_forward(&rig, 100);
	rig_arm(&rig, 0, 150, 0);
	rig_pass(&rig, 120, 10);
	rig_set_back(&rig, 50);
	rig_arm(&rig, 1, 60, 0);
	rig_arm(&rig, 2, 0, 0);
	rig_check(&rig);
	if (rig.wheel.next != 51 || rig_pass(&rig, 51, 10) != 1)
		ktap_fail("a past deadline is not due at the next tick of the new time");
	if (rig_pass(&rig, 59, 10) || rig_pass(&rig, 60, 10) != 1)
		ktap_fail("a timer is not due by the new time");
	if (rig_pass(&rig, 149, 10) || rig_pass(&rig, 150, 10) != 1)
		ktap_fail("a pending timer did not fire at its tick");
}

/*
 * The clock is set back during a pass. Timers that the pass has not returned are due at their
 * deadlines, and timers armed now at the new time. wheel_set_back() never moves the clock forward.
 */
static void p1_clock_set_back_in_a_pass(void)
{
	struct rig rig;

	rig_init(&rig, 256, 1, 4);
	rig_forward(&rig, 5);
	rig_arm(&rig, 0, 10, 0);
	rig_arm(&rig, 1, 10, 0);
	rig_arm(&rig, 2, 200, 0);
	rig_pop(&rig, 10, 1);
	rig_set_back(&rig, 5);
	rig_arm(&rig, 3, 7, 0);
	if (rig_pass(&rig, 6, 10) || rig_pass(&rig, 7, 10) != 1)
		ktap_fail("an armed timer is not due by the new time");
	if (rig_pass(&rig, 9, 10) || rig_pass(&rig, 10, 10) != 1)
		ktap_fail("a timer that the pass had not returned is not due at its tick");
	wheel_set_back(&rig.wheel, 20);
	if (rig.wheel.clock != 10 || rig.wheel.floor != 11)
		ktap_fail("the clock was set forward");
	rig_pass(&rig, 200, 1);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

/* The clock may be before overdue timers, and the floor near the current time. */
static void p2_clock_set_back_while_it_lags(void)
{
	struct rig rig;

	rig_init(&rig, 1024, 1, 2);
	wheel_place(&rig.wheel, &rig.timer[0].wheel, 6, 0);
	wheel_forward(&rig.wheel, 900);
	wheel_set_back(&rig.wheel, 500);
	wheel_place(&rig.wheel, &rig.timer[1].wheel, 501, 0);
	if (rig.timer[1].wheel.due_tick != 501)
		ktap_fail("a timer is not due by the new time");
	rig_check(&rig);
}

const struct ktap_test set_back_tests[] = {
	{ "p2_clock_set_back_while_it_lags", p2_clock_set_back_while_it_lags },
	{ "p2_clock_set_back", p2_clock_set_back },
	{ "p1_clock_set_back_in_a_pass", p1_clock_set_back_in_a_pass },
	{ }
};
