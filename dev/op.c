// SPDX-License-Identifier: GPL-2.0
/*
 * The operations on timers: what each one does, and what it answers.
 */
#include "op.h"
#include "trace.h"

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
	if (!(op->flags & WHEEL_OP_TOUCH))
		return 0;
	if (op->period)
		return -EINVAL;
	return file->setup.flags & WHEEL_SETUP_TOUCH ? 0 : -EOPNOTSUPP;
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
	/* For a touch word 0 means something else. */
	if (op->flags & WHEEL_OP_TOUCH)
		*deadline = max_t(u64, *deadline, 1);
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

/* Is the word there that an arm of this slot needs? */
static bool word_ready(const struct wheel_file *file, const struct wheel_op *op,
		       u32 nr)
{
	return !(op->flags & WHEEL_OP_TOUCH) || touch_ready(file, nr);
}

/* One slot that was reclaimed, parked, can be picked again. */
static void unpark_slot(struct wheel_file *file)
{
	struct llist_node *node;

	if (file->unused.count || llist_empty(&file->gone))
		return;
	node = llist_del_first(&file->gone);
	if (node)
		slot_free(file, container_of((struct list_head *)node,
					     struct slot, timer.node));
}

/* The slot is armed: let nobody pick it again. */
static void picked_slot(struct wheel_file *file)
{
	if (!(file->setup.flags & WHEEL_SETUP_ANY_SLOT))
		return;
	if (!slot_pop(file, &file->unused))
		file->fresh++;
}

/* Is a slot free, or was its timer parked by the program? */
static bool slot_over(const struct wheel_file *file, const struct slot *slot)
{
	if (slot->state == SLOT_FREE)
		return true;
	return slot->state == SLOT_ARMED && slot->touch &&
	       touch_parked(touch_get(file, slot_nr(slot)));
}

/*
 * Take back a slot that is over, unless the program was faster and revived it. If it
 * was the pass that was faster, it has reclaimed the slot or fired the timer.
 */
static bool slot_reclaim(struct wheel_file *file, struct slot *slot)
{
	u32 nr = slot_nr(slot);
	u64 word;

	if (slot->state == SLOT_FREE)
		return true;
	word = touch_get(file, nr);
	if (!touch_parked(word))
		return false;
	/* Parked once more is not enough: it could be revived yet. */
	if (!touch_swap(file, nr, word, WHEEL_TOUCH_OFF) &&
	    touch_get(file, nr) != WHEEL_TOUCH_OFF)
		return false;
	/* Its event may be on its way. */
	if (wheel_timer_cancel(&slot->timer) == -EALREADY)
		return false;
	slot_free(file, slot);
	return true;
}

/* The id of the timer that is to be armed in @slot. */
static int new_id(struct wheel_file *file, const struct wheel_op *op,
		  struct slot *slot, u32 nr, u64 *id)
{
	if (file->setup.flags & WHEEL_SETUP_ANY_SLOT) {
		*id = WHEEL_ID(nr, WHEEL_ID_GEN(slot->id) + 1);
		return 0;
	}
	*id = op->id;
	if (!slot_over(file, slot))
		return -EBUSY;
	if (WHEEL_ID_GEN(op->id) <= WHEEL_ID_GEN(slot->id))
		return -ESTALE;
	return slot_reclaim(file, slot) ? 0 : -EBUSY;
}

static int arm_slot(const struct batch *b, const struct wheel_op *op,
		    struct slot *slot, u64 id, u64 deadline)
{
	u32 nr = WHEEL_ID_SLOT(id);
	u64 old = slot->id;
	int err;

	wheel_timer_init(&slot->timer, b->wheel, NULL);
	/* Once it is armed the wheel may ask for them. */
	slot->id = id;
	slot->touch = !!(op->flags & WHEEL_OP_TOUCH);
	if (slot->touch)
		touch_set(b->file, nr, deadline);
	err = wheel_timer_arm(&slot->timer, deadline, op->slack);
	if (err) {
		slot->id = old;
		if (slot->touch)
			touch_end(b->file, nr);
		return err;
	}
	slot->cookie = op->cookie;
	slot->period = op->period;
	slot->slack = op->slack;
	slot->ended = false;
	slot->state = SLOT_ARMED;
	trace_wheel_dev_arm(slot);
	return 0;
}

