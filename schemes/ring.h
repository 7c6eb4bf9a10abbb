/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Slots in a ring, and walks through one of them: what the schemes are made of.
 * Inline is what each arm and each cancel does.
 */
#ifndef _WHEEL_RING_H
#define _WHEEL_RING_H

#include "hint.h"

void ring_init(struct wheel_ring *r, u32 slots, void *memory);
struct wheel_timer *ring_first(const struct wheel_ring *r, u32 slots,
			       u32 *from, unsigned int *budget);
u32 ring_find(const struct wheel_ring *r, u32 from, u32 to,
	      unsigned int *budget);

void walk_begin(struct wheel_walk *walk, struct wheel_slot *slot, u64 tick);
struct wheel_timer *walk_on(struct wheel_walk *walk, struct wheel_ring *r,
			    unsigned int *budget);
bool walk_over(const struct wheel_walk *walk);
void walk_end(struct wheel_walk *walk, struct wheel_ring *r);
void walk_abandon(struct wheel_walk *walk, struct wheel_ring *r);
bool walk_refresh(struct wheel_walk *walk, struct wheel_ring *r,
		  unsigned int *budget);
bool walk_mark(const struct wheel_walk *walk, const struct list_head *node);

const char *slot_check(const struct wheel_core *w, u32 at, u64 *count);

static inline struct wheel_group *ring_group(const struct wheel_ring *r, u32 at)
{
	return &r->group[at / 64];
}

static inline u32 ring_at(const struct wheel_ring *r,
			  const struct wheel_slot *slot)
{
	return (u32)(slot - r->slot);
}

/* Out of its list, and not pending any more. */
static inline void timer_detach(struct wheel_timer *t)
{
	list_del(&t->node);
	WRITE_ONCE(t->slot, WHEEL_UNFILED);
}

/* Out of its slot. */
static inline void ring_detach(struct wheel_ring *r, struct wheel_slot *slot,
			       struct wheel_timer *t)
{
	hint_leave(r, slot, t);
	timer_detach(t);
}

/**
 * ring_append - file a timer at the tail of a slot
 * @r: ring
 * @at: number of the slot
 * @t: timer, its due tick set
 */
static inline void ring_append(struct wheel_ring *r, u32 at, struct wheel_timer *t)
{
	struct wheel_group *group = ring_group(r, at);
	struct wheel_slot *slot = &r->slot[at];

	WRITE_ONCE(t->slot, at);
	list_add_tail(&t->node, &slot->timers);
	hint_append(r, at, t);
	slot->min = min(slot->min, t->due);
	group->busy |= (u64)1 << at % 64;
}

/**
 * ring_emptied - a slot holds no timer any more
 * @r: ring
 * @slot: slot
 */
static inline void ring_emptied(struct wheel_ring *r, struct wheel_slot *slot)
{
	u32 at = ring_at(r, slot);

	ring_group(r, at)->busy &= ~((u64)1 << at % 64);
	slot->min = WHEEL_NO_TICK;
	slot->stale = false;
	slot->crowded = false;
	hint_restart(slot);
}

/**
 * ring_remove - take a timer out of its slot
 * @r: ring
 * @t: timer
 *
 * If the slot's minimum came from it, the slot is stale now.
 *
 * Return: true if the slot is empty.
 */
static inline bool ring_remove(struct wheel_ring *r, struct wheel_timer *t)
{
	struct wheel_slot *slot = &r->slot[t->slot];

	ring_detach(r, slot, t);
	if (list_empty(&slot->timers)) {
		ring_emptied(r, slot);
		return true;
	}
	if (t->due == slot->min && !slot->stale)
		slot->stale = true;
	return false;
}

#endif
