// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations on timers. The caller holds the lock, usually for many operations at a time.
 */
#include "event.h"
#include "verbs.h"
#include "word.h"

/* Number of operations whose slots are prefetched together, ahead of their execution. */
#define AHEAD	16U

static bool op_valid(const struct wheel_op *op, u32 flags)
{
	return !(op->flags & ~flags || op->reserved[0] | op->reserved[1] | op->reserved[2]);
}

/* Return true if the slot number is valid; the page of the slot may not exist yet. */
static bool op_names_slot(const struct wheel_batch *b, const struct wheel_op *op,
			  const struct wheel_slot *slot)
{
	return likely(slot) || WHEEL_ID_SLOT(op->id) < b->slots->setup.timers;
}

/* Compute the absolute deadline of an operation. Returns 0 or -ERANGE. */
static int op_deadline(const struct wheel_batch *b, const struct wheel_op *op, u64 *deadline)
{
	*deadline = op->when;
	if (op->flags & WHEEL_OP_REL) {
		if (op->when > WHEEL_MAX_TIME - b->now)
			return -ERANGE;
		*deadline += b->now;
	}
	/* True if either has its highest bit set. */
	return unlikely((*deadline | op->slack) > WHEEL_MAX_TIME) ? -ERANGE : 0;
}

/* Check that an operation is valid, with @unused members of 0, and names the timer of @slot. */
static int op_check(const struct wheel_batch *b, const struct wheel_op *op, u32 flags, u64 unused,
		    const struct wheel_slot *slot)
{
	if (unlikely(unused || !op_valid(op, flags) || !op_names_slot(b, op, slot)))
		return -EINVAL;
	return likely(slot && slot->id == op->id) ? 0 : -ENOENT;
}

/* Check the conditions of an arm operation that do not depend on the state of the slot. */
static int arm_check(const struct wheel_batch *b, const struct wheel_op *op,
		     const struct wheel_slot *slot)
{
	const struct wheel_slots *slots = b->slots;

	if (unlikely(!op_valid(op, WHEEL_OP_REL | WHEEL_OP_WORD) || !op_names_slot(b, op, slot)))
		return -EINVAL;
	if (unlikely(op->flags & WHEEL_OP_WORD && op->period))
		return -EINVAL;
	if (unlikely(op->flags & WHEEL_OP_WORD && !slots->words))
		return -EOPNOTSUPP;
	return unlikely(slots->stopping) ? -ESHUTDOWN : 0;
}

static int op_arm(struct wheel_batch *b, struct wheel_op *op, struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	u64 deadline;
	int err;

	err = arm_check(b, op, slot) ?: op_deadline(b, op, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(op->period > slots->longest))
		return -ERANGE;
	if (unlikely(op->flags & WHEEL_OP_WORD))
		return wheel_word_arm(slots, slot, op, deadline);
	if (unlikely(!slot))
		return WHEEL_NEEDS_PAGE;
	err = wheel_slot_permits(slot, op->id) ?:
	      wheel_timer_enqueue(slots->wheel, &slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slot_armed(slots, slot, op->id, op->cookie, op->period, op->slack);
	return 0;
}

static int op_rearm(const struct wheel_batch *b, const struct wheel_op *op, struct wheel_slot *slot)
{
	u64 deadline, old;
	int err;

	err = op_check(b, op, WHEEL_OP_REL, op->period | op->cookie, slot);
	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &old)))
		return -ENOENT;
	err = op_deadline(b, op, &deadline);
	if (unlikely(err))
		return err;
	if (unlikely(slot->word))
		err = wheel_word_rearm(b->slots, slot, old, deadline, op->slack);
	else
		err = wheel_timer_move(b->slots->wheel, &slot->timer, deadline, op->slack);
	if (unlikely(err))
		return err;
	wheel_params(b->slots, slot)->slack = op->slack;
	slot->has_slack = !!op->slack;
	return 0;
}

/* Cancel a timer that is not simply pending: with a word, expired, or armed again since. */
static int cancel_slow(const struct wheel_batch *b, struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	int err;

	if (slot->state == WHEEL_SLOT_FREE || slot->state == WHEEL_SLOT_STOPPED)
		return -ENOENT;
	if (slot->word)
		return wheel_word_cancel(slots, slot);
	if (slot->state == WHEEL_SLOT_FIRED)
		return wheel_event_end(slots, slot, b->now);
	err = wheel_timer_cancel_locked(&slot->timer);
	if (err)
		return err;
	/* A periodic timer may have an event in the ring while it is pending. */
	err = slot->again && wheel_event_untaken(slots, slot);
	wheel_slot_free(slot);
	trace_wheel_dev_cancel(slots, slot);
	return err;
}