static int op_arm(const struct batch *b, struct wheel_op *op)
{
	struct wheel_file *file = b->file;
	u64 deadline, id;
	struct slot *slot;
	u32 nr;
	int err;

	if (file->stopping)
		return -ESHUTDOWN;
	unpark_slot(file);
	err = op_deadline(b, op, &deadline) ?: pick_slot(file, op, &nr);
	if (err)
		return err;
	slot = slot_at(file, nr);
	if (!slot || !word_ready(file, op, nr))
		return OP_NEEDS_PAGE;
	err = new_id(file, op, slot, nr, &id) ?:
	      arm_slot(b, op, slot, id, deadline);
	if (err)
		return err;
	picked_slot(file);
	op->id = id;
	return 0;
}

/*
 * The word first: then the wheel, when it looks, finds the new deadline, whether the
 * timer has been moved yet or not.
 */
static int rearm_touched(const struct batch *b, struct slot *slot, u64 deadline,
			 u64 slack)
{
	u32 nr = slot_nr(slot);
	u64 word = touch_get(b->file, nr);
	int err;

	if (touch_parked(word))
		return -ENOENT;
	deadline = max_t(u64, deadline, 1);
	if (!touch_swap(b->file, nr, word, deadline))
		return touch_parked(touch_get(b->file, nr)) ? -ENOENT : -EBUSY;
	err = wheel_timer_rearm(&slot->timer, deadline, slack);
	/* Meanwhile the wheel may have filed it by the new deadline: back as well. */
	if (err == -ERANGE && touch_swap(b->file, nr, deadline, word))
		wheel_timer_rearm(&slot->timer, word, slot->slack);
	/* ENOENT: it was due at once and has fired. */
	return err == -ENOENT ? 0 : err;
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
	if (slot->touch)
		err = rearm_touched(b, slot, deadline, op->slack);
	else
		err = wheel_timer_rearm(&slot->timer, deadline, op->slack);
	if (!err)
		slot->slack = op->slack;
	return err;
}

/*
 * Whatever the word was, it is OFF now. If the program had parked the timer, it is
 * the program that cancelled it. If the wheel has reclaimed it already, ANY_SLOT's
 * slot comes back by the list; and what STOP has drained is STOP's.
 */
static int cancel_touched(const struct batch *b, struct slot *slot)
{
	bool parked = touch_parked(touch_end(b->file, slot_nr(slot)));
	int err = wheel_timer_cancel(&slot->timer);

	if (err == -EALREADY)
		return -ENOENT;
	if (!err || !(b->file->setup.flags & WHEEL_SETUP_ANY_SLOT ||
		      b->file->stopping))
		slot_free(b->file, slot);
	if (parked)
		return -ENOENT;
	trace_wheel_dev_cancel(slot);
	return 0;
}

static int op_cancel(const struct batch *b, const struct wheel_op *op)
{
	struct slot *slot = slot_of_id(b->file, op->id);
	int err = -EALREADY;

	if (!slot || slot->state >= SLOT_STOPPED)
		return -ENOENT;
	if (slot->state == SLOT_ARMED && slot->touch)
		return cancel_touched(b, slot);
	if (slot->state == SLOT_ARMED)
		err = wheel_timer_cancel(&slot->timer);
	if (!err) {
		slot_free(b->file, slot);
		trace_wheel_dev_cancel(slot);
	}
	if (err != -EALREADY)
		return err;
	/* Its event is unread or on its way; what can end is its periods. */
	if (!slot->period || slot->ended)
		return -ENOENT;
	slot->ended = true;
	slot->slack = slot_missed(slot, b->now);
	trace_wheel_dev_cancel(slot);
	return 1;
}

static int op_query(const struct batch *b, struct wheel_op *op)
{
	const struct slot *slot = slot_of_id(b->file, op->id);

	if (!slot || !slot_pending(b->file, slot, &op->when))
		return -ENOENT;
	return 0;
}

/**
 * op_make - make an operation
 * @b: the call it belongs to, its file locked
 * @op: operation; what it answers but its res
 *
 * Return: its res, or OP_NEEDS_PAGE: not made, op_page_alloc() first.
 */
int op_make(const struct batch *b, struct wheel_op *op)
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

/**
 * op_page_alloc - bring a page that an operation needs
 * @b: the call it belongs to, its file not locked
 * @op: operation
 *
 * Return: 0 or -ENOMEM.
 */
int op_page_alloc(const struct batch *b, const struct wheel_op *op)
{
	u32 nr;

	/* Not locked: at worst we bring a page that is needed a little later. */
	if (pick_slot(b->file, op, &nr))
		return 0;
	if (!slot_at(b->file, nr) && slot_page_alloc(b->file, nr))
		return -ENOMEM;
	if (!word_ready(b->file, op, nr))
		return touch_page_alloc(b->file, nr);
	return 0;
}
