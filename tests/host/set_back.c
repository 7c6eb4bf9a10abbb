// SPDX-License-Identifier: GPL-2.0
/*
 * A clock is set back. Timers armed afterwards are due relative to the new time, and pending
 * timers at their deadlines, as before.
 */
#include "rig.h"
#include "tests.h"

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
	rig_arm(&rig, 0, 11, 0);
	rig_arm(&rig, 1, 11, 0);
	rig_pop(&rig, 11, 1);
	rig_set_back(&rig, 10);
	if (rig_pass(&rig, 11, 10) != 1)
		ktap_fail("the next tick is not that of the open bucket");
	rig_set_back(&rig, 10);
	wheel_set_back(&rig.wheel, 20);
	if (rig.wheel.clock != 10 || rig.wheel.floor != 11)
		ktap_fail("the clock was set forward");
	rig_pass(&rig, 200, 1);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

const struct ktap_test set_back_tests[] = {
	{ "p1_clock_set_back_in_a_pass", p1_clock_set_back_in_a_pass },
	{ }
};
