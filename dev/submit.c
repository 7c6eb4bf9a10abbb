// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_IOC_SUBMIT: operations on timers, in batches.
 *
 * A batch goes through kernel memory in chunks: copied in, made under one lock
 * hold, copied out. No user memory is touched under the lock.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>
#include "dev.h"

/* Chunks of a few operations live on the stack. */
#define FEW_OPS	4

/* Internal, never an answer: the slot's page must be brought first. */
#define NEED_PAGE	(-EAGAIN)

/**
 * struct batch - a call on its way
 * @file: file that is set up
 * @wheel: its wheel
 * @now: the clock's only reading of this call
 * @shifted: a time namespace has moved the caller's clock
 * @stride: bytes from one operation to the next in user memory
 * @ops: chunk of operations in kernel memory
 * @uops: where they are in user memory
 */
struct batch {
	struct wheel_file	*file;
	struct wheel		*wheel;
	u64			now;
	bool			shifted;
	u32			stride;
	struct wheel_op		*ops;
	void __user		*uops;
};

static bool clock_shifted(u32 clock)
{
	struct timespec64 zero = {};

	switch (clock) {
	case WHEEL_CLOCK_MONOTONIC:
		timens_add_monotonic(&zero);
		return zero.tv_sec || zero.tv_nsec;
	case WHEEL_CLOCK_BOOTTIME:
		return timens_add_boottime_ns(0);
	default:
		return false;
	}
}

static int op_check(const struct wheel_file *file, const struct wheel_op *op)
{
	bool times = op->op == WHEEL_OP_ARM || op->op == WHEEL_OP_REARM;
	bool picks = op->op == WHEEL_OP_ARM &&
		     file->setup.flags & WHEEL_SETUP_ANY_SLOT;

	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY ||
	    op->flags & ~(WHEEL_OP_REL | WHEEL_OP_TOUCH) ||
	    (!times && op->flags & WHEEL_OP_REL) ||
	    (op->op != WHEEL_OP_ARM && op->flags & WHEEL_OP_TOUCH) ||
	    op->reserved[0] || op->reserved[1] || op->reserved[2] ||
	    (!picks && WHEEL_ID_SLOT(op->id) >= file->setup.timers))
		return -EINVAL;
	if (op->flags & WHEEL_OP_TOUCH)
		return -EOPNOTSUPP;
	return 0;
}

/* The deadline that an operation asks for. */
static int op_deadline(const struct batch *b, const struct wheel_op *op,
		       u64 *deadline)
{
	u64 base = op->flags & WHEEL_OP_REL ? b->now : 0;

	if (!(op->flags & WHEEL_OP_REL) && b->shifted)
		return -EOPNOTSUPP;
	if (op->when > WHEEL_MAX_TIME - base || op->slack > WHEEL_MAX_TIME ||
	    (op->op == WHEEL_OP_ARM && op->period > WHEEL_MAX_TIME))
		return -ERANGE;
	*deadline = base + op->when;
	return 0;
}

/* The number of the slot that an ARM will use, and 0 or why it cannot. */
static int pick_slot(const struct wheel_file *file, const struct wheel_op *op,
		     u32 *nr)
{
	if (!(file->setup.flags & WHEEL_SETUP_ANY_SLOT)) {
		*nr = WHEEL_ID_SLOT(op->id);
		return 0;
	}
	*nr = file->unused.count ? file->unused.head : file->fresh;
	return *nr < file->setup.timers ? 0 : -EDQUOT;
}

/* The slot is armed: let nobody pick it again. */
static void picked_slot(struct wheel_file *file)
{
	if (!(file->setup.flags & WHEEL_SETUP_ANY_SLOT))
		return;
	if (!slot_pop(file, &file->unused))
		file->fresh++;
}

/* The id of the timer that is to be armed in @slot. */
static int new_id(const struct wheel_file *file, const struct wheel_op *op,
		  const struct slot *slot, u32 nr, u64 *id)
{
	if (file->setup.flags & WHEEL_SETUP_ANY_SLOT) {
		*id = WHEEL_ID(nr, WHEEL_ID_GEN(slot->id) + 1);
		return 0;
	}
	*id = op->id;
	if (slot->state != SLOT_FREE)
		return -EBUSY;
	return WHEEL_ID_GEN(op->id) > WHEEL_ID_GEN(slot->id) ? 0 : -ESTALE;
}

