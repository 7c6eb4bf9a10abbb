// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a file: arrays of slots, parameters, words and doorbells. Each page of an array is
 * allocated when it is first needed, by an arm or by a page fault. All memory is charged to the
 * user who opened the file. It is freed after the file was closed and unmapped.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "../slots/word.h"
#include "dev.h"

/* The slots per page of each array, and the member that points to the table of its pages. */
static const struct {
	u32	slots;
	size_t	table;
} arrays[WHEEL_ARRAYS] = {
	[WHEEL_PARAMS] = { WHEEL_PARAMS_PER_PAGE, offsetof(struct wheel_slots, params) },
	[WHEEL_SLOTS] = { WHEEL_SLOTS_PER_PAGE, offsetof(struct wheel_slots, pages) },
	[WHEEL_WORDS] = { WHEEL_WORDS_PER_PAGE, offsetof(struct wheel_slots, words) },
	[WHEEL_BELL_BITS] = { WHEEL_WORDS_PER_PAGE * WHEEL_BELLS,
			      offsetof(struct wheel_slots, scanner.bells) },
	[WHEEL_SUMMARY_BITS] = { WHEEL_WORDS_PER_PAGE * WHEEL_BELLS * WHEEL_BELLS,
				 offsetof(struct wheel_slots, scanner.summary) },
};

/* Number of entries of a table between two points at which other tasks can run. */
#define TABLE_PART	1024U

/* Return the table of the pages of an array. */
static void ***array_table(struct wheel_file *file, enum wheel_array array)
{
	return (void *)&file->slots + arrays[array].table;
}

/* Returns the number of pages of an array, 0 if the file does not have it. */
u32 wheel_file_array_pages(const struct wheel_file *file, enum wheel_array array)
{
	if (array >= WHEEL_WORDS && !(file->slots.setup.flags & WHEEL_SETUP_WORDS))
		return 0;
	return DIV_ROUND_UP(file->slots.setup.timers, arrays[array].slots);
}

/* Charge and allocate the tables of pages. If it fails, call wheel_file_tables_free(). */
int wheel_file_tables_alloc(struct wheel_file *file)
{
	enum wheel_array array;

	for (array = 0; array < WHEEL_ARRAYS; array++) {
		size_t size = wheel_file_array_pages(file, array) * sizeof(void *);
		void ***table = array_table(file, array);
		int err;

		if (!size)
			continue;
		err = wheel_file_charge(file, DIV_ROUND_UP(kmalloc_size_roundup(size), PAGE_SIZE));
		if (err)
			return err;
		*table = kvzalloc(size, GFP_KERNEL_ACCOUNT);
		if (!*table)
			return -ENOMEM;
	}
	return 0;
}

/* Free the pages of a part of a table. Most of a large table is usually empty. */
static void table_free_pages(void **at, u32 count)
{
	void **end = at + count;

	cond_resched();
	for (; at < end; at++) {
		if (!*at)
			continue;
		free_page((unsigned long)*at);
		cond_resched();
	}
}

/* Free the tables and all pages of a file whose wheel does not exist. */
void wheel_file_tables_free(struct wheel_file *file)
{
	enum wheel_array array;
	u32 i, some;

	for (array = 0; array < WHEEL_ARRAYS; array++) {
		u32 pages = wheel_file_array_pages(file, array);
		void ***table = array_table(file, array);

		for (i = 0; *table && i < pages; i += some) {
			some = min(pages - i, TABLE_PART);
			table_free_pages(*table + i, some);
		}
		kvfree(*table);
		*table = NULL;
	}
}

/*
 * If another cgroup than that of the calling task is full, the allocation fails. The OOM killer
 * could end processes of the opener for the benefit of others, or find and report none, again and
 * again.
 */
static gfp_t page_gfp(const struct wheel_file *file)
{
	struct mem_cgroup *own = get_mem_cgroup_from_mm(current->mm);
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	if (own != file->memcg)
		gfp |= __GFP_RETRY_MAYFAIL;
	mem_cgroup_put(own);
	return gfp;
}

/* Charge and allocate a zeroed page. Returns the page or an ERR_PTR. */
void *wheel_file_page_alloc(struct wheel_file *file)
{
	int err = wheel_file_charge(file, 1);
	struct mem_cgroup *old;
	unsigned long page;
	gfp_t gfp;

	if (err)
		return ERR_PTR(err);
	gfp = page_gfp(file);
	old = set_active_memcg(file->memcg);
	page = get_zeroed_page(gfp);
	set_active_memcg(old);
	if (page)
		return (void *)page;
	wheel_file_uncharge(file, 1);
	return ERR_PTR(-ENOMEM);
}

/* Add the page of slot @nr to an array, if it is missing. Returns the page or an ERR_PTR. */
static void *page_bring(struct wheel_file *file, enum wheel_array array, u32 nr)
{
	void **at = &(*array_table(file, array))[nr / arrays[array].slots];
	/* Pairs with the release below: the page is initialized. */
	void *page = smp_load_acquire(at), *other;

	if (page)
		return page;
	page = wheel_file_page_alloc(file);
	if (IS_ERR(page))
		return page;
	if (array == WHEEL_SLOTS)
		wheel_slot_page_init(&file->slots, page, nr);
	else if (array == WHEEL_WORDS)
		memset64(page, WHEEL_WORD_IDLE, WHEEL_WORDS_PER_PAGE);
	/*
	 * Publish the page: order its initialization before the store of the pointer. Pairs with
	 * the acquires above and in wheel_slot_in(), wheel_word_page() and wheel_bells_page().
	 */
	other = cmpxchg(at, NULL, page);
	if (!other)
		return page;
	/* Another thread has added one at the same time. */
	free_page((unsigned long)page);
	wheel_file_uncharge(file, 1);
	return other;
}

/* Add the missing pages of slot @nr for an operation with @flags. Returns 0 or a negative errno. */
int wheel_file_bring(struct wheel_file *file, u32 nr, u32 flags)
{
	enum wheel_array array, end = flags & WHEEL_OP_WORD ? WHEEL_ARRAYS : WHEEL_WORDS;
	int err = 0;

	for (array = 0; !err && array < end; array++)
		err = PTR_ERR_OR_ZERO(page_bring(file, array, nr));
	return err;
}

/* Get page @at of an array for a mapping, and add it if it is missing. Returns it or an ERR_PTR. */
struct page *wheel_file_array_page(struct wheel_file *file, enum wheel_array array, u32 at)
{
	void *page = page_bring(file, array, at * arrays[array].slots);

	return IS_ERR(page) ? ERR_CAST(page) : virt_to_page(page);
}
