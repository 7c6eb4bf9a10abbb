// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of slots, words and doorbells. Each page is allocated when it is first needed, by an
 * arm or by a page fault. Pages are charged to the user who opened the file, and are freed after
 * the file was closed and unmapped.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "../slots/word.h"
#include "dev.h"

static u32 slot_pages(const struct wheel_file *file)
{
	return DIV_ROUND_UP(file->slots.setup.timers, WHEEL_SLOTS_PER_PAGE);
}

/* Return the number of slots per u64 of an array. */
static u32 slots_a_word(enum wheel_shared which)
{
	switch (which) {
	case WHEEL_WORDS:
		return 1;
	case WHEEL_BELL_BITS:
		return WHEEL_BELLS;
	default:
		return WHEEL_BELLS * WHEEL_BELLS;
	}
}

static u32 slots_a_page(enum wheel_shared which)
{
	return slots_a_word(which) * WHEEL_WORDS_PER_PAGE;
}

/* Return the location of the table of an array's pages. */
static u64 ***shared_table(struct wheel_file *file, enum wheel_shared which)
{
	switch (which) {
	case WHEEL_WORDS:
		return &file->slots.words;
	case WHEEL_BELL_BITS:
		return &file->slots.scanner.bells;
	default:
		return &file->slots.scanner.summary;
	}
}

/* Returns the number of pages of an array, 0 without WHEEL_SETUP_WORDS. */
u32 wheel_file_shared_pages(const struct wheel_file *file, enum wheel_shared which)
{
	if (!(file->slots.setup.flags & WHEEL_SETUP_WORDS))
		return 0;
	return DIV_ROUND_UP(file->slots.setup.timers, slots_a_page(which));
}

/* Returns the size of the tables of pages, as allocated. The configuration of the file is set. */
size_t wheel_file_table_bytes(const struct wheel_file *file)
{
	size_t bytes = kmalloc_size_roundup(slot_pages(file) * sizeof(void *));
	enum wheel_shared which;

	for (which = 0; which < WHEEL_SHARED; which++)
		bytes += kmalloc_size_roundup(wheel_file_shared_pages(file, which) *
					      sizeof(void *));
	return bytes;
}

/* Allocate the tables of pages. On -ENOMEM, the caller must call wheel_file_tables_free(). */
int wheel_file_tables_alloc(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;
	enum wheel_shared which;

	slots->pages = kvcalloc(slot_pages(file), sizeof(*slots->pages),
				GFP_KERNEL_ACCOUNT);
	if (!slots->pages)
		return -ENOMEM;
	for (which = 0; which < WHEEL_SHARED; which++) {
		u32 pages = wheel_file_shared_pages(file, which);
		u64 ***table = shared_table(file, which);

		if (!pages)
			continue;
		*table = kvcalloc(pages, sizeof(**table), GFP_KERNEL_ACCOUNT);
		if (!*table)
			return -ENOMEM;
	}
	return 0;
}

static void table_free(void **table, u32 pages)
{
	u32 i;

	for (i = 0; table && i < pages; i++) {
		free_page((unsigned long)table[i]);
		cond_resched();
	}
	kvfree(table);
}

/* Free the tables and all pages of a file whose wheel does not exist. */
void wheel_file_tables_free(struct wheel_file *file)
{
	enum wheel_shared which;

	table_free((void **)file->slots.pages, slot_pages(file));
	file->slots.pages = NULL;
	for (which = 0; which < WHEEL_SHARED; which++) {
		u64 ***table = shared_table(file, which);

		table_free((void **)*table, wheel_file_shared_pages(file, which));
		*table = NULL;
	}
}

/* Allocate and charge a zeroed page. Returns the page or an ERR_PTR. */
static void *page_alloc(struct wheel_file *file)
{
	struct mem_cgroup *old;
	unsigned long page;
	int err;

	err = wheel_file_charge(file, 1);
	if (err)
		return ERR_PTR(err);
	old = set_active_memcg(file->memcg);
	page = get_zeroed_page(GFP_KERNEL_ACCOUNT);
	set_active_memcg(old);
	if (page)
		return (void *)page;
	wheel_file_uncharge(file, 1);
	return ERR_PTR(-ENOMEM);
}

/* Free a page, because another thread has added one at the same time. */
static void page_give_back(struct wheel_file *file, void *page)
{
	free_page((unsigned long)page);
	wheel_file_uncharge(file, 1);
}

static int slot_page_bring(struct wheel_file *file, u32 nr)
{
	struct wheel_slot **at = &file->slots.pages[nr / WHEEL_SLOTS_PER_PAGE];
	struct wheel_slot *page = page_alloc(file);

	if (IS_ERR(page))
		return PTR_ERR(page);
	wheel_slot_page_init(&file->slots, page, nr);
	/*
	 * Publish the page: order the initialization of the slots before the store of the pointer.
	 * Pairs with the acquire in wheel_slot_on().
	 */
	if (cmpxchg_release(at, NULL, page))
		page_give_back(file, page);
	return 0;
}

/* Return a page of an array, or NULL. */
static u64 *shared_page(struct wheel_file *file, enum wheel_shared which, u32 at)
{
	/* Pairs with the release in shared_page_bring(): the page is initialized. */
	return smp_load_acquire(&(*shared_table(file, which))[at]);
}

/* Add a page to an array. Its words are IDLE, or its bits are clear. */
static int shared_page_bring(struct wheel_file *file, enum wheel_shared which, u32 at)
{
	u64 *page;

	if (shared_page(file, which, at))
		return 0;
	page = page_alloc(file);
	if (IS_ERR(page))
		return PTR_ERR(page);
	if (which == WHEEL_WORDS)
		memset64(page, WHEEL_WORD_IDLE, WHEEL_WORDS_PER_PAGE);
	/*
	 * Publish the page: order its initialization before the store of the pointer. Pairs with
	 * the acquires in shared_page(), wheel_word_page() and wheel_bells_at().
	 */
	if (cmpxchg_release(&(*shared_table(file, which))[at], NULL, page))
		page_give_back(file, page);
	return 0;
}

/* Add the missing pages of slot @nr for an operation with @flags. Returns 0, -ENOMEM or -EDQUOT. */
int wheel_file_bring(struct wheel_file *file, u32 nr, u32 flags)
{
	enum wheel_shared which, count = flags & WHEEL_OP_WORD ? WHEEL_SHARED : 0;
	int err = 0;

	if (!wheel_slot_at(&file->slots, nr))
		err = slot_page_bring(file, nr);
	for (which = 0; !err && which < count; which++)
		err = shared_page_bring(file, which, nr / slots_a_page(which));
	return err;
}

/*
 * Get page @at of an array for a mapping, and add it if it is missing. Returns -ENOMEM or -EDQUOT
 * as an ERR_PTR.
 */
struct page *wheel_file_shared_page(struct wheel_file *file,
				    enum wheel_shared which, u32 at)
{
	int err = shared_page_bring(file, which, at);

	return err ? ERR_PTR(err) : virt_to_page(shared_page(file, which, at));
}
