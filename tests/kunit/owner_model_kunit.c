// SPDX-License-Identifier: GPL-2.0
/*
 * A wheel whose owner is the test, compared with the model.
 */
#include "model.h"

/* Call the actions of the timers, which operate on the locked wheel. */
static void expire_held(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
	unsigned int i;

	model->rig->held = true;
	for (i = 0; i < n; i++)
		probe_fire(due[i]);
	model->rig->held = false;
}

/* Run a step. An action may cancel or move each other timer, because a step takes one. */
static bool run_step(void *data)
{
	struct wheel *wheel = model->rig->wheel;
	bool more;

	wheel_lock(wheel);
	more = wheel_step(wheel, wheel_now(wheel), 1);
	if (!more)
		wheel_settle(wheel);
	wheel_unlock(wheel);
	return more;
}

static struct rig *make(struct kunit *test, const struct wheel_config *config, u32 count)
{
	static const struct wheel_owner owner = {
		.expire	= expire_held,
		.run	= run_step,
	};

	return rig_new_owned(test, config, &owner, NULL, count);
}

static void random_operations(struct kunit *test)
{
	static const struct model_kind owned = { .make = make };

	model_run(test, &owned);
}

static struct kunit_case owner_model_cases[] = {
	ANY_CASE(random_operations),
	{}
};

static struct kunit_suite owner_model_suite = {
	.name = "wheel_timer_owner_model",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = owner_model_cases,
};

kunit_test_suite(owner_model_suite);
