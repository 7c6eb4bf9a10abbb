// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Slots: in queues, picked, and described.
 */
#include "word.h"

/**
 * wheel_slots_init - make an empty table
 * @slots: table of zeros
 */
void wheel_slots_init(struct wheel_slots *slots)
{
	slots->stopped_at = WHEEL_NEVER;
}

/**
 * wheel_slots_stop - let nothing be armed any more
 * @slots: table, locked
 * @now: the clock; periods that pass after it are not missed
 */
void wheel_slots_stop(struct wheel_slots *slots, u64 now)
{
	slots->stopping = true;
	slots->stopped_at = min(slots->stopped_at, now);
}

/**
 * wheel_slot_page_init - make the slots of a page ready to be armed
 * @slots: table that is set up
 * @page: zeros, of WHEEL_SLOT_PAGE bytes
 * @nr: number of a slot that shall be on it
 *
 * Each slot's id is one whose generation is over.
 */
void wheel_slot_page_init(const struct wheel_slots *slots,
			  struct wheel_slot *page, u32 nr)
{
	u32 first = nr - nr % WHEEL_SLOTS_PER_PAGE;
	u32 i;

	for (i = 0; i < WHEEL_SLOTS_PER_PAGE; i++) {
		wheel_timer_init(&page[i].timer, slots->wheel, NULL);
		page[i].id = WHEEL_ID(first + i, 0);
	}
}

/**
 * wheel_slot_push - put a slot at the end of a queue
 * @slots: table
 * @queue: queue of it, locked
 * @slot: slot that is in none
 */
void wheel_slot_push(struct wheel_slots *slots, struct wheel_slot_queue *queue,
		     struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	if (queue->count++)
		wheel_slot_at(slots, queue->tail)->next = nr;
	else
		queue->head = nr;
	queue->tail = nr;
}

/**
 * wheel_slot_unpop - put a slot back to the front of a queue
 * @queue: queue, locked
 * @slot: slot that was taken from it
 */
void wheel_slot_unpop(struct wheel_slot_queue *queue, struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	if (!queue->count++)
		queue->tail = nr;
	slot->next = queue->head;
	queue->head = nr;
}

/**
 * wheel_slot_pop - take the first slot of a queue
 * @slots: table
 * @queue: queue of it, locked
 *
 * Return: the slot, or NULL when the queue is empty.
 */
struct wheel_slot *wheel_slot_pop(struct wheel_slots *slots,
				  struct wheel_slot_queue *queue)
{
	struct wheel_slot *slot;

	if (!queue->count)
		return NULL;
	queue->count--;
	slot = wheel_slot_at(slots, queue->head);
	queue->head = slot->next;
	return slot;
}

/**
 * wheel_slot_pick - find a slot for the next arm
 * @slots: table whose slots we pick, locked
 *
 * The one that was freed longest ago, or, when none is free, one that was never used.
 *
 * Return: its number, or -EDQUOT: all are in use.
 */
int wheel_slot_pick(struct wheel_slots *slots)
{
	if (!slots->free.count && slots->reclaimed.count)
		wheel_slot_free(slots, wheel_slot_pop(slots, &slots->reclaimed));
	if (slots->free.count)
		return slots->free.head;
	return slots->next_unused < slots->setup.timers ?
	       (int)slots->next_unused : -EDQUOT;
}

/**
 * wheel_slot_picked - the slot that wheel_slot_pick() found is armed
 * @slots: table whose slots we pick, locked
 */
void wheel_slot_picked(struct wheel_slots *slots)
{
	if (!wheel_slot_pop(slots, &slots->free))
		slots->next_unused++;
}

/**
 * wheel_slot_word_pending - wheel_slot_pending() of one that a word governs, or that is not armed
 * @slots: table, locked
 * @slot: slot
 * @deadline: set to its deadline if it is pending
 *
 * Return: true if it is pending.
 */
bool wheel_slot_word_pending(const struct wheel_slots *slots,
			     const struct wheel_slot *slot, u64 *deadline)
{
	u64 word;

	if (slot->state == WHEEL_SLOT_RESTING ? slots->stopping :
	    slot->state != WHEEL_SLOT_ARMED ||
	    (!wheel_timer_pending(&slot->timer) && !slot->keep))
		return false;
	word = wheel_word_read(slots, wheel_slot_nr(slot));
	if (wheel_word_parked(word))
		return false;
	*deadline = word;
	return true;
}

/**
 * wheel_slot_describe - say how a timer could be armed again
 * @slots: table, locked
 * @slot: slot
 * @op: filled, if the timer is pending or was when the wheel was stopped
 *
 * Return: true if it is or was.
 */
bool wheel_slot_describe(const struct wheel_slots *slots,
			 const struct wheel_slot *slot, struct wheel_op *op)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);

	if (slot->state != WHEEL_SLOT_STOPPED &&
	    !wheel_slot_pending(slots, slot, &deadline))
		return false;
	*op = (struct wheel_op){
		.op	= WHEEL_OP_ARM,
		.flags	= slot->keep ? WHEEL_OP_KEEP :
			  slot->touch ? WHEEL_OP_TOUCH : 0,
		.id	= slot->id,
		.when	= deadline,
		.slack	= slot->slack,
		.period	= slot->period,
		.cookie	= slot->cookie,
	};
	return true;
}
