// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wheel: open and close files, and print their fdinfo.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "dev.h"

static int wheel_file_open(struct inode *inode, struct file *filp)
{
	struct wheel_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return -ENOMEM;
	file->user = wheel_user_get();
	if (IS_ERR(file->user)) {
		int err = PTR_ERR(file->user);

		kfree(file);
		return err;
	}
	mutex_init(&file->setup_lock);
	wheel_slots_init(&file->slots);
	file->wake_at = 1;
	init_waitqueue_head(&file->readers);
	init_waitqueue_head(&file->pollers);
	file->memcg = get_mem_cgroup_from_mm(current->mm);
	filp->private_data = file;
	filp->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, filp);
}

static int wheel_file_release(struct inode *inode, struct file *filp)
{
	struct wheel_file *file = filp->private_data;

	wheel_file_teardown(file);
	wheel_file_uncharge(file, atomic_long_read(&file->charged));
	wheel_user_put(file->user);
	mem_cgroup_put(file->memcg);
	kfree(file);
	return 0;
}

static void wheel_file_fdinfo(struct seq_file *m, struct file *filp)
{
	struct wheel_file *file = filp->private_data;
	struct wheel_setup setup;
	struct wheel_stats stats;

	wheel_file_info(file, &setup);
	wheel_file_stats(file, &stats);
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
	if (wheel_file_ready(file))
		seq_printf(m, "wheel:\t%u\n", wheel_number(file->slots.wheel));
	wheel_user_show(m, file);
}

static const struct file_operations wheel_file_ops = {
	.owner		= THIS_MODULE,
	.open		= wheel_file_open,
	.release	= wheel_file_release,
	.read_iter	= wheel_file_read_iter,
	.poll		= wheel_file_poll,
	.mmap		= wheel_file_mmap,
	.unlocked_ioctl	= wheel_file_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.show_fdinfo	= wheel_file_fdinfo,
	.llseek		= noop_llseek,
};

/*
 * Open to all users, like timerfd: memory is limited per user, user.c, and passes run in the
 * context of their owner, event.c.
 */
static struct miscdevice wheel_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "wheel",
	.fops	= &wheel_file_ops,
	.mode	= 0666,
};

int wheel_dev_init(void)
{
	return misc_register(&wheel_device);
}

void wheel_dev_exit(void)
{
	misc_deregister(&wheel_device);
}
