// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_STOP and WHEEL_IOC_LIST: the end of a wheel, and what it holds.
 */
#include <linux/err.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "pick.h"
#include "setup.h"
#include "slot.h"

/* One lock hold's worth. */
static u32 mark_stopped(struct wheel_file *file, struct list_head *unfired)
{
	u32 n = 0;

	spin_lock_bh(&file->lock);
	while (n < DEV_HOLD && !list_empty(unfired)) {
		struct slot *slot = list_first_entry(unfired, struct slot,
						     timer.node);

		list_del_init(&slot->timer.node);
		slot->state = SLOT_STOPPED;
		n++;
	}
	spin_unlock_bh(&file->lock);
	return n;
}

/**
 * file_stop - WHEEL_IOC_STOP
 * @file: file
 * @stop: filled
 *
 * Return: 0 or an errno.
 */
int file_stop(struct wheel_file *file, struct wheel_stop *stop)
{
	struct wheel *wheel;
	LIST_HEAD(unfired);
	u32 n;

	if (stop->flags)
		return -EINVAL;
	wheel = file_wheel(file);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);

	mutex_lock(&file->whole);
	spin_lock_bh(&file->lock);
	file->stopping = true;
	spin_unlock_bh(&file->lock);
	wheel_stop(wheel, &unfired);
	spin_lock_bh(&file->lock);
	WRITE_ONCE(file->stopped, true);
	spin_unlock_bh(&file->lock);

	stop->unfired = 0;
	while ((n = mark_stopped(file, &unfired))) {
		stop->unfired += n;
		cond_resched();
	}
	mutex_unlock(&file->whole);
	wake_up_interruptible_all(&file->readers);
	wake_up_interruptible_poll(&file->pollers, EPOLLHUP);
	return 0;
}

/* Is it to be listed, and for when? */
static bool listed(const struct wheel_file *file, const struct slot *slot,
		   u64 *deadline)
{
	if (slot->state != SLOT_STOPPED)
		return slot_pending(file, slot, deadline);
	*deadline = wheel_timer_deadline(&slot->timer);
	return true;
}

static void describe(const struct slot *slot, u64 deadline, struct wheel_op *op)
{
	*op = (struct wheel_op){
		.op	= WHEEL_OP_ARM,
		.flags	= slot->touch ? WHEEL_OP_TOUCH : 0,
		.id	= slot->id,
		.when	= deadline,
		.slack	= slot->slack,
		.period	= slot->period,
		.cookie	= slot->cookie,
	};
}

/*
 * One lock hold's worth: moves *@cursor, returns how many were found. With the wheel
 * locked no pass changes them meanwhile: they belong to one moment.
 */
static u32 look(struct wheel_file *file, struct wheel_op *ops, u32 room,
		bool take, u32 *cursor)
{
	u32 end = min(file->setup.timers, *cursor + DEV_HOLD);
	unsigned long flags;
	u32 found = 0;

	spin_lock_bh(&file->lock);
	flags = wheel_lock(file->wheel);
	for (; *cursor < end && found < room; ++*cursor) {
		struct slot *slot = slot_at(file, *cursor);
		u64 deadline;

		if (!slot || !listed(file, slot, &deadline))
			continue;
		describe(slot, deadline, &ops[found++]);
		if (take)
			slot->state = SLOT_TAKEN;
	}
	wheel_unlock(file->wheel, flags);
	spin_unlock_bh(&file->lock);
	return found;
}

static int copy_out(const struct wheel_list *list, const struct wheel_op *ops,
		    u32 count)
{
	void __user *to = u64_to_user_ptr(list->timers);
	u32 i;

	to += (size_t)list->done * list->op_size;
	for (i = 0; i < count; i++, to += list->op_size) {
		if (copy_to_user(to, &ops[i], sizeof(ops[i])) ||
		    clear_user(to + sizeof(ops[i]),
			       list->op_size - sizeof(ops[i])))
			return -EFAULT;
	}
	return 0;
}

/* What has been copied is the program's own now; what has not goes back. */
static void taken(struct wheel_file *file, const struct wheel_op *ops,
		  u32 count, bool copied)
{
	u32 i;

	spin_lock_bh(&file->lock);
	for (i = 0; i < count; i++) {
		struct slot *slot = slot_of_id(file, ops[i].id);

		slot->state = SLOT_STOPPED;
		if (copied)
			slot_free(file, slot);
	}
	spin_unlock_bh(&file->lock);
}

static int list_all(struct wheel_file *file, struct wheel_list *list,
		    struct wheel_op *ops)
{
	bool take = list->flags & WHEEL_LIST_TAKE;

	while (list->done < list->count && list->cursor < file->setup.timers) {
		u32 room = min_t(u32, DEV_HOLD, list->count - list->done);
		u32 cursor = list->cursor;
		u32 found = look(file, ops, room, take, &cursor);
		bool fault = copy_out(list, ops, found);

		if (take)
			taken(file, ops, found, !fault);
		if (fault)
			return -EFAULT;
		list->cursor = cursor;
		list->done += found;
		cond_resched();
		if (cursor < file->setup.timers && signal_pending(current))
			return list->done ? 0 : -EINTR;
	}
	return 0;
}

/**
 * file_list - WHEEL_IOC_LIST
 * @file: file
 * @list: where to, and from which slot
 *
 * Return: 0 or an errno; @list says how far it came.
 */
int file_list(struct wheel_file *file, struct wheel_list *list)
{
	struct wheel_op *ops;
	struct wheel *wheel;
	int err;

	list->done = 0;
	if (list->flags & ~WHEEL_LIST_TAKE ||
	    list->op_size < sizeof(struct wheel_op))
		return -EINVAL;
	if (list->op_size > PAGE_SIZE)
		return -E2BIG;
	wheel = file_wheel(file);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	if (list->flags & WHEEL_LIST_TAKE && !READ_ONCE(file->stopped))
		return -EINVAL;
	ops = kmalloc_array(DEV_HOLD, sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return -ENOMEM;
	err = list_all(file, list, ops);
	kfree(ops);
	return err;
}
