// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a large memory: few objects for the page allocator, and points at which others can run.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "engine.h"

/*
 * The smallest pages that the allocator does not keep on a list per CPU. It frees up to 2,016 pages
 * of that list at once, with interrupts disabled.
 */
#define BLOCK_ORDER	(PAGE_ALLOC_COSTLY_ORDER + 1)

bool wheel_killed(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/*
 * Allocate up to @most pages: a block, or a single page if memory is fragmented. For a block, no
 * memory is reclaimed or compacted, whose time has no limit.
 */
static struct page *block_alloc(unsigned int most, gfp_t gfp)
{
	gfp_t cheap = (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN;
	struct page *block = NULL;

	if (most >= 1U << BLOCK_ORDER)
		block = alloc_pages(cheap, BLOCK_ORDER);
	return block ?: alloc_page(gfp);
}

/*
 * Allocate @count pages. Returns an array that ends with NULL, or NULL on failure and if a fatal
 * signal is pending.
 */
struct page **wheel_pages_alloc(unsigned int count, gfp_t gfp)
{
	struct page **pages = kvcalloc(count + 1, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	unsigned int n = 0, end;
	struct page *block;

	while (pages && n < count && !wheel_killed()) {
		block = block_alloc(count - n, gfp);
		if (!block)
			break;
		for (end = n + compound_nr(block); n < end; n++)
			pages[n] = block++;
	}
	if (n == count)
		return pages;
	wheel_pages_free(pages);
	return NULL;
}

/* Free pages that are no longer mapped, or NULL. */
void wheel_pages_free(struct page **pages)
{
	struct page **at = pages;
	unsigned int order;

	while (at && *at) {
		order = compound_order(*at);
		__free_pages(*at, order);
		at += 1 << order;
		cond_resched();
	}
	kvfree(pages);
}
