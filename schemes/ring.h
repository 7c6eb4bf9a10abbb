/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Slots in a ring, and walks through one of them: what the schemes are made of.
 */
#ifndef _WHEEL_RING_H
#define _WHEEL_RING_H

#include "../wheel.h"

void ring_init(struct wheel_ring *r, u32 slots, void *memory);
void ring_append(struct wheel_ring *r, u32 at, struct wheel_timer *t);
bool ring_remove(struct wheel_ring *r, struct wheel_timer *t);
void ring_emptied(struct wheel_ring *r, struct wheel_slot *slot);
struct wheel_timer *ring_first(const struct wheel_ring *r, u32 slots,
			       u32 *from, unsigned int *budget);
void ring_group_refresh(struct wheel_ring *r, u32 at);
u32 ring_find(const struct wheel_ring *r, u32 from, u32 to,
	      unsigned int *budget);

void walk_begin(struct wheel_walk *walk, struct wheel_slot *slot, u64 tick);
struct wheel_timer *walk_on(struct wheel_walk *walk, unsigned int *budget);
bool walk_over(const struct wheel_walk *walk);
void walk_end(struct wheel_walk *walk, struct wheel_ring *r);
void walk_abandon(struct wheel_walk *walk, struct wheel_ring *r);
bool walk_refresh(struct wheel_walk *walk, struct wheel_ring *r,
		  unsigned int *budget);
bool walk_mark(const struct wheel_walk *walk, const struct list_head *node);

const char *slot_check(const struct wheel_core *w, u32 at, u64 *count);

static inline u32 ring_at(const struct wheel_ring *r,
			  const struct wheel_slot *slot)
{
	return (u32)(slot - r->slot);
}

static inline struct wheel_timer *timer_of(const struct list_head *node)
{
	return list_entry(node, struct wheel_timer, node);
}

static inline struct wheel_group *ring_group(const struct wheel_ring *r, u32 at)
{
	return &r->group[at / 64];
}

/* Out of its list, and not pending any more. */
static inline void timer_detach(struct wheel_timer *t)
{
	list_del(&t->node);
	WRITE_ONCE(t->slot, WHEEL_UNFILED);
}

#endif
