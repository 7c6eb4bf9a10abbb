// SPDX-License-Identifier: GPL-2.0
/*
 * Injected bugs, one per load. A checker that does not report its bug proves nothing about other
 * code.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *bug;
module_param(bug, charp, 0);
MODULE_PARM_DESC(bug, "which one");

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

static void read_past_the_end(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	if (p)
		READ_ONCE(p[24]);
	kfree(p);
}

static void read_after_free(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	if (p)
		READ_ONCE(p[0]);
}

static void lock_both_ways(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);

	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static void sleep_under_a_lock(void)
{
	spin_lock(&first);
	might_sleep();
	spin_unlock(&first);
}

static void shift_too_far(void)
{
	int bits = 32;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("%x\n", 1U << bits);
}

static void leak(void)
{
	void *p = kmalloc(4096, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
}

static int shared;

static int racer(void *unused)
{
	int i;

	for (i = 0; i < 1000000; i++) {
		shared++;
		barrier();
	}
	return 0;
}

/* Two tasks, two CPUs, and nothing marked. */
static void race(void)
{
	struct task_struct *other = kthread_run(racer, NULL, "racer");

	racer(NULL);
	if (!IS_ERR(other))
		pr_info("%d\n", shared);
}

static const struct {
	const char *name;
	void (*plant)(void);
} bugs[] = {
	{ "read_past_the_end", read_past_the_end },
	{ "read_after_free", read_after_free },
	{ "lock_both_ways", lock_both_ways },
	{ "sleep_under_a_lock", sleep_under_a_lock },
	{ "shift_too_far", shift_too_far },
	{ "leak", leak },
	{ "race", race },
};

static int __init injected_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		if (bug && !strcmp(bug, bugs[i].name)) {
			bugs[i].plant();
			return 0;
		}
	return -EINVAL;
}

static void __exit injected_exit(void)
{
}

module_init(injected_init);
module_exit(injected_exit);
MODULE_DESCRIPTION("Bugs on purpose");
MODULE_LICENSE("GPL");
