// SPDX-License-Identifier: GPL-2.0
/*
 * Incorrect uses of timers, one per load: debugobjects must report them, and the kernel must
 * continue to run.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wheel_timer.h>

static char *bug;
module_param(bug, charp, 0);
MODULE_PARM_DESC(bug, "which one");

static void nothing(struct wheel_timer *timer)
{
}

static void free_armed(struct wheel_timer *timer)
{
	kfree(timer);
}

static void init_armed(struct wheel_timer *timer)
{
	wheel_timer_init(timer, wheel_timer_wheel(timer), nothing);
	kfree(timer);
}

static const struct {
	const char *name;
	void (*plant)(struct wheel_timer *timer);
} bugs[] = {
	{ "free_armed", free_armed },
	{ "init_armed", init_armed },
};

/* The wheel is consistent if it no longer contains the timer. */
static void plant(struct wheel *wheel, struct wheel_timer *timer,
		  void (*plant)(struct wheel_timer *timer))
{
	struct wheel_stats stats;

	wheel_timer_init(timer, wheel, nothing);
	if (wheel_timer_arm(timer, WHEEL_MAX_TIME, 0))
		return;
	plant(timer);
	wheel_read_stats(wheel, &stats);
	if (!stats.pending && stats.cancelled == 1)
		pr_info("injected_timer: repaired\n");
}

static int __init injected_timer_init(void)
{
	const struct wheel_config config = { .name = "injected" };
	struct wheel *wheel = wheel_create(&config);
	struct wheel_timer *timer;
	unsigned int i;

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!bug || strcmp(bug, bugs[i].name))
			continue;
		timer = kmalloc(sizeof(*timer), GFP_KERNEL);
		if (timer)
			plant(wheel, timer, bugs[i].plant);
	}
	wheel_destroy(wheel);
	return 0;
}

static void __exit injected_timer_exit(void)
{
}

module_init(injected_timer_init);
module_exit(injected_timer_exit);
MODULE_DESCRIPTION("Bugs with timers on purpose");
MODULE_LICENSE("GPL");
