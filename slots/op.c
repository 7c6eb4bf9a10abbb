// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The operations on timers. They are made with both locks held, many under one hold.
 */
#include "bell.h"
#include "event.h"
#include "keep.h"
#include "op.h"
#include "touch.h"
#include "verbs_env.h"
#include "word.h"

/* Slots are found, and fetched, so many operations ahead. */
#define AHEAD	8

/* Their timers are governed by words. */
#define OP_WORD	(WHEEL_OP_TOUCH | WHEEL_OP_KEEP)

/* Never an answer: a page has to be brought first, with no lock held. */
#define OP_NEEDS_PAGE	(-EAGAIN)

static bool op_valid(const struct wheel_op *op, u32 flags)
{
	return !(op->flags & ~flags || op->reserved[0] | op->reserved[1] |
		 op->reserved[2]);
}

/* Is there such a slot, or might there be, once its page is brought? */
static bool op_names_slot(const struct wheel_batch *b, const struct wheel_op *op,
			  const struct wheel_slot *slot)
{
	return likely(slot) || WHEEL_ID_SLOT(op->id) < b->slots->setup.timers;
}

/* The deadline that an operation asks for. */
static int op_deadline(const struct wheel_batch *b, const struct wheel_op *op,
		       u64 *deadline)
{
	*deadline = op->when;
	if (unlikely(op->flags & WHEEL_OP_REL)) {
		if (op->when > WHEEL_MAX_TIME - b->now)
			return -ERANGE;
		*deadline += b->now;
	} else if (unlikely(b->shifted)) {
		return -EOPNOTSUPP;
	}
	if (unlikely(*deadline > WHEEL_MAX_TIME || op->slack > WHEEL_MAX_TIME))
		return -ERANGE;
	return 0;
}

/* Is it @slot's last timer that an operation names? 0, -EINVAL or -ENOENT. */
static __always_inline int op_check(const struct wheel_batch *b,
				    const struct wheel_op *op, u32 flags,
				    const struct wheel_slot *slot)
{
	if (unlikely(!op_valid(op, flags) || !op_names_slot(b, op, slot)))
		return -EINVAL;
	return likely(slot && slot->id == op->id) ? 0 : -ENOENT;
}

/* May it be armed at all, and for when? */
static int arm_check(const struct wheel_batch *b, const struct wheel_op *op,
		     const struct wheel_slot *slot, u64 *deadline)
{
	const struct wheel_slots *slots = b->slots;
	int err;

	if (unlikely(!op_valid(op, WHEEL_OP_REL | OP_WORD) ||
		     (op->flags & OP_WORD && op->period)))
		return -EINVAL;
	if (unlikely(!op_names_slot(b, op, slot) && !wheel_slots_any(slots)))
		return -EINVAL;
	if (unlikely(op->flags & OP_WORD && !slots->words))
		return -EOPNOTSUPP;
	if (unlikely(slots->stopping))
		return -ESHUTDOWN;
	err = op_deadline(b, op, deadline);
	if (unlikely(err))
		return err;
	return likely(op->period <= slots->longest) ? 0 : -ERANGE;
}

/* A page has to be brought first. */
static int arm_later(struct wheel_batch *b, u32 nr)
{
	b->needed = nr;
	return OP_NEEDS_PAGE;
}

/* May a slot be armed by this id? If its timer is parked it is free then. */
static int arm_take(struct wheel_slots *slots, struct wheel_slot *slot, u64 id)
{
	if (unlikely(slot->state != WHEEL_SLOT_FREE))
		return wheel_touch_take(slots, slot, id);
	return likely(id > slot->id) ? 0 : -ESTALE;
}

static __always_inline void arm_done(struct wheel_slot *slot, const struct wheel_op *op)
{
	wheel_slot_armed(slot, op->id, op->cookie, op->period, op->slack);
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slots_trace_arm(slot);
}