static int arm_slot(const struct batch *b, const struct wheel_op *op,
		    struct slot *slot, u64 id, u64 deadline)
{
	int err;

	wheel_timer_init(&slot->timer, b->wheel, slot_fired);
	err = wheel_timer_arm(&slot->timer, deadline, op->slack);
	if (err)
		return err;
	slot->id = id;
	slot->cookie = op->cookie;
	slot->period = op->period;
	slot->slack = op->slack;
	slot->ended = false;
	slot->state = SLOT_ARMED;
	return 0;
}

static int op_arm(const struct batch *b, struct wheel_op *op)
{
	struct wheel_file *file = b->file;
	u64 deadline, id;
	struct slot *slot;
	u32 nr;
	int err;

	if (file->stopped)
		return -ESHUTDOWN;
	err = op_deadline(b, op, &deadline) ?: pick_slot(file, op, &nr);
	if (err)
		return err;
	slot = slot_at(file, nr);
	if (!slot)
		return NEED_PAGE;
	err = new_id(file, op, slot, nr, &id) ?:
	      arm_slot(b, op, slot, id, deadline);
	if (err)
		return err;
	picked_slot(file);
	op->id = id;
	return 0;
}

static int op_rearm(const struct batch *b, const struct wheel_op *op)
{
	struct slot *slot = slot_of_id(b->file, op->id);
	u64 deadline;
	int err;

	if (!slot || slot->state != SLOT_ARMED)
		return -ENOENT;
	err = op_deadline(b, op, &deadline);
	if (err)
		return err;
	err = wheel_timer_rearm(&slot->timer, deadline, op->slack);
	if (!err)
		slot->slack = op->slack;
	return err;
}

static int op_cancel(const struct batch *b, const struct wheel_op *op)
{
	struct slot *slot = slot_of_id(b->file, op->id);
	int err = -EALREADY;

	if (!slot || slot->state >= SLOT_STOPPED)
		return -ENOENT;
	if (slot->state == SLOT_ARMED)
		err = wheel_timer_cancel(&slot->timer);
	if (!err)
		slot_free(b->file, slot);
	if (err != -EALREADY)
		return err;
	/* Its event is unread or on its way; what can end is its periods. */
	if (!slot->period || slot->ended)
		return -ENOENT;
	slot->ended = true;
	slot->slack = slot_missed(slot, b->now);
	return 1;
}

static int op_query(const struct batch *b, struct wheel_op *op)
{
	const struct slot *slot = slot_of_id(b->file, op->id);

	if (!slot || slot->state != SLOT_ARMED ||
	    !wheel_timer_pending(&slot->timer))
		return -ENOENT;
	op->when = wheel_timer_deadline(&slot->timer);
	return 0;
}

static int op_make(const struct batch *b, struct wheel_op *op)
{
	int err = op_check(b->file, op);

	if (err)
		return err;
	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op);
	case WHEEL_OP_REARM:
		return op_rearm(b, op);
	case WHEEL_OP_CANCEL:
		return op_cancel(b, op);
	default:
		return op_query(b, op);
	}
}

static void op_answer(struct wheel_file *file, struct wheel_op *op, int res)
{
	op->res = res;
	if (op->op == WHEEL_OP_ARM &&
	    (res == -EDQUOT || res == -ERANGE || res == -ESHUTDOWN))
		file->refused++;
}

/* Make operations until one needs a page. Returns how many were made. */
static u32 chunk_make_locked(const struct batch *b, u32 from, u32 count)
{
	struct wheel_file *file = b->file;
	u32 i;

	spin_lock_bh(&file->lock);
	for (i = from; i < count; i++) {
		int res = op_make(b, &b->ops[i]);

		if (res == NEED_PAGE)
			break;
		op_answer(file, &b->ops[i], res);
	}
	spin_unlock_bh(&file->lock);
	return i;
}

static int page_alloc_for(const struct batch *b, const struct wheel_op *op)
{
	u32 nr;

	/* Not locked: at worst we bring a page that is needed a little later. */
	if (pick_slot(b->file, op, &nr))
		return 0;
	return slot_page_alloc(b->file, nr);
}

