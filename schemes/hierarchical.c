// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The hierarchical wheel: levels of 64 slots, a slot of a level spans the whole
 * level below. Eleven levels hold every 63-bit tick, as the table in wheel.h says.
 *
 * The level of a timer is that of the highest group of six bits in which its due
 * tick and the clock differ, not the size of its delay: so no level ever wraps,
 * every slot in use lies ahead of the clock, all timers of a level are due
 * before those of the next, and the first busy slot of the first busy level holds
 * the earliest of all.
 *
 * A pass opens that slot for the tick of its minimum: takes what is due and files
 * the others as seen from that tick, in lower levels. The clock enters when the
 * slot is empty, and not before: until then what is armed for the slot goes to its
 * tail. The clock may therefore stay behind the time, before a slot that is not
 * due; nobody is woken for a cascade.
 */
#include "hierarchical.h"

static u32 hierarchical_slots(u32 asked)
{
	(void)asked;
	return WHEEL_LEVELS * WHEEL_LEVEL_SLOTS;
}

static void hierarchical_init(struct wheel_core *w)
{
	w->max_order = 63;
	w->levels = 0;
	w->opened = NULL;
}

void wheel_hierarchical_file(struct wheel_core *w, struct wheel_timer *t)
{
	hierarchical_file(w, t);
}

void wheel_hierarchical_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	hierarchical_unfile(w, t);
}

/* The first busy slot of the first busy level, or NULL. */
static struct wheel_slot *first_slot(const struct wheel_core *w)
{
	u32 level;

	if (!w->levels)
		return NULL;
	level = __ffs64(w->levels);
	return &w->ring.slot[level * WHEEL_LEVEL_SLOTS + __ffs64(w->ring.group[level].busy)];
}

/* The first tick of a slot that lies ahead of the clock. */
static u64 slot_start(const struct wheel_core *w, const struct wheel_slot *slot)
{
	u32 at = ring_at(&w->ring, slot);
	u32 shift = at / WHEEL_LEVEL_SLOTS * WHEEL_LEVEL_BITS;
	u64 group = (u64)(at % WHEEL_LEVEL_SLOTS) << shift;
	u64 below = ((u64)WHEEL_LEVEL_SLOTS << shift) - 1;

	/* The last level has no level above. */
	return shift + WHEEL_LEVEL_BITS >= 64 ? group : (w->clock & ~below) | group;
}

/* Take a timer of the open slot that is due, or move them all down. */
static struct wheel_timer *empty_slot(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_slot *slot = w->opened;

	while (!list_empty(&slot->timers) && *budget) {
		struct wheel_timer *t = timer_of(slot->timers.next);

		(*budget)--;
		hint_take(t);
		ring_detach(&w->ring, slot, t);
		if (t->due == w->taken)
			return t;
		hierarchical_file_from(w, t, w->taken);
		w->moved++;
	}
	return NULL;
}

/* An open slot that has become empty still has its bits. */
static void close_slot(struct wheel_core *w)
{
	if (list_empty(&w->opened->timers)) {
		ring_emptied(&w->ring, w->opened);
		hierarchical_left(w, ring_at(&w->ring, w->opened) / WHEEL_LEVEL_SLOTS);
	}
	w->opened = NULL;
}

static void enter_slot(struct wheel_core *w)
{
	close_slot(w);
	w->clock = w->taken;
}

static void refresh_slot(struct wheel_core *w, unsigned int *budget)
{
	u32 level = ring_at(&w->ring, w->walk.slot) / WHEEL_LEVEL_SLOTS;

	if (walk_refresh(&w->walk, &w->ring, budget))
		hierarchical_left(w, level);
}

static void open_slot(struct wheel_core *w, struct wheel_slot *slot)
{
	hint_restart(slot);
	w->opened = slot;
	w->taken = slot->min;
	w->found = false;
}