/* Cancel a timer that is simply pending. Returns false if it is not. */
static __always_inline bool cancel_simple(struct wheel_slots *slots, struct wheel_slot *slot)
{
	if (unlikely(!wheel_slot_simple(slot) || wheel_timer_remove(slots->wheel, &slot->timer)))
		return false;
	wheel_slot_free(slot);
	trace_wheel_dev_cancel(slots, slot);
	return true;
}

static int op_cancel(const struct wheel_batch *b, const struct wheel_op *op,
		     struct wheel_slot *slot)
{
	int err = op_check(b, op, 0, op->when | op->slack | op->period | op->cookie, slot);

	if (unlikely(err))
		return err;
	return likely(cancel_simple(b->slots, slot)) ? 0 : cancel_slow(b, slot);
}

/* @when is written, so that a program can repeat the operation. */
static int op_query(struct wheel_batch *b, struct wheel_op *op, const struct wheel_slot *slot)
{
	int err = op_check(b, op, 0, op->slack | op->period | op->cookie, slot);

	if (unlikely(err))
		return err;
	if (unlikely(!wheel_slot_pending(b->slots, slot, &op->when)))
		return -ENOENT;
	b->has_results = true;
	return 0;
}

static int op_execute(struct wheel_batch *b, struct wheel_op *op, struct wheel_slot *slot)
{
	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(b, op, slot);
	case WHEEL_OP_REARM:
		return op_rearm(b, op, slot);
	case WHEEL_OP_CANCEL:
		return op_cancel(b, op, slot);
	case WHEEL_OP_QUERY:
		return op_query(b, op, slot);
	default:
		return -EINVAL;
	}
}

/* Set the result of an operation, and count failures. */
void wheel_op_complete(struct wheel_batch *b, struct wheel_op *op, int res)
{
	op->res = res;
	b->has_results = true;
	if (res >= 0)
		return;
	b->failed++;
	if (op->op == WHEEL_OP_ARM && (res == -EDQUOT || res == -ERANGE || res == -ESHUTDOWN))
		b->slots->refused++;
}

/* Execute any operation. Not inlined, which leaves more registers to the fast paths. */
static noinline int op_execute_any(struct wheel_batch *b, struct wheel_op *op)
{
	int res = op_execute(b, op, wheel_slot_named(b->slots, op->id));

	/* Usually both are 0. */
	if (res != WHEEL_NEEDS_PAGE && unlikely(res | op->res))
		wheel_op_complete(b, op, res);
	return res;
}

/* Combine @op and @flags, which are adjacent, into one u64. */
static __always_inline u64 op_kind(const struct wheel_op *op)
{
	return op->op | (u64)op->flags << 32;
}

/* Return true if @reserved is 0, and @res, too, so that it need not be written on success. */
static __always_inline bool op_tail_is_zero(const struct wheel_op *op)
{
	const char *tail = (const char *)op + offsetof(struct wheel_op, res);
	u64 low, high;

	memcpy(&low, tail, sizeof(low));
	memcpy(&high, tail + sizeof(low), sizeof(high));
	return likely(!(low | high));
}

/*
 * The fast paths are for operations without flags, slack and period, whose reserved members and
 * @res are 0. Each either completes the operation and returns true, or has no effect and returns
 * false. In a batch, an arm takes 185 instructions, and 290 without its fast path; a query 110 and
 * 180. With the general functions inlined instead, they take 257 and 138, a cancel 153 instead of
 * 126, a re-arm 253 instead of 195.
 */
static __always_inline bool fast_arm(struct wheel_batch *b, struct wheel_op *op,
				     struct wheel_slot *slot)
{
	struct wheel_slots *slots = b->slots;
	int err;

	if (unlikely(op->slack | op->period || op->when > WHEEL_MAX_TIME ||
		     slot->state != WHEEL_SLOT_FREE || op->id <= slot->id))
		return false;
	err = wheel_timer_enqueue(slots->wheel, &slot->timer, op->when, 0);
	if (unlikely(err)) {
		wheel_op_complete(b, op, err);
		return true;
	}
	/* A free slot has no bit set. Clearing them again merges all stores into one. */
	wheel_slot_free(slot);
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slot_armed(slots, slot, op->id, op->cookie, 0, 0);
	return true;
}

static __always_inline bool fast_rearm(const struct wheel_batch *b, const struct wheel_op *op,
				       struct wheel_slot *slot)
{
	return likely(!(op->slack | op->period | op->cookie) && op->when <= WHEEL_MAX_TIME &&
		      slot->id == op->id && wheel_slot_simple(slot) && !slot->has_slack &&
		      wheel_timer_pending(&slot->timer) &&
		      !wheel_timer_move(b->slots->wheel, &slot->timer, op->when, 0));
}

