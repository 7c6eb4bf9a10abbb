// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the longest time with interrupts disabled on the CPU that loads this module.
 *
 * An hrtimer expires every few microseconds. Its lateness is the time for which interrupts were
 * disabled, minus less than one period. Random periods make the maximum of many runs approach
 * that time. In a guest that counts instructions as time, a nanosecond is an instruction. Files
 * in the directory wheel_irqsoff of debugfs:
 *
 * - worst: the maximum since the last write, and the functions that ran when interrupts were
 *   enabled again, innermost first; a write resets it;
 * - inject: a write of N disables interrupts for N nanoseconds.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>
#include <linux/timekeeping.h>
#include "compat.h"

#define PERIOD_NS	6000
#define JITTER_NS	4096
#define FRAMES		24
#define LONGEST_NS	(10 * NSEC_PER_MSEC)

static struct hrtimer beat;
static struct dentry *directory;
static u32 random = 1;

/* Written by the interrupt, except while the file is written. */
static u64 worst;
static unsigned long frames[FRAMES];
static unsigned int nr_frames;

static u64 next_period(void)
{
	random = random * 1664525 + 1013904223;
	return PERIOD_NS + (random >> 8) % JITTER_NS;
}

static enum hrtimer_restart on_beat(struct hrtimer *timer)
{
	u64 late = ktime_get_ns() - ktime_to_ns(hrtimer_get_expires(timer));

	if (late > worst) {
		worst = late;
		nr_frames = stack_trace_save(frames, FRAMES, 1);
	}
	hrtimer_set_expires(timer, ns_to_ktime(ktime_get_ns() + next_period()));
	return HRTIMER_RESTART;
}

static int worst_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	seq_printf(m, "%llu", worst);
	for (i = 0; i < nr_frames; i++)
		seq_printf(m, " %ps", (void *)frames[i]);
	seq_putc(m, '\n');
	return 0;
}

static int worst_open(struct inode *inode, struct file *file)
{
	return single_open(file, worst_show, NULL);
}

static ssize_t worst_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	local_irq_disable();
	worst = 0;
	nr_frames = 0;
	local_irq_enable();
	return len;
}

static const struct file_operations worst_fops = {
	.owner		= THIS_MODULE,
	.open		= worst_open,
	.read		= seq_read,
	.write		= worst_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int inject_set(void *unused, u64 ns)
{
	u64 end;

	local_irq_disable();
	end = ktime_get_ns() + min_t(u64, ns, LONGEST_NS);
	while (ktime_get_ns() < end)
		;
	local_irq_enable();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(inject_fops, NULL, inject_set, "%llu\n");

static int __init irqsoff_init(void)
{
	directory = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("worst", 0600, directory, NULL, &worst_fops);
	debugfs_create_file_unsafe("inject", 0200, directory, NULL, &inject_fops);
	hrtimer_setup(&beat, on_beat, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_start(&beat, ktime_get(), HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}
module_init(irqsoff_init);

static void __exit irqsoff_exit(void)
{
	hrtimer_cancel(&beat);
	debugfs_remove(directory);
}
module_exit(irqsoff_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wheel_timer authors");
MODULE_DESCRIPTION("Longest time with interrupts disabled");