/* Nothing more is due. The clock stops before a slot that it would enter. */
static void rest(struct wheel_core *w, const struct wheel_slot *slot, u64 until)
{
	w->next = slot ? slot->min : WHEEL_NO_TICK;
	w->found = true;
	w->refreshed = NULL;
	if (slot)
		until = min(until, slot_start(w, slot) - 1);
	w->clock = max(w->clock, until);
}

struct wheel_timer *wheel_hierarchical_pop(struct wheel_core *w, u64 until,
					   unsigned int *budget)
{
	struct wheel_slot *slot;
	struct wheel_timer *t;

	while (*budget) {
		if (w->opened) {
			t = empty_slot(w, budget);
			if (t)
				return t;
			if (list_empty(&w->opened->timers))
				enter_slot(w);
			continue;
		}
		if (w->walk.slot) {
			refresh_slot(w, budget);
			continue;
		}
		slot = first_slot(w);
		if (slot && slot->min <= until) {
			open_slot(w, slot);
		} else if (slot && slot->stale && !slot->crowded &&
			   slot != w->refreshed) {
			walk_begin(&w->walk, slot, w->clock);
			w->refreshed = slot;
		} else {
			rest(w, slot, until);
			return NULL;
		}
	}
	return NULL;
}

/* A slot whose timers were cancelled while it was walked is empty now. */
static void abandon_refresh(struct wheel_core *w)
{
	const struct wheel_slot *slot = w->walk.slot;

	if (!slot)
		return;
	walk_abandon(&w->walk, &w->ring);
	hierarchical_left(w, ring_at(&w->ring, slot) / WHEEL_LEVEL_SLOTS);
}

static void hierarchical_forward(struct wheel_core *w)
{
	abandon_refresh(w);
	if (w->opened)
		close_slot(w);
}

static struct wheel_timer *hierarchical_first(struct wheel_core *w,
					      unsigned int *budget)
{
	abandon_refresh(w);
	if (w->opened)
		close_slot(w);
	return ring_first(&w->ring, WHEEL_LEVELS * WHEEL_LEVEL_SLOTS, &w->drained, budget);
}

static const char *place_check(const struct wheel_core *w, u32 at)
{
	const struct wheel_slot *slot = &w->ring.slot[at];
	u32 level = at / WHEEL_LEVEL_SLOTS;
	u64 clock = w->clock;
	const struct list_head *node;

	if (w->opened && level < ring_at(&w->ring, w->opened) / WHEEL_LEVEL_SLOTS)
		clock = w->taken;
	for (node = slot->timers.next; node != &slot->timers; node = node->next) {
		const struct wheel_timer *t = timer_of(node);

		if (walk_mark(&w->walk, node))
			continue;
		if (hierarchical_level(t->due, clock) != level)
			return "a timer is on a level that is not its own";
		if ((t->due >> (level * WHEEL_LEVEL_BITS)) % WHEEL_LEVEL_SLOTS !=
		    at % WHEEL_LEVEL_SLOTS)
			return "a timer is in a slot that is not its own";
	}
	return NULL;
}

static const char *level_check(const struct wheel_core *w, u32 level)
{
	u32 used = w->levels >> level & 1;

	return used == !w->ring.group[level].busy ? "a level's bit is wrong" : NULL;
}

static const char *hierarchical_check(const struct wheel_core *w, u64 *count)
{
	const char *error = NULL;
	u32 at;

	for (at = 0; at < WHEEL_LEVELS * WHEEL_LEVEL_SLOTS && !error; at++) {
		error = slot_check(w, at, count);
		if (!error)
			error = place_check(w, at);
		if (!error)
			error = level_check(w, at / WHEEL_LEVEL_SLOTS);
	}
	return error;
}

const struct wheel_scheme wheel_hierarchical = {
	.name		= "hierarchical",
	.slots		= hierarchical_slots,
	.init		= hierarchical_init,
	.file		= wheel_hierarchical_file,
	.unfile		= wheel_hierarchical_unfile,
	.pop		= wheel_hierarchical_pop,
	.first		= hierarchical_first,
	.forward	= hierarchical_forward,
	.check		= hierarchical_check,
};
