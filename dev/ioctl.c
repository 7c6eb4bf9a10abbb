// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl commands. tests/lint/uapi-layout checks the layout of their structs.
 */
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include "dev.h"

/* Read the counters of a file, which need not be set up. */
void wheel_file_stats(struct wheel_file *file, struct wheel_stats *stats)
{
	struct wheel *wheel = wheel_file_ready(file);
	const struct wheel_slots *slots = &file->slots;

	memset(stats, 0, sizeof(*stats));
	if (!wheel)
		return;
	wheel_lock(wheel);
	wheel_read_stats_locked(wheel, stats);
	stats->unread = slots->unread;
	if (file->ring.size)
		stats->unread += wheel_event_ring_ready(&file->ring);
	stats->overruns = slots->overruns;
	stats->refused = slots->refused;
	stats->deferred = file->deferrals;
	wheel_unlock(wheel);
}

/* Accepts every struct that INFO has returned, including its flags. */
static int ioctl_info(struct wheel_file *file, void *arg)
{
	const struct wheel_setup *info = arg;

	if (info->flags & ~WHEEL_SETUP_WORDS)
		return -EINVAL;
	wheel_file_info(file, arg);
	return 0;
}

static int ioctl_stats(struct wheel_file *file, void *arg)
{
	const struct wheel_stats *stats = arg;

	if (stats->flags)
		return -EINVAL;
	wheel_file_stats(file, arg);
	return 0;
}

/**
 * struct command - one ioctl
 * @size: size of its struct
 * @min: size of its struct in the first release, which older programs pass
 * @make: function that executes the command, with the struct in kernel memory
 * @progress: the struct reports the progress of a call, also if it fails
 */
struct command {
	u32	size;
	u32	min;
	int	(*make)(struct wheel_file *file, void *arg);
	bool	progress;
};

static const struct command commands[] = {
	[_IOC_NR(WHEEL_IOC_SETUP)]   = { sizeof(struct wheel_setup), 48, wheel_file_setup },
	[_IOC_NR(WHEEL_IOC_INFO)]    = { sizeof(struct wheel_setup), 48, ioctl_info },
	[_IOC_NR(WHEEL_IOC_SUBMIT)]  = { sizeof(struct wheel_submit), 40, wheel_file_submit, true },
	[_IOC_NR(WHEEL_IOC_LIST)]    = { sizeof(struct wheel_list), 32, wheel_file_list, true },
	[_IOC_NR(WHEEL_IOC_STOP)]    = { sizeof(struct wheel_stop), 16, wheel_file_stop },
	[_IOC_NR(WHEEL_IOC_STATS)]   = { sizeof(struct wheel_stats), 624, ioctl_stats },
	[_IOC_NR(WHEEL_IOC_ADVANCE)] = { sizeof(struct wheel_advance), 24, wheel_file_advance },
	[_IOC_NR(WHEEL_IOC_ENTER)]   = { sizeof(struct wheel_enter), 24, wheel_file_enter },
};

union command_arg {
	u32			size;
	struct wheel_setup	setup;
	struct wheel_submit	submit;
	struct wheel_list	list;
	struct wheel_stop	stop;
	struct wheel_stats	stats;
	struct wheel_advance	advance;
	struct wheel_enter	enter;
};

static const struct command *command_of(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (cmd != _IO(WHEEL_IOC_TYPE, nr) || nr >= ARRAY_SIZE(commands))
		return NULL;
	return &commands[array_index_nospec(nr, ARRAY_SIZE(commands))];
}

/*
 * Check that the struct can be written before the command is executed. The check stores the values
 * that were read, except for the size.
 */
static bool result_writable(void __user *uarg, const void *karg, u32 size)
{
	size_t last = size - sizeof(u32);

	return !put_user(*(const u32 *)karg, (u32 __user *)uarg) &&
	       !put_user(*(const u32 *)(karg + last), (u32 __user *)(uarg + last));
}

/* Not inlined: the fast path needs no large stack frame, which the compiler may initialize. */
static noinline int ioctl_any(struct wheel_file *file, unsigned int cmd, void __user *uarg)
{
	const struct command *command = command_of(cmd);
	union command_arg karg WHEEL_FILLED_LATER;
	u32 size, known;
	int err;

	if (!command)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)uarg))
		return -EFAULT;
	if (size < command->min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&karg, command->size, uarg, size);
	if (err)
		return err;
	/* The part of the struct that both sides support. */
	known = min(size, command->size);
	if (!result_writable(uarg, &karg, known))
		return -EFAULT;
	err = command->make(file, &karg);
	if (err && !command->progress)
		return err;
	/* Return the program's size of the struct, not the kernel's. */
	karg.size = size;
	if (copy_to_user(uarg, &karg, known))
		return -EFAULT;
	return err;
}

/* Execute WHEEL_IOC_* for the struct at @arg, whose first member is its size. */
long wheel_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct wheel_file *file = filp->private_data;
	void __user *uarg = (void __user *)arg;
	int err;

	if (unlikely(cmd != WHEEL_IOC_SUBMIT))
		return ioctl_any(file, cmd, uarg);
	err = wheel_file_submit_single(file, uarg);
	return likely(err != WHEEL_NOT_SINGLE) ? err : ioctl_any(file, WHEEL_IOC_SUBMIT, uarg);
}