static void chunk_make(const struct batch *b, u32 count)
{
	u32 i = 0;

	for (;;) {
		i = chunk_make_locked(b, i, count);
		if (i == count)
			return;
		if (page_alloc_for(b, &b->ops[i]))
			op_answer(b->file, &b->ops[i++], -ENOMEM);
	}
}

static struct wheel_op __user *user_op(const struct batch *b, u32 i)
{
	return b->uops + (size_t)i * b->stride;
}

/* Returns how many operations came; fewer than @count: *@err says why. */
static u32 chunk_copy_in(const struct batch *b, u32 count, int *err)
{
	u32 i;

	for (i = 0; i < count; i++) {
		*err = copy_struct_from_user(&b->ops[i], sizeof(b->ops[i]),
					     user_op(b, i), b->stride);
		if (*err)
			break;
	}
	return i;
}

static unsigned long page_of(const void __user *address)
{
	return (unsigned long)address & PAGE_MASK;
}

/*
 * Can the answers be written? Asked before anything is done, since an operation
 * whose answer gets lost is worse than one that is refused. What is written is
 * what is there; a page is asked for once.
 */
static u32 chunk_writable(const struct batch *b, u32 count, int *err)
{
	unsigned long asked = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		struct wheel_op __user *uop = user_op(b, i);
		u32 __user *last = &uop->reserved[2];

		if (i && page_of(uop) == asked && page_of(last) == asked)
			continue;
		asked = page_of(last);
		if (put_user(b->ops[i].op, &uop->op) ||
		    put_user(b->ops[i].reserved[2], last)) {
			*err = -EFAULT;
			break;
		}
	}
	return i;
}

static int chunk_copy_out(const struct batch *b, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (copy_to_user(user_op(b, i), &b->ops[i], sizeof(b->ops[i])))
			return -EFAULT;
	}
	return 0;
}

/* One chunk, from user memory to user memory. */
static int submit_chunk(struct batch *b, struct wheel_submit *submit, u32 count)
{
	int err = 0;
	u32 i;

	count = chunk_copy_in(b, count, &err);
	count = chunk_writable(b, count, &err);
	chunk_make(b, count);
	for (i = 0; i < count; i++)
		submit->failed += b->ops[i].res < 0;
	submit->done += count;
	if (chunk_copy_out(b, count))
		return -EFAULT;
	b->uops = user_op(b, count);
	return err;
}

static int submit_all(struct batch *b, struct wheel_submit *submit, u32 room)
{
	int err = 0;

	while (!err && submit->done < submit->count) {
		if (submit->done && signal_pending(current))
			return -EINTR;
		err = submit_chunk(b, submit,
				   min(room, submit->count - submit->done));
		cond_resched();
	}
	return err;
}

/**
 * file_submit - WHEEL_IOC_SUBMIT
 * @file: file
 * @submit: batch
 *
 * Return: 0 or an errno; @submit says how far it came.
 */
int file_submit(struct wheel_file *file, struct wheel_submit *submit)
{
	struct wheel_op few[FEW_OPS];
	struct batch b = {
		.file	= file,
		.stride	= submit->op_size,
		.ops	= few,
		.uops	= u64_to_user_ptr(submit->ops),
	};
	u32 room = FEW_OPS;
	int err;

	submit->done = 0;
	submit->failed = 0;
	if (submit->flags || submit->op_size < sizeof(struct wheel_op))
		return -EINVAL;
	if (submit->op_size > PAGE_SIZE)
		return -E2BIG;
	b.wheel = file_wheel(file);
	if (IS_ERR(b.wheel))
		return PTR_ERR(b.wheel);
	if (submit->count > FEW_OPS) {
		room = DEV_HOLD;
		b.ops = kmalloc_array(room, sizeof(*b.ops), GFP_KERNEL);
		if (!b.ops)
			return -ENOMEM;
	}
	b.shifted = clock_shifted(file->setup.clock);
	b.now = wheel_now(b.wheel);
	submit->now = b.now;
	err = submit_all(&b, submit, room);
	if (b.ops != few)
		kfree(b.ops);
	return err;
}