static __always_inline bool fast_cancel(const struct wheel_batch *b, const struct wheel_op *op,
					struct wheel_slot *slot)
{
	return likely(!(op->when | op->slack | op->period | op->cookie) && slot->id == op->id &&
		      cancel_simple(b->slots, slot));
}

static __always_inline bool fast_query(struct wheel_batch *b, struct wheel_op *op,
				       const struct wheel_slot *slot)
{
	if (unlikely(op->slack | op->period | op->cookie || slot->id != op->id ||
		     !wheel_slot_simple(slot) || !wheel_timer_pending(&slot->timer)))
		return false;
	op->when = wheel_timer_deadline(&slot->timer);
	b->has_results = true;
	return true;
}

/* Execute an operation by a fast path, if possible. */
static __always_inline bool op_execute_fast(struct wheel_batch *b, struct wheel_op *op,
					    struct wheel_slot *slot)
{
	if (unlikely(!op_tail_is_zero(op)))
		return false;
	switch (op_kind(op)) {
	case WHEEL_OP_ARM:
		return fast_arm(b, op, slot);
	case WHEEL_OP_REARM:
		return fast_rearm(b, op, slot);
	case WHEEL_OP_CANCEL:
		return fast_cancel(b, op, slot);
	case WHEEL_OP_QUERY:
		return fast_query(b, op, slot);
	default:
		return false;
	}
}

/* In place of a slot that does not exist: no fast path accepts it. */
static struct wheel_slot no_slot = { .id = ~(u64)0 };

/* Find and prefetch the slots of operations. Not inlined, to leave registers to the fast paths. */
static noinline void ops_fetch(const struct wheel_slots *slots, const struct wheel_op *op,
			       u32 count, struct wheel_slot **into)
{
	struct wheel_slot **pages = slots->pages;
	u32 timers = slots->setup.timers;

	for (; count; count--, op++, into++) {
		*into = wheel_slot_in(pages, timers, op->id, &no_slot);
		prefetchw(*into);
	}
}

/* Execute operations with the slots @at. Returns the first one that needs a page, or @end. */
static noinline struct wheel_op *ops_execute_some(struct wheel_batch *b, struct wheel_op *op,
						  struct wheel_op *end, struct wheel_slot **at)
{
	for (; op < end; op++, at++) {
		if (unlikely(!op_execute_fast(b, op, *at)) &&
		    op_execute_any(b, op) == WHEEL_NEEDS_PAGE)
			break;
	}
	return op;
}

/* Execute several operations like wheel_ops_execute(). Prefetches the slots of the next ones. */
static noinline u32 ops_execute_many(struct wheel_batch *b, struct wheel_op *ops, u32 from,
				     u32 count)
{
	/* Slots of the current operations, and of the next ones. */
	struct wheel_slot *fetched[2][AHEAD] WHEEL_FILLED_LATER;
	u32 next = min(AHEAD, count - from);
	u32 turn = 0;

	ops_fetch(b->slots, &ops[from], next, fetched[turn]);
	while (from < count) {
		struct wheel_op *op = &ops[from], *end = op + next;

		from += next;
		next = min(AHEAD, count - from);
		ops_fetch(b->slots, end, next, fetched[!turn]);
		op = ops_execute_some(b, op, end, fetched[turn]);
		if (unlikely(op != end))
			return op - ops;
		turn = !turn;
	}
	return count;
}

/* Execute operations like wheel_ops_execute() on a table that was stopped. */
static noinline u32 ops_execute_stopped(struct wheel_batch *b, struct wheel_op *ops, u32 from,
					u32 count)
{
	while (from < count && op_execute_any(b, &ops[from]) != WHEEL_NEEDS_PAGE)
		from++;
	return from;
}

/*
 * Execute the operations @from to @count - 1 in order. The results are written into them. Returns
 * @count, or the index of the first operation that was not executed because it needs a page.
 */
u32 wheel_ops_execute(struct wheel_batch *b, struct wheel_op *ops, u32 from, u32 count)
{
	const struct wheel_slots *slots = b->slots;

	if (unlikely(slots->stopping))
		return ops_execute_stopped(b, ops, from, count);
	if (count - from != 1)
		return ops_execute_many(b, ops, from, count);
	b->slot = wheel_slot_in(slots->pages, slots->setup.timers, ops[from].id, &no_slot);
	return ops_execute_some(b, &ops[from], &ops[count], &b->slot) - ops;
}
