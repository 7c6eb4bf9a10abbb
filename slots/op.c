// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The operations on timers. They are made with the lock held, many under one hold.
 */
#include "bell.h"
#include "event.h"
#include "keep.h"
#include "op.h"
#include "touch.h"
#include "verbs_env.h"
#include "word.h"

/* Slots are found, and fetched, so many operations ahead. */
#define AHEAD	16U

/* Their timers are governed by words. */
#define OP_WORD	(WHEEL_OP_TOUCH | WHEEL_OP_KEEP)

/* Never an answer: a page has to be brought first, with no lock held. */
#define OP_NEEDS_PAGE	(-EAGAIN)

/* An operation and its flags: two words that lie side by side, in one. */
static __always_inline u64 op_kind(const struct wheel_op *op)
{
	return op->op | (u64)op->flags << 32;
}

/* Does it come with the answer of nearly all, a 0, and with zeros where they have to be? */
static __always_inline bool op_tail_is_zero(const struct wheel_op *op)
{
	const char *tail = (const char *)op + offsetof(struct wheel_op, res);
	u64 low, high;

	memcpy(&low, tail, sizeof(low));
	memcpy(&high, tail + sizeof(low), sizeof(high));
	return likely(!(low | high));
}

static bool op_valid(const struct wheel_op *op, u32 flags)
{
	return !(op->flags & ~flags || op->reserved[0] | op->reserved[1] |
		 op->reserved[2]);
}

/*
 * The members that an operation does not use are zero. QUERY does not read @when, but writes it,
 * so that a program can repeat it.
 */
static __always_inline bool op_unused_are_zero(const struct wheel_op *op, u32 verb)
{
	u64 unused = op->period | op->cookie;

	if (verb != WHEEL_OP_REARM)
		unused |= op->slack;
	if (verb == WHEEL_OP_CANCEL)
		unused |= op->when;
	return !unused;
}

/* Is there such a slot, or might there be, once its page is brought? */
static bool op_names_slot(const struct wheel_batch *b, const struct wheel_op *op,
			  const struct wheel_slot *slot)
{
	return likely(slot) || WHEEL_ID_SLOT(op->id) < b->slots->setup.timers;
}

/* The deadline that an operation asks for. */
static __always_inline int op_deadline(const struct wheel_batch *b, const struct wheel_op *op,
				       bool plain, u64 *deadline)
{
	*deadline = op->when;
	if (!plain && op->flags & WHEEL_OP_REL) {
		if (op->when > WHEEL_MAX_TIME - b->now)
			return -ERANGE;
		*deadline += b->now;
	}
	/* Is the highest bit set of either? */
	if (unlikely((*deadline | op->slack) > WHEEL_MAX_TIME))
		return -ERANGE;
	return 0;
}

/* Is it @slot's last timer that an operation names? 0, -EINVAL or -ENOENT. */
static __always_inline int op_check(const struct wheel_batch *b, const struct wheel_op *op,
				    u32 verb, bool plain, const struct wheel_slot *slot)
{
	u32 flags = verb == WHEEL_OP_REARM ? WHEEL_OP_REL : 0;

	if (unlikely(!op_unused_are_zero(op, verb)))
		return -EINVAL;
	if (plain)
		return likely(slot->id == op->id) ? 0 : -ENOENT;
	if (unlikely(!op_valid(op, flags) || !op_names_slot(b, op, slot)))
		return -EINVAL;
	return likely(slot && slot->id == op->id) ? 0 : -ENOENT;
}

