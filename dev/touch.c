// SPDX-License-Identifier: GPL-2.0
/*
 * Touch words: deadlines in memory that is shared with the program, which moves
 * them, parks and revives its timers without a call.
 *
 * The program may write anything at any time. Each word is read once for each
 * decision, and a decision is an exchange: who wins it is right. The kernel's
 * exchanges are full barriers. They pair with the program's, whose are acquire
 * and release at least:
 *
 *	the pass			the program
 *
 *	read D: it has passed		read D
 *	exchange D for IDLE		exchange D for D' or PARKED
 *	won: it fires			won: it does not fire
 *	lost: look again		lost, IDLE: it fires, or is gone
 *
 * The words lie in pages that come when they are needed, by an arm or by a fault.
 * They are charged to the opener and live until the file is closed and unmapped.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched/mm.h>
#include "pick.h"
#include "touch.h"

#define WORDS_PER_PAGE	((u32)(PAGE_SIZE / sizeof(u64)))

/* Exchanges that a claim tries; a program that wins them all is looked at later. */
#define TRIES	3

/**
 * touch_table_pages - pages that the words of a file take
 * @timers: slots
 *
 * Return: how many.
 */
u32 touch_table_pages(u32 timers)
{
	return DIV_ROUND_UP(timers, WORDS_PER_PAGE);
}

static struct page *word_page(const struct wheel_file *file, u32 at)
{
	/* Pairs with cmpxchg() in touch_page(): the page is filled. */
	return smp_load_acquire(&file->words[at]);
}

/* All words are IDLE. */
static struct page *page_make(struct wheel_file *file)
{
	struct mem_cgroup *old = set_active_memcg(file->memcg);
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT);

	set_active_memcg(old);
	if (page)
		memset64(page_address(page), WHEEL_TOUCH_IDLE, WORDS_PER_PAGE);
	return page;
}

/**
 * touch_page - bring a page of words
 * @file: file with touch words, not locked
 * @at: which page
 *
 * Return: the page, or NULL: no memory.
 */
struct page *touch_page(struct wheel_file *file, u32 at)
{
	struct page *page = word_page(file, at);
	struct page *other;

	if (page)
		return page;
	page = page_make(file);
	if (!page)
		return NULL;
	/* Somebody else may have been faster. */
	other = cmpxchg(&file->words[at], NULL, page);
	if (!other)
		return page;
	put_page(page);
	return other;
}

/**
 * touch_page_alloc - bring the page of a word
 * @file: file with touch words, not locked
 * @nr: number of the slot
 *
 * Return: 0 or -ENOMEM.
 */
int touch_page_alloc(struct wheel_file *file, u32 nr)
{
	return touch_page(file, nr / WORDS_PER_PAGE) ? 0 : -ENOMEM;
}

/**
 * touch_ready - is the page of a word there?
 * @file: file with touch words
 * @nr: number of the slot
 *
 * Return: true if it is.
 */
bool touch_ready(const struct wheel_file *file, u32 nr)
{
	nr = array_index_nospec(nr, file->setup.timers);
	return word_page(file, nr / WORDS_PER_PAGE);
}

/**
 * touch_pages_free - free all words
 * @file: file with touch words that nobody uses or maps any more
 */
void touch_pages_free(struct wheel_file *file)
{
	u32 i;

	for (i = 0; i < touch_table_pages(file->setup.timers); i++) {
		if (file->words[i])
			put_page(file->words[i]);
		cond_resched();
	}
}

static u64 *word_of(const struct wheel_file *file, u32 nr)
{
	u64 *words;

	nr = array_index_nospec(nr, file->setup.timers);
	words = page_address(word_page(file, nr / WORDS_PER_PAGE));
	return &words[nr % WORDS_PER_PAGE];
}

/**
 * touch_set - a timer is armed
 * @file: file with touch words
 * @nr: number of the slot, whose word is ready
 * @deadline: nanoseconds
 */
void touch_set(const struct wheel_file *file, u32 nr, u64 deadline)
{
	/* Pairs with the program's reading of a word that is not IDLE. */
	smp_store_release(word_of(file, nr), deadline);
}

/**
 * touch_get - read a word, once
 * @file: file with touch words
 * @nr: number of the slot, whose word is ready
 *
 * Return: the word.
 */
u64 touch_get(const struct wheel_file *file, u32 nr)
{
	return READ_ONCE(*word_of(file, nr));
}

/**
 * touch_swap - exchange a word, unless the program was faster
 * @file: file with touch words
 * @nr: number of the slot, whose word is ready
 * @old: what it was
 * @new: what it shall be
 *
 * Return: true if it was @old.
 */
bool touch_swap(const struct wheel_file *file, u32 nr, u64 old, u64 new)
{
	return cmpxchg(word_of(file, nr), old, new) == old;
}

/**
 * touch_end - a timer is over, whatever the program says from now on
 * @file: file with touch words
 * @nr: number of the slot, whose word is ready
 *
 * Return: the word that the program had the last time.
 */
u64 touch_end(const struct wheel_file *file, u32 nr)
{
	return xchg(word_of(file, nr), WHEEL_TOUCH_IDLE);
}

/*
 * A parked timer's time has come. Who arms its slot again finds out by itself; but
 * slots that we pick have to be told of.
 */
static enum wheel_claim gone(struct wheel_file *file, struct slot *slot)
{
	if (picks(file))
		pick_gone(file, slot);
	return WHEEL_GONE;
}

static enum wheel_claim claim_word(struct wheel_file *file, struct slot *slot,
				   u64 due, u64 *deadline)
{
	u32 nr = slot_nr(slot);
	int try;

	for (try = 0; try < TRIES; try++) {
		u64 word = touch_get(file, nr);
		bool parked = touch_parked(word);

		*deadline = word;
		if (!parked && word > due)
			return WHEEL_LATER;
		if (touch_swap(file, nr, word, WHEEL_TOUCH_IDLE))
			return parked ? gone(file, slot) : WHEEL_FIRE;
	}
	*deadline = due + 1;
	return WHEEL_LATER;
}

static enum wheel_claim claim_at_end(struct wheel_file *file,
				     struct slot *slot, u64 *deadline)
{
	u64 word = touch_end(file, slot_nr(slot));

	*deadline = word;
	return touch_parked(word) ? gone(file, slot) : WHEEL_FIRE;
}

/**
 * touch_claim - where the deadline of a timer stands
 * @timer: of a slot
 * @due: as wheel_claim_fn
 * @deadline: as wheel_claim_fn
 *
 * Return: as wheel_claim_fn.
 */
enum wheel_claim touch_claim(struct wheel_timer *timer, u64 due, u64 *deadline)
{
	struct wheel_file *file = wheel_data(wheel_timer_wheel(timer));
	struct slot *slot = container_of(timer, struct slot, timer);

	*deadline = wheel_timer_deadline(timer);
	/* Constant while the timer is pending; its neighbours in the word are not. */
	if (!data_race((bool)slot->touch))
		return WHEEL_FIRE;
	/* Stopped, or at the clock's end: it is not looked at again. */
	if (due >= WHEEL_MAX_TIME)
		return claim_at_end(file, slot, deadline);
	return claim_word(file, slot, due, deadline);
}
