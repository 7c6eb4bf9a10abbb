// SPDX-License-Identifier: GPL-2.0
/*
 * Invalid uses of the exported API, one per load of this module. Each must result in the
 * documented errno or a warning, and the wheel must work afterwards. tests/vm/suites/misuse
 * lists those that cause a warning.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/wheel_timer.h>
#include <linux/wheel_timer_owner.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "compat.h"

static char *what;
module_param(what, charp, 0);
MODULE_PARM_DESC(what, "name of the invalid use");

/* Another wheel, which has WHEEL_PERCPU. */
static struct wheel *percpu;

typedef int (*act_fn)(struct wheel_timer *timer);

/* A timer that calls act() in its callback, and its result. */
static struct {
	struct wheel_timer	timer;
	struct completion	done;
	act_fn			act;
	int			answer;
} culprit;

static void culprit_fires(struct wheel_timer *timer)
{
	culprit.answer = culprit.act(timer);
	complete(&culprit.done);
}

/* Returns the result of @act in a callback of @wheel. */
static int answer_in_callback(struct wheel *wheel, act_fn act)
{
	int err;

	init_completion(&culprit.done);
	culprit.act = act;
	wheel_timer_init(&culprit.timer, wheel, culprit_fires);
	err = wheel_timer_arm(&culprit.timer, 0, 0);
	if (err)
		return err;
	if (!wait_for_completion_timeout(&culprit.done, 60 * HZ))
		return -ETIME;
	wheel_timer_cancel_sync(&culprit.timer);
	return culprit.answer;
}

static int do_nothing(struct wheel_timer *timer)
{
	return 0;
}

static int do_destroy(struct wheel_timer *timer)
{
	wheel_destroy(wheel_timer_wheel(timer));
	return 0;
}

static bool destroy_in_callback(struct wheel *wheel)
{
	return !answer_in_callback(wheel, do_destroy);
}

static enum hrtimer_restart hardirq_comes(struct hrtimer *hrtimer)
{
	culprit.answer = wheel_timer_cancel_sync(&culprit.timer);
	complete(&culprit.done);
	return HRTIMER_NORESTART;
}

static bool cancel_sync_in_hardirq(struct wheel *wheel)
{
	static struct hrtimer hrtimer;

	init_completion(&culprit.done);
	wheel_timer_init(&culprit.timer, wheel, culprit_fires);
	hrtimer_setup(&hrtimer, hardirq_comes, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&hrtimer, 0, HRTIMER_MODE_REL_HARD);
	wait_for_completion(&culprit.done);
	hrtimer_cancel(&hrtimer);
	return culprit.answer == -ENOENT;
}

/* A zeroed timer, as from kzalloc(): all functions must reject it. */
static bool not_initialized(struct wheel *wheel)
{
	static struct wheel_timer timer;
	struct wheel_timer *batch[] = { &timer };
	struct wheel_arm arm = { .timer = &timer };
	int res = 0;

	return wheel_timer_arm(&timer, 0, 0) == -EINVAL &&
	       wheel_timer_rearm(&timer, 0, 0) == -EINVAL &&
	       wheel_timer_mod(&timer, 0, 0) == -EINVAL &&
	       !wheel_timer_push(&timer, WHEEL_MAX_TIME) &&
	       wheel_timer_cancel(&timer) == -EINVAL &&
	       wheel_timer_cancel_sync(&timer) == -EINVAL &&
	       wheel_timer_shutdown_sync(&timer) == -EINVAL &&
	       !wheel_timer_wheel(&timer) &&
	       !wheel_arm_batch(wheel, &arm, 1) && arm.res == -EINVAL &&
	       !wheel_cancel_batch(wheel, batch, &res, 1) && res == -EINVAL;
}