/* May it be armed at all? */
static int arm_check(const struct wheel_batch *b, const struct wheel_op *op,
		     const struct wheel_slot *slot)
{
	const struct wheel_slots *slots = b->slots;

	if (unlikely(!op_valid(op, WHEEL_OP_REL | OP_WORD) ||
		     (op->flags & OP_WORD && op->period)))
		return -EINVAL;
	if (unlikely(!op_names_slot(b, op, slot) && !wheel_slots_any(slots)))
		return -EINVAL;
	if (unlikely(op->flags & OP_WORD && !slots->words))
		return -EOPNOTSUPP;
	return unlikely(slots->stopping) ? -ESHUTDOWN : 0;
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
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slot_armed(slot, op->id, op->cookie, op->period, op->slack);
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

static __always_inline int op_arm(struct wheel_batch *b, struct wheel_op *op, bool plain,
				  struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	u64 deadline;
	int err;

	if (!plain) {
		err = arm_check(b, op, slot);
		if (unlikely(err))
			return err;
	}
	err = op_deadline(b, op, plain, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(op->period > slots->longest))
		return -ERANGE;
	if (!plain && unlikely(wheel_slots_any(slots) || op->flags & OP_WORD))
		return arm_unusual(b, op, deadline);
	if (!plain && unlikely(!slot))
		return arm_later(b, WHEEL_ID_SLOT(op->id));
	err = arm_take(slots, slot, op->id);
	if (unlikely(err))
		return err;
	err = wheel_timer_file(slots->wheel, &slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;
	/* It was free, so no bit of it is set; to say so makes one store of them all. */
	wheel_slot_over(slot);
	arm_done(slot, op);
	return 0;
}

static __always_inline int op_rearm(const struct wheel_batch *b, const struct wheel_op *op,
				    bool plain, struct wheel_slot *slot)
{
	u64 deadline, old;
	int err;

	err = op_check(b, op, WHEEL_OP_REARM, plain, slot);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &old)))
		return -ENOENT;
	err = op_deadline(b, op, plain, &deadline);
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
	int err;

	if (slot->state == WHEEL_SLOT_FREE || slot->state == WHEEL_SLOT_STOPPED ||
	    slot->state == WHEEL_SLOT_TAKEN)
		return -ENOENT;
	if (slot->keep)
		return wheel_keep_cancel(slots, slot);
	if (slot->state == WHEEL_SLOT_FIRED)
		return wheel_event_end(slots, slot, b->now);
	if (slot->touch)
		return wheel_touch_cancel(slots, slot);
	err = wheel_timer_cancel_locked(&slot->timer);
	if (err)
		return err;
	/* A periodic timer that is pending may have an event in the ring. */
	err = slot->again && wheel_event_untaken(slots, slot);
	wheel_slot_free(slots, slot);
	wheel_slots_trace_cancel(slot);
	return err;
}

static __always_inline int op_cancel(const struct wheel_batch *b, const struct wheel_op *op,
				     bool plain, struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	int err;

	err = op_check(b, op, WHEEL_OP_CANCEL, plain, slot);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_simple(slot) ||
		     wheel_timer_take(slots->wheel, &slot->timer)))
		return cancel_unusual(b, slot);
	if (plain)
		wheel_slot_over(slot);
	else
		wheel_slot_free(slots, slot);
	wheel_slots_trace_cancel(slot);
	return 0;
}

static __always_inline int op_query(struct wheel_batch *b, struct wheel_op *op, bool plain,
				    const struct wheel_slot *slot)
{
	int err = op_check(b, op, WHEEL_OP_QUERY, plain, slot);

	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &op->when)))
		return -ENOENT;
	b->answered = true;
	return 0;
}

static __always_inline int op_make(struct wheel_batch *b, struct wheel_op *op, bool plain,
				   struct wheel_slot *slot)
{
	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op, plain, slot);
	case WHEEL_OP_REARM:
		return op_rearm(b, op, plain, slot);
	case WHEEL_OP_CANCEL:
		return op_cancel(b, op, plain, slot);
	case WHEEL_OP_QUERY:
		return op_query(b, op, plain, slot);
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

/* Make an operation and answer it. Not in line: so what is plain has the registers. */
static noinline int op_make_any(struct wheel_batch *b, struct wheel_op *op,
				struct wheel_slot *slot)
{
	int res = op_make(b, op, false, slot);

	/* Most operations come with their answer. */
	if (res != OP_NEEDS_PAGE && unlikely(res | op->res))
		wheel_op_answer(b, op, res);
	return res;
}

/*
 * Find the slots of operations, and fetch them: a batch says which come, while others are worked
 * on. To fetch what is not there does nothing. Not in line, for the same reason.
 */
