// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The hashed wheel: one ring of 2^n slots, a timer goes to slot due % 2^n. A
 * slot holds timers of many revolutions; a walk compares their exact due ticks
 * and takes those of the tick at hand. It never counts rounds.
 *
 * A pass goes from due tick to due tick. Three things may be under way when its
 * budget ends, and go on where they stood:
 *
 *  - the walk of an open slot, between two marks in its list:
 *
 *	slot -> looked at .. [walked] -> to look at .. [newer] -> armed since
 *
 *    What is armed while the slot is open is due at a later tick, so the walk
 *    ends at the second mark, however much is armed meanwhile;
 *
 *  - the search for the next due tick, in slots after the clock. It ends at the
 *    first slot whose minimum falls into this revolution; failing that it has
 *    seen all slots, which happens once a revolution at most;
 *
 *  - the refreshing of a minimum whose timer was cancelled. The search does it
 *    when such a slot could be the answer: it walks the slot for no tick. So a
 *    cancelled timer costs at most one empty wake-up.
 */
#include "../wheel.h"

/* Slack may gather timers from so many slots into one, and not from more. */
#define MAX_SLACK_FRACTION	16

static void hashed_init(struct wheel_core *w)
{
	u32 slots = w->ring.mask + 1;

	w->max_order = ilog2(max(slots / MAX_SLACK_FRACTION, 1u));
	w->hashed.open = NULL;
	w->hashed.scanned = 0;
	w->hashed.refreshed = false;
}

void wheel_hashed_file(struct wheel_core *w, struct wheel_timer *t)
{
	ring_append(&w->ring, (u32)t->due & w->ring.mask, t);
}

static void slot_detach(struct wheel_timer *t)
{
	list_del(&t->node);
	WRITE_ONCE(t->slot, WHEEL_UNFILED);
}

static void slot_emptied(struct wheel_ring *r, struct wheel_slot *slot)
{
	u32 at = (u32)(slot - r->slot);

	r->busy[at / 64] &= ~((u64)1 << at % 64);
	slot->min = WHEEL_NO_TICK;
	slot->stale = false;
}

void wheel_hashed_unfile(struct wheel_core *w, struct wheel_timer *t)
{
	struct wheel_slot *slot = &w->ring.slot[t->slot];

	slot_detach(t);
	if (list_empty(&slot->timers))
		slot_emptied(&w->ring, slot);
	else if (t->due == slot->min)
		slot->stale = true;
}

/* For a @tick that the clock has taken this only refreshes the minimum. */
static void slot_open(struct wheel_core *w, struct wheel_slot *slot, u64 tick)
{
	struct wheel_hashed *h = &w->hashed;

	h->open = slot;
	h->tick = tick;
	slot->min = WHEEL_NO_TICK;
	slot->stale = false;
	list_add(&h->walked, &slot->timers);
	list_add_tail(&h->newer, &slot->timers);
}

static void slot_close(struct wheel_core *w)
{
	struct wheel_hashed *h = &w->hashed;

	list_del(&h->walked);
	list_del(&h->newer);
	if (list_empty(&h->open->timers))
		slot_emptied(&w->ring, h->open);
	h->open = NULL;
	if (h->tick > w->clock) {
		w->clock = h->tick;
		w->found = false;
		h->scanned = 0;
	} else {
		h->refreshed = true;
	}
}

static struct wheel_timer *slot_walk(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_hashed *h = &w->hashed;
	struct list_head *at = &h->walked;
	struct wheel_timer *due = NULL;

	while (at->next != &h->newer && *budget) {
		struct wheel_timer *t = list_entry(at->next, struct wheel_timer,
						   node);

		(*budget)--;
		if (t->due == h->tick) {
			due = t;
			break;
		}
		h->open->min = min(h->open->min, t->due);
		at = at->next;
	}
	if (at != &h->walked) {
		list_del(&h->walked);
		list_add(&h->walked, at);
	}
	if (due)
		slot_detach(due);
	else if (h->walked.next == &h->newer)
		slot_close(w);
	return due;
}

/*
 * Look at one more busy slot. The search is over when no later slot can hold an
 * earlier timer than the earliest that was seen.
 *
 * What is cancelled during the search may leave it with a lower bound, which
 * costs an empty wake-up. It is not started over, nor is a slot refreshed twice:
 * who arms and cancels fast enough could keep it from its end for ever.
 */
