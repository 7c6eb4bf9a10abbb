// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wheel as a file: opened, described, closed.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "event.h"
#include "payer.h"
#include "setup.h"

static int file_open(struct inode *inode, struct file *filp)
{
	struct wheel_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->payer = wheel_payer_get();
	if (IS_ERR(file->payer)) {
		int err = PTR_ERR(file->payer);

		kfree(file);
		return err;
	}
	mutex_init(&file->whole);
	spin_lock_init(&file->lock);
	init_llist_head(&file->gone);
	file->wake_at = U32_MAX;
	init_waitqueue_head(&file->readers);
	init_waitqueue_head(&file->pollers);
	file->memcg = get_mem_cgroup_from_mm(current->mm);
	filp->private_data = file;
	return stream_open(inode, filp);
}

static int file_release(struct inode *inode, struct file *filp)
{
	struct wheel_file *file = filp->private_data;

	file_teardown(file);
	wheel_payer_put(file->payer);
	mem_cgroup_put(file->memcg);
	kfree(file);
	return 0;
}

static void file_fdinfo(struct seq_file *m, struct file *filp)
{
	struct wheel_file *file = filp->private_data;
	struct wheel_setup setup;
	struct wheel_stats stats;

	file_info(file, &setup);
	file_stats(file, &stats);
	seq_printf(m, "clock:\t%u\n", setup.clock);
	seq_printf(m, "scheme:\t%u\n", setup.scheme);
	seq_printf(m, "tick_ns:\t%llu\n", setup.tick_ns);
	seq_printf(m, "timers:\t%u\n", setup.timers);
	seq_printf(m, "buckets:\t%u\n", setup.buckets);
	seq_printf(m, "armed:\t%llu\n", stats.armed);
	seq_printf(m, "fired:\t%llu\n", stats.fired);
	seq_printf(m, "cancelled:\t%llu\n", stats.cancelled);
	seq_printf(m, "pending:\t%llu\n", stats.pending);
	seq_printf(m, "unread:\t%llu\n", stats.unread);
}

static const struct file_operations file_ops = {
	.owner		= THIS_MODULE,
	.open		= file_open,
	.release	= file_release,
	.read_iter	= file_read_iter,
	.poll		= file_poll,
	.mmap		= file_mmap,
	.unlocked_ioctl	= file_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.show_fdinfo	= file_fdinfo,
	.llseek		= noop_llseek,
};

/*
 * For everybody, like timerfd: memory is charged to the opener, and time in softirqs to
 * the user, payer.c.
 */
static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "wheel",
	.fops	= &file_ops,
	.mode	= 0666,
};

int wheel_dev_init(void)
{
	return misc_register(&device);
}

void wheel_dev_exit(void)
{
	misc_deregister(&device);
	wheel_payers_exit();
}