/* Are the pages there that a word needs? */
static bool word_ready(const struct wheel_slots *slots, u32 nr, u32 flags)
{
	return wheel_word_page(slots, nr) &&
	       (!(flags & WHEEL_OP_KEEP) || wheel_bell_ready(slots, nr));
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

/* We pick the slot, or a word governs the timer. */
static int arm_unusual(struct wheel_batch *b, struct wheel_op *op, u64 deadline)
{
	struct wheel_slots *slots = b->slots;
	bool any = wheel_slots_any(slots), word = op->flags & OP_WORD;
	int nr = any ? wheel_slot_pick(slots) : (int)WHEEL_ID_SLOT(op->id);
	struct wheel_slot *slot;
	int err = 0;

	if (nr < 0)
		return nr;
	slot = wheel_slot_at(slots, nr);
	if (!slot || (word && !word_ready(slots, nr, op->flags)))
		return arm_later(b, nr);
	if (!any)
		err = arm_take(slots, slot, op->id);
	if (err)
		return err;
	if (word)
		err = arm_word(slots, slot, nr, op, deadline);
	else
		err = wheel_timer_arm_locked(&slot->timer, deadline, op->slack);
	if (err)
		return err;

	if (any) {
		wheel_slot_picked(slots);
		op->id = slot->id + WHEEL_ID(0, 1);
		b->answered = true;
	}
	arm_done(slot, op);
	if (!wheel_timer_pending(&slot->timer))
		slot->state = WHEEL_SLOT_RESTING;
	return 0;
}

static int op_arm(struct wheel_batch *b, struct wheel_op *op, struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	u64 deadline;
	int err;

	err = arm_check(b, op, slot, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(wheel_slots_any(slots) || op->flags & OP_WORD))
		return arm_unusual(b, op, deadline);
	if (unlikely(!slot))
		return arm_later(b, WHEEL_ID_SLOT(op->id));
	err = arm_take(slots, slot, op->id);
	if (unlikely(err))
		return err;
	err = wheel_timer_file(slots->wheel, &slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;
	arm_done(slot, op);
	return 0;
}

static int op_rearm(const struct wheel_batch *b, const struct wheel_op *op,
		    struct wheel_slot *slot)
{
	u64 deadline, old;
	int err;

	err = op_check(b, op, WHEEL_OP_REL, slot);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &old)))
		return -ENOENT;
	err = op_deadline(b, op, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_timer_pending(&slot->timer)))
		err = wheel_keep_rearm(b->slots, slot, old, deadline, op->slack);
	else if (unlikely(slot->touch))
		err = wheel_touch_rearm(b->slots, slot, old, deadline, op->slack);
	else
		err = wheel_timer_move(b->slots->wheel, &slot->timer, deadline,
				       op->slack);
	if (likely(!err))
		slot->slack = op->slack;
	return err;
}

/* One that is not simply pending, or that a word governs, or that had an event. */
static int cancel_unusual(const struct wheel_batch *b, struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	int err = -EALREADY;

	if (slot->state == WHEEL_SLOT_FREE || slot->state == WHEEL_SLOT_STOPPED ||
	    slot->state == WHEEL_SLOT_TAKEN)
		return -ENOENT;
	if (slot->keep)
		return wheel_keep_cancel(slots, slot);
	if (slot->state == WHEEL_SLOT_ARMED) {
		if (slot->touch)
			return wheel_touch_cancel(slots, slot);
		err = wheel_timer_cancel_locked(&slot->timer);
	}
	if (err == -EALREADY)
		return wheel_event_end(slots, slot, b->now);
	if (err)
		return err;
	/* A periodic timer that is pending may have an event in the ring. */
	err = slot->again && wheel_event_untaken(slots, slot);
	wheel_slot_free(slots, slot);
	wheel_slots_trace_cancel(slot);
	return err;
}

static int op_cancel(const struct wheel_batch *b, const struct wheel_op *op,
		     struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	int err;

	err = op_check(b, op, 0, slot);
	if (unlikely(err))
		return err;
	if (unlikely(slot->state != WHEEL_SLOT_ARMED || slot->touch || slot->again ||
		     wheel_timer_take(slots->wheel, &slot->timer)))
		return cancel_unusual(b, slot);
	wheel_slot_free(slots, slot);
	wheel_slots_trace_cancel(slot);
	return 0;
}

static int op_query(struct wheel_batch *b, struct wheel_op *op,
		    const struct wheel_slot *slot)
{
	int err = op_check(b, op, 0, slot);

	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &op->when)))
		return -ENOENT;
	b->answered = true;
	return 0;
}

static int op_make(struct wheel_batch *b, struct wheel_op *op, struct wheel_slot *slot)
{
	int err;

	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op, slot);
	case WHEEL_OP_REARM:
		return op_rearm(b, op, slot);
	case WHEEL_OP_CANCEL:
		err = op_cancel(b, op, slot);
		if (unlikely(err))
			b->beaten = true;
		return err;
	case WHEEL_OP_QUERY:
		return op_query(b, op, slot);
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
 * A batch says which slots come: they are fetched while others are worked on. To fetch
 * what is not there does nothing.
 */
static struct wheel_slot *op_fetch(const struct wheel_slots *slots,
				   const struct wheel_op *op)
{
	struct wheel_slot *slot = wheel_slot_named(slots, op->id);

	prefetchw(slot);
	prefetchw((void *)((unsigned long)slot + sizeof(*slot) - 1));
	return slot;
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
	/* Those of the operations that come next, each at its number modulo AHEAD. */
	struct wheel_slot *fetched[AHEAD] WHEEL_FILLED_LATER;
	u32 i;

	for (i = from; i < count && i < from + AHEAD; i++)
		fetched[i % AHEAD] = op_fetch(b->slots, &ops[i]);
	for (i = from; i < count; i++) {
		struct wheel_slot *slot = fetched[i % AHEAD];
		struct wheel_op *op = &ops[i];
		int res;

		if (i + AHEAD < count)
			fetched[i % AHEAD] = op_fetch(b->slots, op + AHEAD);
		res = op_make(b, op, slot);
		if (unlikely(res == OP_NEEDS_PAGE))
			break;
		/* Most operations come with their answer. */
		if (unlikely(res | op->res))
			wheel_op_answer(b, op, res);
	}
	return i;
}
