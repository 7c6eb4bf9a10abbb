// SPDX-License-Identifier: GPL-2.0
/*
 * The timers of a file, by slot. They lie in pages that are allocated when a
 * slot of theirs is first armed: memory grows with what is used.
 *
 * A timer that fired is the storage of its own event until that is read, which
 * is why no event can be lost for want of memory.
 */
#include <linux/gfp.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/nospec.h>
#include <linux/sched/mm.h>
#include "dev.h"

#define SLOTS_PER_PAGE	((u32)(PAGE_SIZE / sizeof(struct slot)))

/**
 * slot_table_pages - pages that a file may come to need
 * @timers: slots
 *
 * Return: how many.
 */
u32 slot_table_pages(u32 timers)
{
	return DIV_ROUND_UP(timers, SLOTS_PER_PAGE);
}

/**
 * slot_at - find a slot
 * @file: file that is set up
 * @nr: number below setup.timers
 *
 * Return: the slot, or NULL if its page is not there: it was never armed.
 */
struct slot *slot_at(const struct wheel_file *file, u32 nr)
{
	struct slot *page;

	nr = array_index_nospec(nr, file->setup.timers);
	/* Pairs with cmpxchg() in slot_page_alloc(): the page is zeroed. */
	page = (struct slot *)smp_load_acquire(&file->pages[nr / SLOTS_PER_PAGE]);
	return page ? page + nr % SLOTS_PER_PAGE : NULL;
}

/**
 * slot_of_id - find the slot that a timer's id names now
 * @file: file that is set up, locked
 * @id: WHEEL_ID()
 *
 * Return: the slot, or NULL if the id is stale or was never used.
 */
struct slot *slot_of_id(const struct wheel_file *file, u64 id)
{
	struct slot *slot;

	if (WHEEL_ID_SLOT(id) >= file->setup.timers)
		return NULL;
	slot = slot_at(file, WHEEL_ID_SLOT(id));
	if (!slot || slot->id != id || slot->state == SLOT_FREE)
		return NULL;
	return slot;
}

/**
 * slot_page_alloc - bring the page of a slot
 * @file: file that is set up, not locked
 * @nr: number of the slot
 *
 * Return: 0 or -ENOMEM.
 */
int slot_page_alloc(struct wheel_file *file, u32 nr)
{
	struct mem_cgroup *old = set_active_memcg(file->memcg);
	unsigned long page = get_zeroed_page(GFP_KERNEL_ACCOUNT);

	set_active_memcg(old);
	if (!page)
		return -ENOMEM;
	/* Somebody else may have been faster. */
	if (cmpxchg(&file->pages[nr / SLOTS_PER_PAGE], 0, page))
		free_page(page);
	return 0;
}

/**
 * slot_pages_free - free all slots
 * @file: file whose wheel is gone
 */
void slot_pages_free(struct wheel_file *file)
{
	u32 i;

	for (i = 0; i < slot_table_pages(file->setup.timers); i++) {
		free_page(file->pages[i]);
		cond_resched();
	}
}

/**
 * slot_push - put a slot at the end of a queue
 * @file: file, locked
 * @queue: queue
 * @slot: slot that is in none
 */
void slot_push(struct wheel_file *file, struct slot_queue *queue,
	       struct slot *slot)
{
	u32 nr = slot_nr(slot);

	if (queue->count++)
		slot_at(file, queue->tail)->next = nr;
	else
		queue->head = nr;
	queue->tail = nr;
}

/**
 * slot_unpop - put a slot back to the front of a queue
 * @queue: queue
 * @slot: slot that was taken from it
 */
void slot_unpop(struct slot_queue *queue, struct slot *slot)
{
	u32 nr = slot_nr(slot);

	if (!queue->count++)
		queue->tail = nr;
	slot->next = queue->head;
	queue->head = nr;
}

/**
 * slot_pop - take the first slot of a queue
 * @file: file, locked
 * @queue: queue
 *
 * Return: the slot, or NULL when the queue is empty.
 */
struct slot *slot_pop(struct wheel_file *file, struct slot_queue *queue)
{
	struct slot *slot;

	if (!queue->count)
		return NULL;
	queue->count--;
	slot = slot_at(file, queue->head);
	queue->head = slot->next;
	return slot;
}

/**
 * slot_missed - how many periods passed since the deadline of a slot
 * @slot: slot with a period
 * @now: the clock
 *
 * Return: periods.
 */
u64 slot_missed(const struct slot *slot, u64 now)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);

	return now > deadline ? div64_u64(now - deadline, slot->period) : 0;
}

/**
 * slot_free - a timer is over, its slot can be armed anew
 * @file: file, locked
 * @slot: slot that is neither pending nor queued
 */
void slot_free(struct wheel_file *file, struct slot *slot)
{
	slot->state = SLOT_FREE;
	if (file->setup.flags & WHEEL_SETUP_ANY_SLOT)
		slot_push(file, &file->unused, slot);
}

/**
 * slot_pending - will a timer fire, and when?
 * @file: file, locked
 * @slot: slot
 * @deadline: set to its deadline if it is pending
 *
 * Return: true if it is pending.
 */
bool slot_pending(const struct wheel_file *file, const struct slot *slot,
		  u64 *deadline)
{
	u64 when;

	if (slot->state != SLOT_ARMED || !wheel_timer_pending(&slot->timer))
		return false;
	when = slot->touch ? touch_get(file, slot_nr(slot)) :
			     wheel_timer_deadline(&slot->timer);
	if (slot->touch && touch_parked(when))
		return false;
	*deadline = when;
	return true;
}
