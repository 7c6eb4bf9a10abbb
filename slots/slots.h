/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Timers of a program: the table of slots, the operations on them, and their events. This directory
 * is compiled into both /dev/wheel and libwheel; env.h and verbs.h contain the differences.
 *
 *	op -> event -> scan -> word <- slot
 *
 * Nothing here locks, sleeps, allocates or accesses user memory. wheel_lock() protects the table
 * as well as the wheel. The caller must hold it where a function requires a locked table.
 *
 * The slot of an expired timer stores its event until the event is consumed. Events are
 * therefore never lost because of a failed allocation.
 */
#ifndef _WHEEL_SLOTS_H
#define _WHEEL_SLOTS_H

#include "scan.h"

/* Clearing an array on the stack (CONFIG_INIT_STACK_ALL_*) takes longer than filling one entry. */
#if __has_attribute(__uninitialized__)
#define WHEEL_FILLED_LATER	__attribute__((__uninitialized__))
#else
#define WHEEL_FILLED_LATER
#endif

enum wheel_slot_state {
	WHEEL_SLOT_FREE,
	WHEEL_SLOT_ARMED,	/* pending; with a word, possibly parked */
	WHEEL_SLOT_FIRED,	/* expired, event not yet consumed */
	WHEEL_SLOT_STOPPED,	/* was pending when the wheel was stopped */
	WHEEL_SLOT_DISARMED,	/* with a word, not queued; if it is armed, a scan detects it */
};

/**
 * struct wheel_slot - Timer of a program: the 64 bytes that most operations access
 * @timer: timer of the wheel. Its callback is not used; the members from @state to @seq are in its
 *	place; its node links the slots with unread events
 * @state: enum wheel_slot_state; in state FREE, all bits below are 0
 * @word: true if the timer has a word, so that the slot belongs to the program until CANCEL
 * @ended: true if cancelled while its event was unread, so that no period follows
 * @again: true if periodic and at least one event was consumed
 * @periodic: true if the period is not 0
 * @has_slack: true if the slack is not 0
 * @seq: number of its last event
 * @seen: low 32 bits of the deadline that the last scan read, in state DISARMED. Before the first
 *	scan any value: if it is equal by chance, the timer is queued one scan earlier
 * @id: WHEEL_ID() of the last arm
 */
struct wheel_slot {
	union {
		struct wheel_timer	timer;
		struct {
			/* private: the members of @timer before its callback */
			u8		before[offsetof(struct wheel_timer, function)];
			/* public: */
			u32		state : 3;
			u32		word : 1;
			u32		ended : 1;
			u32		again : 1;
			u32		periodic : 1;
			u32		has_slack : 1;
			union {
				u32	seq;
				u32	seen;
			};
		};
	};
	u64				id;
};

static_assert(sizeof(struct wheel_slot) == 64, "a slot is one cache line");
static_assert(offsetof(struct wheel_slot, seq) + sizeof(u32) == offsetof(struct wheel_timer, base),
	      "the members from state to seq are in the place of the callback");

/**
 * struct wheel_params - Parameters of the last arm of a slot, which few operations access
 * @cookie: the program's cookie, copied to the event
 * @period: period in nanoseconds, 0 for a one-shot timer
 * @slack: slack in nanoseconds
 * @missed: number of periods missed before the cancel; valid only while @ended
 */
struct wheel_params {
	u64	cookie;
	u64	period;
	u64	slack;
	u64	missed;
};

#define WHEEL_SLOTS_PER_PAGE	((u32)(WHEEL_SLOT_PAGE / sizeof(struct wheel_slot)))
#define WHEEL_PARAMS_PER_PAGE	((u32)(WHEEL_SLOT_PAGE / sizeof(struct wheel_params)))

/**
 * struct wheel_slots - Table of slots
 * @wheel: wheel of the timers; constant after setup, like @setup, @longest, @pages,
 *	@params and @words
 * @setup: effective configuration
 * @longest: longest period with which a timer can be armed again, however late its event is
 *	read
 * @pages: pages of slots; each is added when one of its slots is first armed
 * @params: pages of parameters; each is added before the first of its slots
 * @words: pages of words, each added when first needed; NULL without WHEEL_SETUP_WORDS
 * @scanner: scans for timers that the program has armed
 * @taken: number of events that the program has taken from its completion ring, written by
 *	the program; NULL without a ring
 * @fired: slots with unread events, oldest first
 * @unread: number of these slots
 * @seq: number of the next event
 * @stopping: true if nothing can be armed any longer
 * @stopped_at: time at which the wheel was stopped, WHEEL_NEVER if it was not
 * @overruns: number of missed periods
 * @refused: number of arms that failed with EDQUOT, ERANGE or ESHUTDOWN
 * @consumed: number of events that were read or were put into the completion ring
 */
struct wheel_slots {
	struct wheel		*wheel;
	struct wheel_setup	setup;
	u64			longest;
	struct wheel_slot	**pages;
	struct wheel_params	**params;
	u64			**words;
	struct wheel_scanner	scanner;
	const u32		*taken;
	struct list_head	fired;
	u32			unread;
	u32			seq;
	bool			stopping;
	u64			stopped_at;
	u64			overruns;
	u64			refused;
	u64			consumed;
};

