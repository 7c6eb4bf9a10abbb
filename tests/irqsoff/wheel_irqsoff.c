// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the longest times with interrupts disabled, and with preemption disabled, on the CPU
 * that loads this module.
 *
 * An hrtimer expires every few microseconds. Its lateness is the time for which interrupts were
 * disabled, minus less than one period. Random periods make the maximum of many runs approach
 * that time.
 *
 * To measure preemption, the hrtimer wakes a real-time thread instead, which runs as soon as
 * preemption is enabled, if the kernel is fully preemptible (preempt=full). The time from the
 * expiry to the thread is the time for which preemption was disabled, minus less than one period,
 * plus the interrupt and the switch to the thread. The thread starts the hrtimer again, so that
 * there is one interrupt per measured time.
 *
 * In a guest that counts instructions as time, a nanosecond is an instruction. Files in the
 * directory wheel_irqsoff of debugfs:
 *
 * - interrupts: the maximum with interrupts disabled since the last write, and the functions that
 *   ran when they were enabled again, innermost first; a write resets it;
 * - preemption: the same with preemption disabled, and the function that ran at the expiry. The
 *   thread is woken only while this file is open;
 * - inject, inject_preemption: a write of N disables interrupts, or preemption, for N nanoseconds.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>
#include "compat.h"

#define PERIOD_NS	6000
#define JITTER_NS	4096
#define FRAMES		24
#define LONGEST_NS	(10 * NSEC_PER_MSEC)

/**
 * struct maximum - Longest time, written with interrupts disabled
 * @ns: time in nanoseconds
 * @frames: functions that ran at its end
 * @nr_frames: number of @frames
 */
struct maximum {
	u64		ns;
	unsigned long	frames[FRAMES];
	unsigned int	nr_frames;
};

static struct hrtimer beat;
static struct dentry *directory;
static u32 random = 1;

static struct maximum interrupts, preemption;

/* Woken for an expiry. */
static struct task_struct *thread;
/* That expiry; its time is 0 while the thread sleeps. */
static struct maximum expiry;
static bool wakes;

static u64 next_period(void)
{
	random = random * 1664525 + 1013904223;
	return PERIOD_NS + (random >> 8) % JITTER_NS;
}

static enum hrtimer_restart on_beat(struct hrtimer *timer)
{
	u64 time = ktime_to_ns(hrtimer_get_expires(timer)), late = ktime_get_ns() - time;

	if (READ_ONCE(wakes)) {
		expiry.frames[0] = instruction_pointer(get_irq_regs());
		expiry.nr_frames = 1;
		WRITE_ONCE(expiry.ns, time);
		wake_up_process(thread);
		return HRTIMER_NORESTART;
	}
	if (late > interrupts.ns) {
		interrupts.ns = late;
		interrupts.nr_frames = stack_trace_save(interrupts.frames, FRAMES, 1);
	}
	hrtimer_set_expires(timer, ns_to_ktime(ktime_get_ns() + next_period()));
	return HRTIMER_RESTART;
}

/* The thread was woken: record how long it had to wait. */
static void thread_runs(void)
{
	u64 now = ktime_get_ns();

	local_irq_disable();
	expiry.ns = now - expiry.ns;
	if (expiry.ns > preemption.ns)
		preemption = expiry;
	expiry.ns = 0;
	local_irq_enable();
	hrtimer_start(&beat, ns_to_ktime(ktime_get_ns() + next_period()),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

static int thread_main(void *unused)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!READ_ONCE(expiry.ns)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		thread_runs();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int maximum_show(struct seq_file *m, void *unused)
{
	const struct maximum *maximum = m->private;
	unsigned int i;

	seq_printf(m, "%llu", maximum->ns);
	for (i = 0; i < maximum->nr_frames; i++)
		seq_printf(m, " %ps", (void *)maximum->frames[i]);
	seq_putc(m, '\n');
	return 0;
}

static int maximum_open(struct inode *inode, struct file *file)
{
	if (inode->i_private == &preemption)
		WRITE_ONCE(wakes, true);
	return single_open(file, maximum_show, inode->i_private);
}

static int maximum_release(struct inode *inode, struct file *file)
{
	if (inode->i_private == &preemption)
		WRITE_ONCE(wakes, false);
	return single_release(inode, file);
}

static ssize_t maximum_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct maximum *maximum = file_inode(file)->i_private;

	local_irq_disable();
	memset(maximum, 0, sizeof(*maximum));
	local_irq_enable();
	return len;
}

static const struct file_operations maximum_fops = {
	.owner		= THIS_MODULE,
	.open		= maximum_open,
	.read		= seq_read,
	.write		= maximum_write,
	.llseek		= seq_lseek,
	.release	= maximum_release,
};

static void spin(u64 ns)
{
	u64 end = ktime_get_ns() + min_t(u64, ns, LONGEST_NS);

	while (ktime_get_ns() < end)
		;
}

static int inject_set(void *unused, u64 ns)
{
	local_irq_disable();
	spin(ns);
	local_irq_enable();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(inject_fops, NULL, inject_set, "%llu\n");

static int inject_preemption_set(void *unused, u64 ns)
{
	preempt_disable();
	spin(ns);
	preempt_enable();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(inject_preemption_fops, NULL, inject_preemption_set, "%llu\n");

static int __init irqsoff_init(void)
{
	thread = kthread_create(thread_main, NULL, KBUILD_MODNAME);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, raw_smp_processor_id());
	sched_set_fifo(thread);
	wake_up_process(thread);
	directory = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("interrupts", 0600, directory, &interrupts, &maximum_fops);
	debugfs_create_file("preemption", 0600, directory, &preemption, &maximum_fops);
	debugfs_create_file_unsafe("inject", 0200, directory, NULL, &inject_fops);
	debugfs_create_file_unsafe("inject_preemption", 0200, directory, NULL,
				   &inject_preemption_fops);
	hrtimer_setup(&beat, on_beat, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_start(&beat, ktime_get(), HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}
module_init(irqsoff_init);

static void __exit irqsoff_exit(void)
{
	debugfs_remove(directory);
	/* The thread starts the hrtimer. */
	kthread_stop(thread);
	hrtimer_cancel(&beat);
}
module_exit(irqsoff_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wheel_timer authors");
MODULE_DESCRIPTION("Longest times with interrupts or preemption disabled");
