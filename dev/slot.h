/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timers of a file, by slot. Inline is what each operation does.
 */
#ifndef _WHEEL_DEV_SLOT_H
#define _WHEEL_DEV_SLOT_H

#include <linux/nospec.h>
#include "dev.h"

#define SLOTS_PER_PAGE	((u32)(PAGE_SIZE / sizeof(struct slot)))

/**
 * slot_at - find a slot
 * @file: file that is set up
 * @nr: number below setup.timers
 *
 * Return: the slot, or NULL if its page is not there: it was never armed.
 */
static inline struct slot *slot_at(const struct wheel_file *file, u32 nr)
{
	struct slot *page;

	nr = array_index_nospec(nr, file->setup.timers);
	/* Pairs with cmpxchg_release() in slot_page_alloc(): the page is filled. */
	page = smp_load_acquire(&file->pages[nr / SLOTS_PER_PAGE]);
	return page ? page + nr % SLOTS_PER_PAGE : NULL;
}

/**
 * slot_of_id - find the slot that a timer's id names now
 * @file: file that is set up, locked
 * @id: WHEEL_ID() of a slot below setup.timers
 *
 * Return: the slot, or NULL if the id is stale or was never used.
 */
static inline struct slot *slot_of_id(const struct wheel_file *file, u64 id)
{
	struct slot *slot = slot_at(file, WHEEL_ID_SLOT(id));

	if (!slot || slot->id != id || slot->state == SLOT_FREE)
		return NULL;
	return slot;
}

int slot_page_alloc(struct wheel_file *file, u32 nr);
void slot_pages_free(struct wheel_file *file);
u32 slot_table_pages(u32 timers);
bool slot_pending(const struct wheel_file *file, const struct slot *slot,
		  u64 *deadline);
u64 slot_missed(const struct slot *slot, u64 now);
void slot_push(struct wheel_file *file, struct slot_queue *queue,
	       struct slot *slot);
void slot_unpop(struct slot_queue *queue, struct slot *slot);
struct slot *slot_pop(struct wheel_file *file, struct slot_queue *queue);

#endif
