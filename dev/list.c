// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_STOP and WHEEL_IOC_LIST.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "../slots/word.h"
#include "dev.h"

/* Timers that LIST copies at once; they are on its stack. */
#define LIST_BATCH	8U

/* Drain timers in one lock hold. Returns true if timers are left. */
static bool stop_step(struct wheel_file *file)
{
	struct wheel *wheel = file->slots.wheel;
	struct wheel_timer *timer, *next;
	LIST_HEAD(unfired);
	bool more;

	wheel_lock(wheel);
	more = wheel_drain_some(wheel, &unfired);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del_init(&timer->node);
		wheel_slot_of(timer)->state = WHEEL_SLOT_STOPPED;
		file->unfired++;
	}
	wheel_unlock(wheel);
	cond_resched();
	return more;
}

/* Prevent further arming and scans. Timers can expire until the first step has shut the wheel. */
static void stop_begin(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;

	wheel_lock(slots->wheel);
	wheel_slots_stop(slots, wheel_now(slots->wheel));
	if (slots->words)
		wheel_scan_stop(slots);
	wheel_unlock(slots->wheel);
}

static void stop_end(struct wheel_file *file)
{
	wheel_stop(file->slots.wheel, NULL);
	wheel_lock(file->slots.wheel);
	WRITE_ONCE(file->stopped, true);
	wheel_file_defer(file, false);
	wheel_unlock(file->slots.wheel);
}

/*
 * Take back the words of timers that are not queued. One lock hold: DEV_HOLD slots, from
 * @file->stop_at on. Returns true if words are left.
 */
static bool stop_words(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;
	u32 end = min(slots->setup.timers, file->stop_at + DEV_HOLD);

	wheel_lock(slots->wheel);
	for (; file->stop_at < end; file->stop_at++) {
		struct wheel_slot *slot = wheel_slot_named(slots, file->stop_at);

		file->unfired += slot && wheel_word_unfired(slots, slot);
	}
	wheel_unlock(slots->wheel);
	cond_resched();
	return end < slots->setup.timers;
}

/*
 * Stop the wheel. If a signal is pending, the call is restarted and continues, because the file
 * records its progress.
 */
static int stop_locked(struct wheel_file *file, u64 *unfired)
{
	lockdep_assert_held(&file->setup_lock);
	stop_begin(file);
	while (stop_step(file)) {
		if (signal_pending(current))
			return -ERESTARTNOINTR;
	}
	stop_end(file);
	while (file->slots.words && stop_words(file)) {
		if (signal_pending(current))
			return -ERESTARTNOINTR;
	}
	*unfired = file->unfired;
	file->unfired = 0;
	file->stop_at = 0;
	return 0;
}

/* WHEEL_IOC_STOP */
int wheel_file_stop(struct wheel_file *file, void *arg)
{
	struct wheel_stop *stop = arg;
	int err;

	if (stop->flags)
		return -EINVAL;
	err = wheel_file_ensure_setup(file);
	if (err)
		return err;

	/* Another task may hold the lock for long, for the same purpose. */
	if (mutex_lock_interruptible(&file->setup_lock))
		return -ERESTARTNOINTR;
	err = stop_locked(file, &stop->unfired);
	mutex_unlock(&file->setup_lock);
	if (err)
		return err;
	wake_up_interruptible_all(&file->readers);
	wake_up_interruptible_poll(&file->pollers, EPOLLHUP);
	return 0;
}

/*
 * List timers from *@cursor on in one lock hold, and advance *@cursor. Returns the number of timers
 * found. They are a consistent snapshot, because no pass runs meanwhile.
 */
static u32 list_some(struct wheel_file *file, struct wheel_op *ops, u32 room, u32 *cursor)
{
	struct wheel_slots *slots = &file->slots;
	u32 end = min(slots->setup.timers, *cursor + DEV_HOLD);
	u32 found = 0;

	wheel_lock(slots->wheel);
	for (; *cursor < end && found < room; ++*cursor) {
		struct wheel_slot *slot = wheel_slot_named(slots, *cursor);

		found += slot && wheel_slot_describe(slots, slot, &ops[found]);
	}
	wheel_unlock(slots->wheel);
	return found;
}

static int copy_out(const struct wheel_list *list, const struct wheel_op *ops, u32 count)
{
	void __user *to = u64_to_user_ptr(list->timers) + (size_t)list->done * list->op_size;
	/* The part of the struct that both sides support. */
	u32 known = min_t(u32, list->op_size, sizeof(*ops));
	u32 i;

	for (i = 0; i < count; i++, to += list->op_size) {
		if (copy_to_user(to, &ops[i], known) ||
		    clear_user(to + known, list->op_size - known))
			return -EFAULT;
	}
	return 0;
}

/* WHEEL_IOC_LIST. The output members report the progress, also on error. */
int wheel_file_list(struct wheel_file *file, void *arg)
{
	struct wheel_op ops[LIST_BATCH] WHEEL_FILLED_LATER;
	struct wheel_list *list = arg;

	list->done = 0;
	if (list->flags || list->op_size < WHEEL_OP_SIZE)
		return -EINVAL;
	if (list->op_size > PAGE_SIZE)
		return -E2BIG;
	/* LIST does not set a file up. */
	if (!wheel_file_ready(file))
		return 0;
	if (wheel_file_shifted(file))
		return -EOPNOTSUPP;
	while (list->done < list->count && list->cursor < file->slots.setup.timers) {
		u32 cursor = list->cursor;
		u32 found = list_some(file, ops, min(LIST_BATCH, list->count - list->done),
				      &cursor);

		if (copy_out(list, ops, found))
			return -EFAULT;
		list->cursor = cursor;
		list->done += found;
		cond_resched();
		if (list->cursor < file->slots.setup.timers && signal_pending(current))
			return list->done ? 0 : -EINTR;
	}
	return 0;
}