/* A batch that contains a pending timer of another wheel. */
static bool stranger_in_batch(struct wheel *wheel)
{
	struct wheel_timer *batch[] = { &culprit.timer };
	struct wheel_arm arm = { .timer = &culprit.timer };
	int res = 0;

	wheel_timer_init(&culprit.timer, percpu, culprit_fires);
	if (wheel_arm_batch(wheel, &arm, 1) || arm.res != -EINVAL ||
	    wheel_timer_arm(&culprit.timer, WHEEL_MAX_TIME, 0))
		return false;
	return !wheel_cancel_batch(wheel, batch, &res, 1) && res == -EINVAL &&
	       !wheel_timer_cancel(&culprit.timer);
}

static bool lock_without_owner(struct wheel *wheel)
{
	wheel_lock(wheel);
	wheel_unlock(wheel);
	return !answer_in_callback(wheel, do_nothing);
}

/* Only debug kernels detect the following. */
static bool arm_without_lock(struct wheel *wheel)
{
	wheel_timer_init(&culprit.timer, wheel, culprit_fires);
	return !wheel_timer_arm_locked(&culprit.timer, WHEEL_MAX_TIME, 0) &&
	       !wheel_timer_cancel(&culprit.timer);
}

/* On the realtime clock, a delay is a time of 1970. */
static bool arm_for_a_delay(struct wheel *wheel)
{
	const struct wheel_config config = {
		.name = KBUILD_MODNAME,
		.clock = WHEEL_CLOCK_REALTIME,
	};
	struct wheel *realtime = wheel_create(&config);
	int err;

	if (IS_ERR(realtime))
		return false;
	init_completion(&culprit.done);
	culprit.act = do_nothing;
	wheel_timer_init(&culprit.timer, realtime, culprit_fires);
	err = wheel_timer_arm(&culprit.timer, 5 * NSEC_PER_MSEC, 0);
	wheel_timer_shutdown_sync(&culprit.timer);
	wheel_destroy(realtime);
	return !err;
}

static bool arm_freed(struct wheel *wheel)
{
	/* KASAN's quarantine writes to the begin of a freed object at any time. */
	struct {
		u64 link[8];
		struct wheel_timer timer;
	} *object = kmalloc(sizeof(*object), GFP_KERNEL);
	struct wheel_timer *timer = &object->timer;

	if (!object)
		return false;
	wheel_timer_init(timer, wheel, culprit_fires);
	kfree(object);
	OPTIMIZER_HIDE_VAR(timer);
	return !wheel_timer_arm(timer, WHEEL_MAX_TIME, 0) &&
	       !wheel_timer_cancel(timer);
}

#define MISUSE(name)	{ #name, name }

static const struct {
	const char *name;
	bool (*commit)(struct wheel *wheel);
} misuses[] = {
	MISUSE(destroy_in_callback),
	MISUSE(cancel_sync_in_hardirq),
	MISUSE(not_initialized),
	MISUSE(stranger_in_batch),
	MISUSE(lock_without_owner),
	MISUSE(arm_without_lock),
	MISUSE(arm_for_a_delay),
	MISUSE(arm_freed),
};

static int __init wheel_misuse_init(void)
{
	const struct wheel_config config = {
		.name = KBUILD_MODNAME,
		.flags = WHEEL_SLEEPABLE,
	}, percpu_config = {
		.name = "percpu",
		.flags = WHEEL_PERCPU,
	};
	struct wheel *wheel = wheel_create(&config);
	unsigned int i;

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	percpu = wheel_create(&percpu_config);
	if (IS_ERR(percpu)) {
		wheel_destroy(wheel);
		return PTR_ERR(percpu);
	}
	for (i = 0; i < ARRAY_SIZE(misuses); i++) {
		if (!what || strcmp(what, misuses[i].name))
			continue;
		pr_info("%s: begins\n", what);
		if (misuses[i].commit(wheel) &&
		    !answer_in_callback(wheel, do_nothing))
			pr_info("%s: ok\n", what);
		pr_info("%s: ends\n", what);
	}
	wheel_destroy(percpu);
	wheel_destroy(wheel);
	return 0;
}

static void __exit wheel_misuse_exit(void)
{
}

module_init(wheel_misuse_init);
module_exit(wheel_misuse_exit);

MODULE_DESCRIPTION("Invalid uses of the wheel_timer API");
MODULE_LICENSE("GPL");
