// SPDX-License-Identifier: GPL-2.0
/*
 * The operations on timers: what each one does, and what it answers.
 *
 * They are made under the file's lock and the wheel's, many under one hold.
 */
#include <linux/err.h>
#include <linux/prefetch.h>
#include "op.h"
#include "pick.h"
#include "touch.h"
#include "trace.h"

/* Slots are fetched so far ahead, where they are too many for a cache. */
#define AHEAD	8
#define CACHED	16384

/* Never an answer: a page must be brought first, with no lock held. */
#define OP_NEEDS_PAGE	(-EAGAIN)

/* Is there nothing in it that its verb does not know? */
static bool op_valid(const struct wheel_op *op, u32 flags)
{
	return !(op->flags & ~flags || op->reserved[0] | op->reserved[1] |
		 op->reserved[2]);
}

/* The deadline that an operation asks for. */
static int op_deadline(const struct batch *b, const struct wheel_op *op,
		       u64 *deadline)
{
	u64 base = 0;

	if (op->flags & WHEEL_OP_REL)
		base = b->now;
	else if (unlikely(b->shifted))
		return -EOPNOTSUPP;
	if (unlikely(op->when > WHEEL_MAX_TIME - base ||
		     op->slack > WHEEL_MAX_TIME))
		return -ERANGE;
	*deadline = base + op->when;
	return 0;
}

/* The slot of the timer that an operation names, or an ERR_PTR. */
static __always_inline struct slot *op_slot(const struct batch *b,
					    const struct wheel_op *op, u32 flags)
{
	if (unlikely(!op_valid(op, flags) ||
		     WHEEL_ID_SLOT(op->id) >= b->file->setup.timers))
		return ERR_PTR(-EINVAL);
	return slot_of_id(b->file, op->id) ?: ERR_PTR(-ENOENT);
}

static int touch_check(const struct wheel_file *file, const struct wheel_op *op)
{
	if (op->period)
		return -EINVAL;
	return file->setup.flags & WHEEL_SETUP_TOUCH ? 0 : -EOPNOTSUPP;
}

static int arm_check(const struct wheel_file *file, const struct wheel_op *op)
{
	if (!op_valid(op, WHEEL_OP_REL | WHEEL_OP_TOUCH) ||
	    (!picks(file) && WHEEL_ID_SLOT(op->id) >= file->setup.timers))
		return -EINVAL;
	if (op->flags & WHEEL_OP_TOUCH)
		return touch_check(file, op);
	return 0;
}

/* The number of the slot that an ARM will use, or -EDQUOT. */
static int arm_nr(const struct wheel_file *file, const struct wheel_op *op)
{
	return unlikely(picks(file)) ? pick_slot(file) : WHEEL_ID_SLOT(op->id);
}

/* Is the word there that an arm of this slot needs? */
static bool word_ready(const struct wheel_file *file, const struct wheel_op *op,
		       u32 nr)
{
	return !(op->flags & WHEEL_OP_TOUCH) || touch_ready(file, nr);
}

/* The slot that an ARM will use, or an ERR_PTR: OP_NEEDS_PAGE, or why it has none. */
static struct slot *arm_slot(struct wheel_file *file, const struct wheel_op *op)
{
	struct slot *slot;
	int nr;

	if (unlikely(picks(file)))
		pick_collect(file);
	nr = arm_nr(file, op);
	if (unlikely(nr < 0))
		return ERR_PTR(nr);
	slot = slot_at(file, nr);
	if (unlikely(!slot || !word_ready(file, op, nr)))
		return ERR_PTR(OP_NEEDS_PAGE);
	return slot;
}

/* Let an ARM have its slot and an id that is newer than the last. */
static int arm_take(struct wheel_file *file, struct slot *slot, u64 *id)
{
	if (unlikely(picks(file)))
		*id = slot->id + WHEEL_ID(0, 1);
	else if (unlikely(slot->state != SLOT_FREE))
		return touched_take(file, slot, *id);
	else if (unlikely(*id <= slot->id))
		return -ESTALE;
	return 0;
}

static int arm(struct wheel_file *file, const struct wheel_op *op,
	       struct slot *slot, u64 id, u64 deadline)
{
	int err;

