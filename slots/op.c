// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The operations on timers. They are made with both locks held, many under one hold.
 */
#include "bell.h"
#include "event.h"
#include "keep.h"
#include "op.h"
#include "touch.h"
#include "word.h"

/* Slots are fetched so far ahead, where they are too many for a cache. */
#define AHEAD	8
#define CACHED	16384

/* Their timers are governed by words. */
#define OP_WORD	(WHEEL_OP_TOUCH | WHEEL_OP_KEEP)

/* Never an answer: a page has to be brought first, with no lock held. */
#define OP_NEEDS_PAGE	(-EAGAIN)

static bool op_valid(const struct wheel_op *op, u32 flags)
{
	return !(op->flags & ~flags || op->reserved[0] | op->reserved[1] |
		 op->reserved[2]);
}

/* The deadline that an operation asks for. */
static int op_deadline(const struct wheel_batch *b, const struct wheel_op *op,
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

/* Find the timer that an operation names: 0, -EINVAL or -ENOENT. */
static __always_inline int op_find(const struct wheel_batch *b,
				   const struct wheel_op *op, u32 flags,
				   struct wheel_slot **slot)
{
	if (unlikely(!op_valid(op, flags) ||
		     WHEEL_ID_SLOT(op->id) >= b->slots->setup.timers))
		return -EINVAL;
	*slot = wheel_slot_of_id(b->slots, op->id);
	return *slot ? 0 : -ENOENT;
}

/* May it be armed at all, and for when? */
static int arm_check(const struct wheel_batch *b, const struct wheel_op *op,
		     u64 *deadline)
{
	const struct wheel_slots *slots = b->slots;
	int err;

	if (unlikely(!op_valid(op, WHEEL_OP_REL | OP_WORD) ||
		     (op->flags & OP_WORD && op->period)))
		return -EINVAL;
	if (WHEEL_ID_SLOT(op->id) >= slots->setup.timers &&
	    !wheel_slots_any(slots))
		return -EINVAL;
	if (unlikely(op->flags & OP_WORD && !slots->words))
		return -EOPNOTSUPP;
	if (unlikely(slots->stopping))
		return -ESHUTDOWN;
	err = op_deadline(b, op, deadline);
	if (unlikely(err))
		return err;
	return op->period <= slots->longest ? 0 : -ERANGE;
}

/* Are the pages there that a slot needs, which is to be armed with these flags? */
static bool arm_ready(const struct wheel_slots *slots, u32 nr, u32 flags)
{
	return likely(!(flags & OP_WORD)) ||
	       (wheel_word_page(slots, nr) &&
		(!(flags & WHEEL_OP_KEEP) || wheel_bell_ready(slots, nr)));
}

/* Start a timer whose word governs it. */
static int arm_word(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr,
		    const struct wheel_op *op, u64 deadline)
{
	int err = 0;

	if (op->flags & WHEEL_OP_KEEP && !op->when && !(op->flags & WHEEL_OP_REL))
		wheel_keep_park(slots, slot, nr);
	else
		err = wheel_touch_arm(slots, slot, nr, deadline, op->slack);
	if (!err)
		slot->keep = !!(op->flags & WHEEL_OP_KEEP);
	return err;
}

static int op_arm(struct wheel_batch *b, struct wheel_op *op)
{
	struct wheel_slots *slots = b->slots;
	bool any = wheel_slots_any(slots);
	u64 id = op->id, deadline;
	struct wheel_slot *slot;
	int err, nr;

	err = arm_check(b, op, &deadline);
	if (unlikely(err))
		return err;
	nr = unlikely(any) ? wheel_slot_pick(slots) : (int)WHEEL_ID_SLOT(id);
	if (unlikely(nr < 0))
		return nr;
	slot = wheel_slot_at(slots, nr);
	if (unlikely(!slot || !arm_ready(slots, nr, op->flags))) {
		b->needed = nr;
		return OP_NEEDS_PAGE;
	}

	if (unlikely(any))
		id = slot->id + WHEEL_ID(0, 1);
	else if (unlikely(slot->state != WHEEL_SLOT_FREE))
		err = wheel_touch_take(slots, slot, id);
	else if (unlikely(id <= slot->id))
		err = -ESTALE;
	if (unlikely(err))
		return err;
	if (unlikely(op->flags & OP_WORD))
		err = arm_word(slots, slot, nr, op, deadline);
	else
		err = wheel_timer_arm_locked(&slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;

	wheel_slot_armed(slot, id, op->cookie, op->period, op->slack);
	slot->state = wheel_timer_pending(&slot->timer) ? WHEEL_SLOT_ARMED :
							  WHEEL_SLOT_RESTING;
	if (unlikely(any)) {
		wheel_slot_picked(slots);
		op->id = id;
		b->answered = true;
	}
	wheel_slots_trace_arm(slot);
	return 0;
}

static int op_rearm(const struct wheel_batch *b, const struct wheel_op *op)
{
	struct wheel_slot *slot;
	u64 deadline, old;
	int err;

	err = op_find(b, op, WHEEL_OP_REL, &slot);
	if (err)
		return err;
	if (!wheel_slot_pending(b->slots, slot, &old))
		return -ENOENT;
	err = op_deadline(b, op, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_timer_pending(&slot->timer)))
		err = wheel_keep_rearm(b->slots, slot, old, deadline, op->slack);
	else if (unlikely(slot->touch))
		err = wheel_touch_rearm(b->slots, slot, old, deadline, op->slack);
	else
		err = wheel_timer_rearm_locked(&slot->timer, deadline, op->slack);
	if (likely(!err))
		slot->slack = op->slack;
	return err;
}

static int op_cancel(const struct wheel_batch *b, const struct wheel_op *op)
{
	struct wheel_slots *slots = b->slots;
	struct wheel_slot *slot;
	int err;

	err = op_find(b, op, 0, &slot);
	if (err)
		return err;
	if (unlikely(slot->state == WHEEL_SLOT_STOPPED ||
		     slot->state == WHEEL_SLOT_TAKEN))
		return -ENOENT;
	if (unlikely(slot->keep))
		return wheel_keep_cancel(slots, slot);
	err = -EALREADY;
	if (likely(slot->state == WHEEL_SLOT_ARMED)) {
		if (unlikely(slot->touch))
			return wheel_touch_cancel(slots, slot);
		err = wheel_timer_cancel_locked(&slot->timer);
	}
	if (unlikely(err == -EALREADY))
		return wheel_event_end(slots, slot, b->now);
	if (unlikely(err))
		return err;
	/* A periodic timer that is pending may have an event in the ring. */
	err = slot->again && wheel_event_untaken(slots, slot);
	wheel_slot_free(slots, slot);
	wheel_slots_trace_cancel(slot);
	return err;
}

static int op_query(struct wheel_batch *b, struct wheel_op *op)
{
	struct wheel_slot *slot;
	int err = op_find(b, op, 0, &slot);

	if (err)
		return err;
	if (!wheel_slot_pending(b->slots, slot, &op->when))
		return -ENOENT;
	b->answered = true;
	return 0;
}

static int op_make(struct wheel_batch *b, struct wheel_op *op)
{
	int err;

	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op);
	case WHEEL_OP_REARM:
		return op_rearm(b, op);
	case WHEEL_OP_CANCEL:
		err = op_cancel(b, op);
		if (unlikely(err))
			b->beaten = true;
		return err;
	case WHEEL_OP_QUERY:
		return op_query(b, op);
	default:
		return -EINVAL;
	}
}

