// SPDX-License-Identifier: MIT
/*
 * Operations on timers, one by one and in batches.
 */
#include "user.h"

/* The flags that mean something for an operation. */
static u32 flags_of(const struct wheel_op *op)
{
	switch (op->op) {
	case WHEEL_OP_ARM:
		return WHEEL_OP_REL | WHEEL_OP_TOUCH;
	case WHEEL_OP_REARM:
		return WHEEL_OP_REL;
	default:
		return 0;
	}
}

static int op_check(const struct user *u, const struct wheel_op *op)
{
	bool picks = op->op == WHEEL_OP_ARM && picks_slots(u);
	bool touch = op->flags & WHEEL_OP_TOUCH;

	if (op->op < WHEEL_OP_ARM || op->op > WHEEL_OP_QUERY ||
	    op->flags & ~flags_of(op) ||
	    op->reserved[0] || op->reserved[1] || op->reserved[2] ||
	    (!picks && WHEEL_ID_SLOT(op->id) >= u->handle.setup.timers))
		return -EINVAL;
	if (!touch)
		return 0;
	if (!(u->handle.setup.flags & WHEEL_SETUP_TOUCH))
		return -EOPNOTSUPP;
	/* Who would move the deadlines that it has not yet? */
	return op->period ? -EINVAL : 0;
}

/* The deadline that an operation asks for. */
static int op_deadline(const struct user *u, const struct wheel_op *op, u64 now,
		       u64 *deadline)
{
	u64 base = op->flags & WHEEL_OP_REL ? now : 0;

	if (op->when > WHEEL_MAX_TIME - base || op->slack > WHEEL_MAX_TIME ||
	    (op->op == WHEEL_OP_ARM && op->period > wheel_span(&u->core)))
		return -ERANGE;
	*deadline = base + op->when;
	return 0;
}

/* The slot that an ARM is for; with WHEEL_SETUP_ANY_SLOT a free one. */
static int arm_slot(struct user *u, const struct wheel_op *op,
		    struct slot **slot, u64 *id)
{
	u32 nr = WHEEL_ID_SLOT(op->id);
	int err;

	*id = op->id;
	if (picks_slots(u))
		nr = u->unused.count ? u->unused.head : u->fresh;
	if (nr >= u->handle.setup.timers)
		return -EDQUOT;
	err = slot_bring(u, nr, slot);
	if (!err && picks_slots(u))
		*id = WHEEL_ID(nr, WHEEL_ID_GEN((*slot)->id) + 1);
	return err;
}

/* The slot is armed: let nobody pick it again. */
static void slot_picked(struct user *u)
{
	if (picks_slots(u) && !queue_pop(u, &u->unused))
		u->fresh++;
}

/* Cancel a timer that is filed. */
static void slot_cancel(struct user *u, struct slot *slot)
{
	wheel_remove(&u->core, &slot->timer);
	u->counts.cancelled++;
	slot_free(u, slot);
}

/* May @id be armed in this slot? What the program parked makes way for it. */
static int slot_admit(struct user *u, struct slot *slot, u64 id)
{
	bool parked = slot->state == SLOT_ARMED && slot->touch &&
		      !touch_deadline(u, slot);

	if (slot->state != SLOT_FREE && !parked)
		return -EBUSY;
	if (WHEEL_ID_GEN(id) <= WHEEL_ID_GEN(slot->id))
		return -ESTALE;
	if (parked && !touch_reclaim(u, slot))
		return -EBUSY;
	if (parked)
		slot_cancel(u, slot);
	return 0;
}