	if (unlikely(op->flags & WHEEL_OP_TOUCH))
		err = touched_arm(file, slot, deadline, op->slack);
	else
		err = wheel_timer_arm_locked(&slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;
	slot->id = id;
	slot->cookie = op->cookie;
	slot->period = op->period;
	slot->slack = op->slack;
	slot->state = SLOT_ARMED;
	return 0;
}

/* May it be armed at all, and for when? */
static int arm_when(const struct batch *b, const struct wheel_op *op,
		    u64 *deadline)
{
	int err = arm_check(b->file, op);

	if (unlikely(err))
		return err;
	if (unlikely(b->file->stopping))
		return -ESHUTDOWN;
	err = op_deadline(b, op, deadline);
	if (unlikely(err))
		return err;
	return op->period <= b->longest ? 0 : -ERANGE;
}

static int op_arm(const struct batch *b, struct wheel_op *op)
{
	struct wheel_file *file = b->file;
	u64 deadline, id = op->id;
	struct slot *slot;
	int err;

	err = arm_when(b, op, &deadline);
	if (unlikely(err))
		return err;
	slot = arm_slot(file, op);
	if (IS_ERR(slot))
		return PTR_ERR(slot);
	err = arm_take(file, slot, &id) ?: arm(file, op, slot, id, deadline);
	if (unlikely(err))
		return err;
	if (unlikely(picks(file))) {
		pick_taken(file);
		op->id = id;
	}
	trace_wheel_dev_arm(slot);
	return 0;
}

static int op_rearm(const struct batch *b, const struct wheel_op *op)
{
	struct slot *slot = op_slot(b, op, WHEEL_OP_REL);
	u64 deadline;
	int err;

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	if (slot->state != SLOT_ARMED)
		return -ENOENT;
	err = op_deadline(b, op, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(slot->touch))
		err = touched_rearm(b->file, slot, deadline, op->slack);
	else
		err = wheel_timer_rearm_locked(&slot->timer, deadline, op->slack);
	if (likely(!err))
		slot->slack = op->slack;
	return err;
}

/* The event of a timer is unread or on its way; what can end is its periods. */
static int end_periods(const struct batch *b, struct slot *slot)
{
	if (!slot->period || slot->ended)
		return -ENOENT;
	slot->ended = true;
	slot->missed = slot_missed(slot, b->now);
	trace_wheel_dev_cancel(slot);
	return 1;
}

static int op_cancel(const struct batch *b, const struct wheel_op *op)
{
	struct slot *slot = op_slot(b, op, 0);
	int err = -EALREADY;

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	if (unlikely(slot->state >= SLOT_STOPPED))
		return -ENOENT;
	if (likely(slot->state == SLOT_ARMED)) {
		if (unlikely(slot->touch))
			return touched_cancel(b->file, slot);
		err = wheel_timer_cancel_locked(&slot->timer);
	}
	if (unlikely(err == -EALREADY))
		return end_periods(b, slot);
	if (unlikely(err))
		return err;
	slot_free(b->file, slot);
	trace_wheel_dev_cancel(slot);
	return 0;
}

static int op_query(const struct batch *b, struct wheel_op *op)
{
	const struct slot *slot = op_slot(b, op, 0);

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	return slot_pending(b->file, slot, &op->when) ? 0 : -ENOENT;
}

/* Returns what it answers, or OP_NEEDS_PAGE: not made, op_page_alloc() first. */
static int op_make(const struct batch *b, struct wheel_op *op)
{
	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op);
	case WHEEL_OP_REARM:
		return op_rearm(b, op);
	case WHEEL_OP_CANCEL:
		return op_cancel(b, op);
	case WHEEL_OP_QUERY:
		return op_query(b, op);
	default:
		return -EINVAL;
	}
}

static void op_failed(struct batch *b, const struct wheel_op *op)
{
	b->failed++;
	if (op->op == WHEEL_OP_ARM && (op->res == -EDQUOT || op->res == -ERANGE ||
				       op->res == -ESHUTDOWN))
		b->file->refused++;
}

/*
 * A batch says which slots come: they are fetched while others are worked on. For a
 * number that is none it is the first slot, and nothing for one that is not there.
 */
static void fetch(const struct wheel_file *file, const struct wheel_op *op)
{
	unsigned long slot = (unsigned long)slot_at(file, WHEEL_ID_SLOT(op->id));

	prefetchw((void *)slot);
	prefetchw((void *)(slot + sizeof(struct slot) - 1));
}

/* Make operations until one needs a page. Returns how many were made. */
static u32 ops_make_locked(struct batch *b, u32 from, u32 count)
{
	struct wheel_file *file = b->file;
	u32 ahead = file->setup.timers > CACHED ? AHEAD : count;
	unsigned long flags;
	u32 i;

	spin_lock_bh(&file->lock);
	flags = wheel_lock(b->wheel);
	for (i = from; i < count; i++) {
		struct wheel_op *op = &b->ops[i];
		int res;

		if (i + ahead < count)
			fetch(file, op + ahead);
		res = op_make(b, op);

		if (unlikely(res == OP_NEEDS_PAGE))
			break;
		op->res = res;
		if (unlikely(res < 0))
			op_failed(b, op);
	}
	wheel_unlock(b->wheel, flags);
	spin_unlock_bh(&file->lock);
	return i;
}

/*
 * Bring the pages that an operation needs, with no lock held: at worst one that is
 * needed a little later.
 */
static int op_page_alloc(const struct batch *b, const struct wheel_op *op)
{
	int nr = arm_nr(b->file, op);

	if (nr < 0)
		return 0;
	if (!slot_at(b->file, nr) && slot_page_alloc(b->file, nr))
		return -ENOMEM;
	if (!word_ready(b->file, op, nr))
		return touch_page_alloc(b->file, nr);
	return 0;
}

/**
 * ops_make - make operations, in order
 * @b: the call that they belong to, its file not locked; counts those that fail
 * @count: how many of its operations, DEV_HOLD at most; answers
 *
 * Context: Process context, may sleep.
 */
void ops_make(struct batch *b, u32 count)
{
	u32 i = 0;

	while ((i = ops_make_locked(b, i, count)) < count) {
		if (!op_page_alloc(b, &b->ops[i]))
			continue;
		b->ops[i].res = -ENOMEM;
		op_failed(b, &b->ops[i++]);
	}
}