/**
 * wheel_op_answer - answer an operation
 * @b: its batch, which learns of it
 * @op: operation
 * @res: what it answers
 */
void wheel_op_answer(struct wheel_batch *b, struct wheel_op *op, int res)
{
	op->res = res;
	b->answered = true;
	if (res >= 0)
		return;
	b->failed++;
	if (op->op == WHEEL_OP_ARM &&
	    (res == -EDQUOT || res == -ERANGE || res == -ESHUTDOWN))
		b->slots->refused++;
}

/*
 * A batch says which slots come: they are fetched while others are worked on. A number that
 * is none gets its answer later, and for a slot that was never armed nothing is fetched.
 */
static void op_prefetch(const struct wheel_slots *slots, const struct wheel_op *op)
{
	u32 nr = WHEEL_ID_SLOT(op->id);
	unsigned long slot;

	if (nr >= slots->setup.timers)
		return;
	slot = (unsigned long)wheel_slot_at(slots, nr);
	prefetchw((void *)slot);
	prefetchw((void *)(slot + sizeof(struct wheel_slot) - 1));
}

/**
 * wheel_ops_make - make operations, in order
 * @b: their batch, both locks of its table held
 * @ops: the operations; answered
 * @from: the first to be made
 * @count: behind the last
 *
 * Return: the first that was not made, since it needs a page, see @b; or @count.
 */
u32 wheel_ops_make(struct wheel_batch *b, struct wheel_op *ops, u32 from,
		   u32 count)
{
	u32 ahead = b->slots->setup.timers > CACHED ? AHEAD : count;
	u32 i;

	for (i = from; i < count; i++) {
		int res;

		if (i + ahead < count)
			op_prefetch(b->slots, &ops[i + ahead]);
		res = op_make(b, &ops[i]);
		if (unlikely(res == OP_NEEDS_PAGE))
			break;
		/* Most operations come with their answer. */
		if (unlikely(res | ops[i].res))
			wheel_op_answer(b, &ops[i], res);
	}
	return i;
}