static void search_step(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_hashed *h = &w->hashed;
	u32 slots = w->ring.mask + 1;
	u32 from = (u32)(w->clock + 1 + h->scanned) & w->ring.mask;
	u32 to = min(slots, from + slots - h->scanned);
	u32 at = ring_find(&w->ring, from, to, budget);
	struct wheel_slot *slot = &w->ring.slot[at];

	h->scanned += at - from;
	if (at == to || !*budget)
		return;
	(*budget)--;
	if (slot->stale && slot->min < w->next && !h->refreshed) {
		slot_open(w, slot, w->clock);
		return;
	}
	w->next = min(w->next, slot->min);
	h->refreshed = false;
	h->scanned++;
	if (w->next <= w->clock + h->scanned)
		h->scanned = slots;
}

static void search(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_hashed *h = &w->hashed;

	if (!h->scanned)
		w->next = WHEEL_NO_TICK;
	if (!w->pending)
		h->scanned = w->ring.mask + 1;
	else
		search_step(w, budget);
	if (h->scanned == w->ring.mask + 1) {
		h->scanned = 0;
		w->found = true;
	}
}

struct wheel_timer *wheel_hashed_pop(struct wheel_core *w, u64 until,
				     unsigned int *budget)
{
	struct wheel_hashed *h = &w->hashed;
	struct wheel_timer *t;

	while (*budget) {
		if (h->open) {
			t = slot_walk(w, budget);
			if (t)
				return t;
		} else if (!w->found) {
			search(w, budget);
		} else if (w->next <= until) {
			slot_open(w, &w->ring.slot[w->next & w->ring.mask],
				  w->next);
		} else {
			w->clock = max(w->clock, until);
			return NULL;
		}
	}
	return NULL;
}

/* The wheel is given up or moved: a walk under way has lost its meaning. */
static void hashed_abandon(struct wheel_core *w)
{
	if (!w->hashed.open)
		return;
	w->hashed.open->min = w->clock + 1;
	w->hashed.open->stale = true;
	w->hashed.tick = 0;
	slot_close(w);
}

static void hashed_forward(struct wheel_core *w)
{
	hashed_abandon(w);
	w->hashed.scanned = 0;
}

static struct wheel_timer *hashed_first(struct wheel_core *w)
{
	unsigned int budget = w->ring.mask / 64 + 1;
	u32 slots = w->ring.mask + 1;
	u32 at;

	hashed_abandon(w);
	at = ring_find(&w->ring, 0, slots, &budget);
	if (at == slots)
		return NULL;
	return list_entry(w->ring.slot[at].timers.next, struct wheel_timer, node);
}

static const char *slot_check(const struct wheel_core *w, u32 at, u64 *count)
{
	const struct wheel_slot *slot = &w->ring.slot[at];
	const struct wheel_hashed *h = &w->hashed;
	bool walking = slot == h->open;
	const struct list_head *node;
	u64 earliest = WHEEL_NO_TICK;
	bool busy = w->ring.busy[at / 64] >> at % 64 & 1;

	for (node = slot->timers.next; node != &slot->timers; node = node->next) {
		const struct wheel_timer *t;

		if (node == &h->walked || node == &h->newer)
			continue;
		t = list_entry(node, struct wheel_timer, node);
		if (t->slot != at || (t->due & w->ring.mask) != at)
			return "a timer is in a slot that is not its own";
		if (t->due <= w->clock)
			return "the clock passed a timer";
		earliest = min(earliest, t->due);
		++*count;
	}
	if (busy == list_empty(&slot->timers))
		return "the bitmap is wrong";
	if (walking)
		return NULL;
	if (slot->stale ? slot->min > earliest : slot->min != earliest)
		return "a slot's minimum is wrong";
	if (w->found && w->next > earliest)
		return "a timer is due before the next expiry";
	return NULL;
}

static const char *hashed_check(const struct wheel_core *w, u64 *count)
{
	const char *error = NULL;
	u32 at;

	for (at = 0; at <= w->ring.mask && !error; at++)
		error = slot_check(w, at, count);
	return error;
}

const struct wheel_scheme wheel_hashed = {
	.name		= "hashed",
	.init		= hashed_init,
	.file		= wheel_hashed_file,
	.unfile		= wheel_hashed_unfile,
	.pop		= wheel_hashed_pop,
	.first		= hashed_first,
	.forward	= hashed_forward,
	.check		= hashed_check,
};
