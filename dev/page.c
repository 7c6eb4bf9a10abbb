// SPDX-License-Identifier: GPL-2.0
/*
 * The pages of slots and of touch words, each allocated when it is first needed, by
 * an arm or by a fault: memory grows with what is used. They are charged to the opener,
 * whoever needs them, and live until the file is closed and unmapped.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "../slots/word.h"
#include "page.h"
#include "payer.h"

static u32 slot_pages(const struct wheel_file *file)
{
	return DIV_ROUND_UP(file->slots.setup.timers, WHEEL_SLOTS_PER_PAGE);
}

/**
 * wheel_file_word_pages - how many pages the touch words take
 * @file: file that is set up
 *
 * Return: pages; 0: there are no words.
 */
u32 wheel_file_word_pages(const struct wheel_file *file)
{
	if (!(file->slots.setup.flags & WHEEL_SETUP_TOUCH))
		return 0;
	return DIV_ROUND_UP(file->slots.setup.timers, WHEEL_WORDS_PER_PAGE);
}

/**
 * wheel_file_table_bytes - how much memory the tables of the pages take
 * @file: file whose set-up is known
 *
 * Return: bytes.
 */
size_t wheel_file_table_bytes(const struct wheel_file *file)
{
	return (size_t)(slot_pages(file) + wheel_file_word_pages(file)) *
	       sizeof(void *);
}

/**
 * wheel_file_tables_alloc - make the tables of the pages
 * @file: file whose set-up is known
 *
 * Return: 0 or -ENOMEM; wheel_file_tables_free() then frees what there is.
 */
int wheel_file_tables_alloc(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;
	u32 words = wheel_file_word_pages(file);

	slots->pages = kvcalloc(slot_pages(file), sizeof(*slots->pages),
				GFP_KERNEL_ACCOUNT);
	if (!slots->pages)
		return -ENOMEM;
	if (!words)
		return 0;
	slots->words = kvcalloc(words, sizeof(*slots->words), GFP_KERNEL_ACCOUNT);
	return slots->words ? 0 : -ENOMEM;
}

/**
 * wheel_file_tables_free - free the tables and all pages
 * @file: file whose wheel is gone or never was
 */
void wheel_file_tables_free(struct wheel_file *file)
{
	struct wheel_slots *slots = &file->slots;
	u32 i;

	for (i = 0; slots->pages && i < slot_pages(file); i++) {
		free_page((unsigned long)slots->pages[i]);
		cond_resched();
	}
	for (i = 0; slots->words && i < wheel_file_word_pages(file); i++) {
		free_page((unsigned long)slots->words[i]);
		cond_resched();
	}
	kvfree(slots->pages);
	kvfree(slots->words);
	slots->pages = NULL;
	slots->words = NULL;
}

/* A page that is zero, or an ERR_PTR. */
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

/* Somebody else was faster. */
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
	/* Pairs with wheel_slot_at(). */
	if (cmpxchg_release(at, NULL, page))
		page_give_back(file, page);
	return 0;
}

static int word_page_bring(struct wheel_file *file, u32 nr)
{
	u64 **at = &file->slots.words[nr / WHEEL_WORDS_PER_PAGE];
	u64 *page = page_alloc(file);

	if (IS_ERR(page))
		return PTR_ERR(page);
	memset64(page, WHEEL_TOUCH_IDLE, WHEEL_WORDS_PER_PAGE);
	/* Pairs with wheel_word_page(). */
	if (cmpxchg_release(at, NULL, page))
		page_give_back(file, page);
	return 0;
}

/**
 * wheel_file_bring - bring the pages of a slot
 * @file: file that is set up, not locked
 * @nr: number of the slot
 * @word: the page of its touch word, too
 *
 * Return: 0, -ENOMEM or -EDQUOT.
 */
int wheel_file_bring(struct wheel_file *file, u32 nr, bool word)
{
	int err = 0;

	if (!wheel_slot_at(&file->slots, nr))
		err = slot_page_bring(file, nr);
	if (!err && word && !wheel_word_page(&file->slots, nr))
		err = word_page_bring(file, nr);
	return err;
}

/**
 * wheel_file_word_page - a page of words that the program wants to see
 * @file: file with touch words
 * @at: which page
 *
 * Return: the page, or -ENOMEM or -EDQUOT as an ERR_PTR.
 */
struct page *wheel_file_word_page(struct wheel_file *file, u32 at)
{
	u32 nr = at * WHEEL_WORDS_PER_PAGE;

	if (!wheel_word_page(&file->slots, nr)) {
		int err = word_page_bring(file, nr);

		if (err)
			return ERR_PTR(err);
	}
	return virt_to_page(wheel_word_page(&file->slots, nr));
}