static noinline void ops_fetch(const struct wheel_slots *slots, const struct wheel_op *op,
			       u32 count, struct wheel_slot **into)
{
	struct wheel_slot **pages = slots->pages;
	u32 timers = slots->setup.timers;

	for (; count; count--, op++, into++) {
		struct wheel_slot *slot = wheel_slot_within(pages, timers, op->id);

		prefetchw(slot);
		prefetchw((void *)((unsigned long)slot + sizeof(*slot) - 1));
		*into = slot;
	}
}

/*
 * Make operations in a table of which nothing is unusual; @at are their slots. Nearly all are
 * plain: they have no flags, zeros where they have to be, their answer in them, and their slot is
 * there. So for these the compiler leaves out what is asked of others. Returns the first that was
 * not made, or @end.
 */
static noinline struct wheel_op *ops_make_plain(struct wheel_batch *b, struct wheel_op *op,
						struct wheel_op *end, struct wheel_slot **at)
{
	for (; op < end; op++) {
		struct wheel_slot *slot = *at++;
		int res;

		if (unlikely(!op_tail_is_zero(op) || !slot)) {
			if (op_make_any(b, op, slot) == OP_NEEDS_PAGE)
				break;
			continue;
		}
		switch (op_kind(op)) {
		case WHEEL_OP_ARM:
			res = op_arm(b, op, true, slot);
			break;
		case WHEEL_OP_REARM:
			res = op_rearm(b, op, true, slot);
			break;
		case WHEEL_OP_CANCEL:
			res = op_cancel(b, op, true, slot);
			break;
		case WHEEL_OP_QUERY:
			res = op_query(b, op, true, slot);
			break;
		default:
			if (op_make_any(b, op, slot) == OP_NEEDS_PAGE)
				return op;
			continue;
		}
		if (unlikely(res))
			wheel_op_answer(b, op, res);
	}
	return op;
}

/* The same, of any table. */
static struct wheel_op *ops_make_any(struct wheel_batch *b, struct wheel_op *op,
				     struct wheel_op *end, struct wheel_slot **at)
{
	while (op < end && op_make_any(b, op, *at++) != OP_NEEDS_PAGE)
		op++;
	return op;
}

/* wheel_ops_make(), of several: some are made while the slots of the next are fetched. */
static noinline u32 ops_make_many(struct wheel_batch *b, struct wheel_op *ops, u32 from,
				  u32 count)
{
	const struct wheel_slots *slots = b->slots;
	/* Those of the operations at hand, and of the ones that come next. */
	struct wheel_slot *fetched[2][AHEAD] WHEEL_FILLED_LATER;
	u32 next = min(AHEAD, count - from);
	bool unusual = slots->stopping | wheel_slots_any(slots);
	u32 turn = 0;

	ops_fetch(slots, &ops[from], next, fetched[turn]);
	while (from < count) {
		struct wheel_op *op = &ops[from], *end = op + next;

		from += next;
		next = min(AHEAD, count - from);
		ops_fetch(slots, end, next, fetched[!turn]);
		if (likely(!unusual))
			op = ops_make_plain(b, op, end, fetched[turn]);
		else
			op = ops_make_any(b, op, end, fetched[turn]);
		if (unlikely(op != end))
			return op - ops;
		turn = !turn;
	}
	return count;
}

/**
 * wheel_ops_make - make operations, in order
 * @b: their batch, its table locked
 * @ops: the operations; answered
 * @from: the first to be made
 * @count: behind the last
 *
 * A single one is found at once, and made without the question whether it is plain.
 *
 * Return: the first that was not made, since it needs a page, see @b; or @count.
 */
u32 wheel_ops_make(struct wheel_batch *b, struct wheel_op *ops, u32 from,
		   u32 count)
{
	struct wheel_op *op = &ops[from];

	if (count - from != 1)
		return ops_make_many(b, ops, from, count);
	return op_make_any(b, op, wheel_slot_named(b->slots, op->id)) == OP_NEEDS_PAGE ?
	       from : count;
}