void wheel_slots_init(struct wheel_slots *slots);
void wheel_slots_stop(struct wheel_slots *slots, u64 now);
void wheel_slot_page_init(const struct wheel_slots *slots, struct wheel_slot *page, u32 nr);
bool wheel_word_pending(const struct wheel_slots *slots, const struct wheel_slot *slot,
			u64 *deadline);
bool wheel_slot_describe(const struct wheel_slots *slots,
			 const struct wheel_slot *slot, struct wheel_op *op);

static inline u32 wheel_slot_nr(const struct wheel_slot *slot)
{
	return WHEEL_ID_SLOT(slot->id);
}

static inline struct wheel_slot *wheel_slot_of(struct wheel_timer *timer)
{
	return container_of(timer, struct wheel_slot, timer);
}

/*
 * Find a slot by an id that was not validated, regardless of the generation, in a table of @timers
 * slots in @pages. Returns @none if the number is out of range or the page does not exist, because
 * none of its slots was ever armed.
 */
static inline struct wheel_slot *wheel_slot_in(struct wheel_slot **pages, u32 timers, u64 id,
					       struct wheel_slot *none)
{
	u32 nr = WHEEL_ID_SLOT(id);
	struct wheel_slot *page;

	if (unlikely(nr >= timers))
		return none;
	nr = array_index_nospec(nr, timers);
	/* Pairs with the release that publishes the page: slots and parameters are initialized. */
	page = smp_load_acquire(&pages[nr / WHEEL_SLOTS_PER_PAGE]);
	return likely(page) ? page + nr % WHEEL_SLOTS_PER_PAGE : none;
}

/* Find a slot by an id or by its number. Returns NULL if its page does not exist. */
static inline struct wheel_slot *wheel_slot_named(const struct wheel_slots *slots, u64 id)
{
	return wheel_slot_in(slots->pages, slots->setup.timers, id, NULL);
}

/* Return the parameters of a slot. */
static inline struct wheel_params *wheel_params(const struct wheel_slots *slots,
						const struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	return READ_ONCE(slots->params[nr / WHEEL_PARAMS_PER_PAGE]) + nr % WHEEL_PARAMS_PER_PAGE;
}

/* Check whether a timer is pending, and get its deadline. */
static inline bool wheel_slot_pending(const struct wheel_slots *slots,
				      const struct wheel_slot *slot, u64 *deadline)
{
	if (unlikely(slot->state != WHEEL_SLOT_ARMED || slot->word))
		return wheel_word_pending(slots, slot, deadline);
	*deadline = wheel_timer_deadline(&slot->timer);
	return wheel_timer_pending(&slot->timer);
}

/* Check that a timer is armed without special properties except slack: one test of one byte. */
static inline bool wheel_slot_simple(const struct wheel_slot *slot)
{
	return slot->state == WHEEL_SLOT_ARMED && !slot->word && !slot->ended && !slot->again;
}

/* Return 0 if @id may be armed in @slot. */
static inline int wheel_slot_permits(const struct wheel_slot *slot, u64 id)
{
	if (unlikely(slot->state != WHEEL_SLOT_FREE))
		return -EBUSY;
	return likely(id > slot->id) ? 0 : -ESTALE;
}

/* Store the parameters of an arm operation. The caller has set the state. */
static inline void wheel_slot_armed(struct wheel_slots *slots, struct wheel_slot *slot, u64 id,
				    u64 cookie, u64 period, u64 slack)
{
	struct wheel_params *params = wheel_params(slots, slot);

	params->cookie = cookie;
	params->period = period;
	params->slack = slack;
	slot->id = id;
	slot->periodic = !!period;
	slot->has_slack = !!slack;
	trace_wheel_dev_arm(slots, slot);
}

/* Free a slot that is neither pending nor in a queue, so that it can be armed again. */
static inline void wheel_slot_free(struct wheel_slot *slot)
{
	slot->state = WHEEL_SLOT_FREE;
	slot->word = false;
	slot->ended = false;
	slot->again = false;
	slot->periodic = false;
	slot->has_slack = false;
}

/* setup.c: the configuration of the table and of its wheel */
int wheel_setup_check(const struct wheel_setup *setup);
void wheel_setup_resolve(struct wheel_setup *setup);

/* op.c: operations and their results */

/*
 * Internal result, never returned to a program: the caller must add a page with no lock held, and
 * then repeat the operation.
 */
#define WHEEL_NEEDS_PAGE	(-EAGAIN)

/**
 * struct wheel_batch - State of a batch of operations in one call
 * @slots: table that is set up
 * @now: time of the clock, which is read once per call
 * @failed: number of operations that failed
 * @has_results: true if an operation was modified and must be copied back to the caller
 * @slot: slot of a single operation
 */
struct wheel_batch {
	struct wheel_slots	*slots;
	u64			now;
	u32			failed;
	bool			has_results;
	struct wheel_slot	*slot;
};

u32 wheel_ops_execute(struct wheel_batch *b, struct wheel_op *ops, u32 from, u32 count);
void wheel_op_complete(struct wheel_batch *b, struct wheel_op *op, int res);

#endif
