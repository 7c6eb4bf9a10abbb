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
#include <linux/sched/mm.h>
#include "slot.h"
#include "touch.h"

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

/* Their timers can be armed; each id is one whose generation is over. */
static void slots_init(const struct wheel_file *file, struct slot *page, u32 first)
{
	u32 i;

	for (i = 0; i < SLOTS_PER_PAGE; i++) {
		wheel_timer_init(&page[i].timer, file->wheel, NULL);
		page[i].id = WHEEL_ID(first + i, 0);
	}
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
	struct slot *page = (struct slot *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	u32 at = nr / SLOTS_PER_PAGE;

	set_active_memcg(old);
	if (!page)
		return -ENOMEM;
	slots_init(file, page, at * SLOTS_PER_PAGE);
	/* Pairs with slot_at(). Somebody else may have been faster. */
	if (cmpxchg_release(&file->pages[at], NULL, page))
		free_page((unsigned long)page);
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
		free_page((unsigned long)file->pages[i]);
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
 * slot_pending - will a timer fire, and when?
 * @file: file, it and its wheel locked
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