static int op_arm(struct user *u, struct wheel_op *op, u64 now)
{
	struct slot *slot;
	u64 deadline, id;
	int err;

	if (u->stopped)
		return -ESHUTDOWN;
	err = op_deadline(u, op, now, &deadline);
	if (!err)
		err = arm_slot(u, op, &slot, &id);
	if (!err)
		err = slot_admit(u, slot, id);
	if (err)
		return err;
	tell_time(u, now);
	err = wheel_place(&u->core, &slot->timer, deadline, op->slack);
	if (err)
		return err;
	slot_picked(u);
	slot->id = id;
	slot->cookie = op->cookie;
	slot->period = op->period;
	slot->slack = op->slack;
	slot->ended = false;
	slot->touch = op->flags & WHEEL_OP_TOUCH;
	slot->state = SLOT_ARMED;
	if (slot->touch)
		touch_arm(u, slot, deadline);
	u->counts.armed++;
	op->id = id;
	return 0;
}

static int op_rearm(struct user *u, const struct wheel_op *op, u64 now)
{
	struct slot *slot = slot_of_id(u, op->id);
	u64 deadline;
	int err;

	if (!slot || slot->state != SLOT_ARMED ||
	    (slot->touch && !touch_deadline(u, slot)))
		return -ENOENT;
	err = op_deadline(u, op, now, &deadline);
	if (err)
		return err;
	tell_time(u, now);
	err = wheel_move(&u->core, &slot->timer, deadline, op->slack);
	if (err)
		return err;
	slot->slack = op->slack;
	/* Parked meanwhile: it is reclaimed when the new time comes. */
	if (slot->touch && !touch_move(u, slot, deadline))
		return -ENOENT;
	u->counts.rearmed++;
	return 0;
}

/* An event is unread; what can end is the periods after it. */
static int end_periods(struct slot *slot, u64 now)
{
	if (!slot->period || slot->ended)
		return -ENOENT;
	slot->ended = true;
	slot->missed = slot_missed(slot, now);
	return 1;
}

static int op_cancel(struct user *u, const struct wheel_op *op, u64 now)
{
	struct slot *slot = slot_of_id(u, op->id);
	bool pending = true;

	if (!slot)
		return -ENOENT;
	if (slot->state == SLOT_FIRED)
		return end_periods(slot, now);
	if (slot->state != SLOT_ARMED)
		return -ENOENT;
	if (slot->touch)
		pending = touch_off(u, slot);
	slot_cancel(u, slot);
	return pending ? 0 : -ENOENT;
}

static int op_query(struct user *u, struct wheel_op *op)
{
	const struct slot *slot = slot_of_id(u, op->id);
	u64 deadline;

	if (!slot || slot->state != SLOT_ARMED)
		return -ENOENT;
	deadline = slot->touch ? touch_deadline(u, slot) : slot->timer.deadline;
	if (slot->touch && !deadline)
		return -ENOENT;
	op->when = deadline;
	return 0;
}

static int op_make(struct user *u, struct wheel_op *op, u64 now)
{
	int err = op_check(u, op);

	if (err)
		return err;
	switch (op->op) {
	case WHEEL_OP_ARM:
		return op_arm(u, op, now);
	case WHEEL_OP_REARM:
		return op_rearm(u, op, now);
	case WHEEL_OP_CANCEL:
		return op_cancel(u, op, now);
	default:
		return op_query(u, op);
	}
}

static void op_answer(struct user *u, struct wheel_op *op, int res)
{
	op->res = res;
	if (op->op == WHEEL_OP_ARM &&
	    (res == -EDQUOT || res == -ERANGE || res == -ESHUTDOWN))
		u->counts.refused++;
}

/**
 * user_submit - WHEEL_IOC_SUBMIT
 * @handle: of a wheel
 * @submit: batch
 *
 * Return: 0.
 */
int user_submit(struct handle *handle, struct wheel_submit *submit)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)submit->ops;
	struct user *u = user_of(handle);
	u32 i;

	submit->now = user_enter(u);
	for (i = 0; i < submit->count; i++) {
		op_answer(u, &ops[i], op_make(u, &ops[i], submit->now));
		submit->failed += ops[i].res < 0;
	}
	submit->done = submit->count;
	user_leave(u, submit->now);
	return 0;
}
