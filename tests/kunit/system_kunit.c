// SPDX-License-Identifier: GPL-2.0
/*
 * The shared wheel: clients use it independently of each other.
 */
#include "rig.h"

struct client {
	struct wheel_timer	timer[10];
	struct completion	done;
	atomic_t		left;
};

static void client_called(struct client *client)
{
	if (atomic_dec_and_test(&client->left))
		complete(&client->done);
}

static struct client one, two;

static void one_fires(struct wheel_timer *timer)
{
	client_called(&one);
}

static void two_fires(struct wheel_timer *timer)
{
	client_called(&two);
}

static void client_start(struct kunit *test, struct client *client,
			 wheel_timer_fn function)
{
	u64 now = wheel_now(wheel_system);
	u32 i;

	init_completion(&client->done);
	atomic_set(&client->left, ARRAY_SIZE(client->timer));
	for (i = 0; i < ARRAY_SIZE(client->timer); i++) {
		wheel_timer_init(&client->timer[i], wheel_system, function);
		KUNIT_EXPECT_EQ(test, wheel_timer_arm(&client->timer[i],
						      now + i * NSEC_PER_MSEC, 0), 0);
	}
}

static void system_wheel_has_many_clients(struct kunit *test)
{
	struct wheel_timer *far = &one.timer[0];

	KUNIT_ASSERT_NOT_NULL(test, wheel_system);
	client_start(test, &one, one_fires);
	client_start(test, &two, two_fires);
	wait_for_completion(&one.done);
	wait_for_completion(&two.done);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(far, WHEEL_MAX_TIME, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(&two.timer[0]), -ENOENT);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(far));
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(far), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&one.left), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&two.left), 0);
}

static void system_wheel_is_not_stopped_by_a_client(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, wheel_stop(wheel_system, NULL), -EPERM);
	client_start(test, &one, one_fires);
	wait_for_completion(&one.done);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(&one.timer[0]), -ENOENT);
}

static struct kunit_case system_cases[] = {
	KUNIT_CASE(system_wheel_has_many_clients),
	KUNIT_CASE(system_wheel_is_not_stopped_by_a_client),
	{}
};

static struct kunit_suite system_suite = {
	.name = "wheel_timer_system",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = system_cases,
};

kunit_test_suite(system_suite);
