// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/wheel_timer/wheels: list of all wheels, in YAML. It is meant for users and
 * scripts, and is not a stable ABI.
 */
#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/seq_file.h>
#include "engine.h"

/* Maximum length of the list of numbers that shows a ring. */
#define CELLS	64

static const char * const clock_names[] = {
	[WHEEL_CLOCK_MONOTONIC]	= "monotonic",
	[WHEEL_CLOCK_BOOTTIME]	= "boottime",
	[WHEEL_CLOCK_REALTIME]	= "realtime",
	[WHEEL_CLOCK_TAI]	= "tai",
	[WHEEL_CLOCK_VIRTUAL]	= "virtual",
};

static_assert(ARRAY_SIZE(clock_names) == WHEEL_CLOCK_VIRTUAL + 1);

/* Protects the list, and keeps a wheel from being freed while it is printed. */
static DEFINE_MUTEX(wheels_lock);
static LIST_HEAD(wheels);
static struct dentry *folder;

static void show_config(struct seq_file *m, const struct wheel *wheel)
{
	const struct wheel_config *config = &wheel->config;

	seq_printf(m, "- wheel: %u\n", wheel->id);
	seq_printf(m, "  name: %s\n", config->name);
	seq_printf(m, "  scheme: %s\n", wheel->base->core.scheme->name);
	seq_printf(m, "  clock: %s\n", clock_names[config->clock]);
	seq_printf(m, "  context: %s\n", wheel->owner->context ?: "owner");
	seq_printf(m, "  tick: %llu\n", config->tick_ns);
	seq_printf(m, "  buckets: %u\n", config->buckets);
	if (config->limit != U64_MAX)
		seq_printf(m, "  limit: %llu\n", config->limit);
	seq_printf(m, "  now: %llu\n", wheel_now(wheel));
}

/* Histogram in powers of two: the entry 4096 counts expiries with 4096 to 8191 ns lateness. */
static void show_late(struct seq_file *m, const struct wheel_stats *stats)
{
	const char *comma = "";
	unsigned int i;

	seq_puts(m, "  late: {");
	for (i = 0; i < ARRAY_SIZE(stats->late); i++) {
		if (!stats->late[i])
			continue;
		seq_printf(m, "%s%llu: %llu", comma, i ? BIT_ULL(i) : 0, stats->late[i]);
		comma = ", ";
	}
	seq_puts(m, "}\n");
}

static void show_stats(struct seq_file *m, struct wheel *wheel)
{
	struct wheel_stats stats;

	wheel_read_stats(wheel, &stats);
	seq_printf(m, "  armed: %llu\n", stats.armed);
	seq_printf(m, "  fired: %llu\n", stats.fired);
	seq_printf(m, "  cancelled: %llu\n", stats.cancelled);
	seq_printf(m, "  pending: %llu\n", stats.pending);
	seq_printf(m, "  rearmed: %llu\n", stats.rearmed);
	seq_printf(m, "  refused: %llu\n", stats.refused);
	seq_printf(m, "  requeued: %llu\n", stats.requeued);
	seq_printf(m, "  cascaded: %llu\n", stats.cascaded);
	seq_printf(m, "  passes: %llu\n", stats.passes);
	seq_printf(m, "  wakeups: %llu\n", stats.wakeups);
	show_late(m, &stats);
}

/* Print the numbers of non-empty buckets, each for the same number of groups of 64 buckets. */
static void show_ring(struct seq_file *m, const struct wheel_ring *ring)
{
	u32 groups = ring->mask / 64 + 1;
	u32 together = DIV_ROUND_UP(groups, CELLS);
	u32 busy = 0, i;

	seq_printf(m, "    busy_of_%u: [", together * 64);
	for (i = 0; i < groups; i++) {
		/* Without the lock, so that readers of this file do not delay timers. */
		busy += hweight64(data_race(ring->busy[i]));
		if ((i + 1) % together && i + 1 < groups)
			continue;
		seq_printf(m, "%s%u", i < together ? "" : ", ", busy);
		busy = 0;
	}
	seq_puts(m, "]\n");
}

static void show_base(struct seq_file *m, struct wheel_base *base)
{
	u64 pending, next;

	base_lock(base);
	pending = base->core.pending;
	next = base_next(base);
	base_unlock(base);

	seq_printf(m, "  - pending: %llu\n", pending);
	if (next != WHEEL_NEVER)
		seq_printf(m, "    next: %llu\n", next);
	show_ring(m, &base->core.ring);
}

static int wheels_show(struct seq_file *m, void *v)
{
	struct wheel *wheel = list_entry(v, struct wheel, all_wheels);
	struct wheel_base *base;

	show_config(m, wheel);
	show_stats(m, wheel);
	seq_puts(m, "  bases:\n");
	for_each_base(base, wheel)
		show_base(m, base);
	return 0;
}

static void *wheels_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&wheels_lock);
	return seq_list_start(&wheels, *pos);
}

static void *wheels_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &wheels, pos);
}

static void wheels_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&wheels_lock);
}

static const struct seq_operations wheels_sops = {
	.start	= wheels_start,
	.next	= wheels_next,
	.stop	= wheels_stop,
	.show	= wheels_show,
};
DEFINE_SEQ_ATTRIBUTE(wheels);

/* Add a wheel that is set up to the list. */
void wheel_debugfs_add(struct wheel *wheel)
{
	mutex_lock(&wheels_lock);
	list_add_tail(&wheel->all_wheels, &wheels);
	mutex_unlock(&wheels_lock);
}

/* Remove a wheel from the list before it is freed. No reader accesses it afterwards. */
void wheel_debugfs_remove(struct wheel *wheel)
{
	mutex_lock(&wheels_lock);
	list_del(&wheel->all_wheels);
	mutex_unlock(&wheels_lock);
}

void wheel_debugfs_init(void)
{
	folder = debugfs_create_dir("wheel_timer", NULL);
	debugfs_create_file("wheels", 0400, folder, NULL, &wheels_fops);
}

void wheel_debugfs_exit(void)
{
	debugfs_remove(folder);
}
