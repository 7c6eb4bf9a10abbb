/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The contract of a program's timers: a table of slots, what may be asked of each,
 * and what an event says. One source for /dev/wheel and for libwheel's wheel in the
 * program; each brings its surroundings along in headers of its own, slots_env.h and
 * verbs_env.h.
 *
 *	op -> keep -> look -> bell -> word -> slot <- event
 *	  \-> touch -> word
 *
 * Nothing here locks, sleeps, allocates or accesses user memory. The caller holds the lock of
 * the wheel, wheel_lock(), which protects the table as well.
 *
 * A timer that fired is the storage of its own event until that is consumed, which is
 * why no event can be lost for want of memory.
 */
#ifndef _WHEEL_SLOTS_H
#define _WHEEL_SLOTS_H

#include "slots_env.h"

/*
 * Of a variable that is filled before it is read: the compiler shall not clear it, as kernels
 * have it do with what lies on the stack. To clear room for a handful of events takes longer
 * than to describe one.
 */
#if __has_attribute(__uninitialized__)
#define WHEEL_FILLED_LATER	__attribute__((__uninitialized__))
#else
#define WHEEL_FILLED_LATER
#endif

enum wheel_slot_state {
	WHEEL_SLOT_FREE,
	WHEEL_SLOT_ARMED,	/* pending; or touched, parked and not reclaimed */
	WHEEL_SLOT_FIRED,	/* its event is unread */
	WHEEL_SLOT_STOPPED,	/* was pending when the wheel was stopped */
	WHEEL_SLOT_TAKEN,	/* the same, and LIST is copying it */
	WHEEL_SLOT_RESTING,	/* kept, and not filed: the program may arm it */
};

/**
 * struct wheel_slot - a timer of a program
 * @timer: what the wheel knows of it
 * @id: WHEEL_ID() of the last arm
 * @cookie: the program's
 * @period: nanoseconds; 0: once
 * @slack: nanoseconds
 * @missed: when @ended, the periods that were missed until then
 * @next: in a queue of slots, the number of the next one
 * @state: enum wheel_slot_state; FREE: none of the following bits is set
 * @touch: its word is its deadline; constant while it is pending
 * @keep: the same, and it stays the program's when it has fired or is parked
 * @ended: cancelled with an event unread: its periods are over
 * @again: periodic, and an event of it was consumed
 * @seq: the number of its last event
 * @seen: while it rests, the low half of the deadline in its word at the last look
 */
struct wheel_slot {
	struct wheel_timer	timer;
	u64			id;
	u64			cookie;
	u64			period;
	union {
		u64		slack;
		u64		missed;
	};
	u32			next : WHEEL_SLOT_BITS;
	u32			state : 4;
	u32			touch : 1;
	u32			keep : 1;
	u32			ended : 1;
	u32			again : 1;
	union {
		u32		seq;
		u32		seen;
	};
};

/**
 * struct wheel_slot_queue - slots in a row, linked by number
 * @head: the first, if @count
 * @tail: the last, if @count
 * @count: how many
 */
struct wheel_slot_queue {
	u32	head;
	u32	tail;
	u32	count;
};

/**
 * struct wheel_keep - what we know of kept timers that are not filed
 * @next_wake: what the program is told of @next
 * @bells: pages of doorbells, a bit a slot, each there when it was first needed
 * @summary: pages of their summary, a bit for each u64 of @bells
 * @next: the time of the next look; WHEEL_NEVER: none but by a kick
 * @ahead: how far ahead the program arms its timers, as we have learned
 * @begun: looks
 * @looking: one is under way, whose are the following
 * @found: it has found a timer that is armed
 * @earliest: the earliest deadline that it has found, and that has not come
 * @at: the next u64 of @summary to take
 * @leaves: of the one before, the bits that were taken and are not dealt with
 * @leaf: the u64 of @bells that was taken last
 * @bits: of it, the bits that are not dealt with
 * @unsure: in so many u64s of @bells, the first ones, a program may have died before it set a bit
 */
struct wheel_keep {
	u64	*next_wake;
	u64	**bells;
	u64	**summary;
	u64	next;
	u64	ahead;
	u64	begun;
	bool	looking;
	bool	found;
	u64	earliest;
	u32	at;
	u64	leaves;
	u32	leaf;
	u64	bits;
	u32	unsure;
};

/**
 * struct wheel_slots - a table of slots
 * @wheel: the wheel of its timers; like @setup, @longest, @pages and @words constant
 *	once it is set
 * @setup: what is in force
 * @longest: period with which a timer goes on, however late its event is read
 * @pages: of slots, each there when a slot of it was first armed
 * @words: pages of touch words, each there when it was first needed; or NULL
 * @keep: kept timers
 * @taken: how many events the program has taken from its completion ring; or NULL
 * @fired: slots whose events are unread, the oldest first
 * @free: slots that can be picked again, with WHEEL_SETUP_ANY_SLOT
 * @next_unused: the first slot that was never picked
 * @reclaimed: slots of parked timers, to go to @free
 * @seq: number of the next event
 * @stopping: nothing can be armed any more
 * @stopped_at: the clock when the wheel was stopped, WHEEL_NEVER: it was not
 * @overruns: periods missed
 * @refused: arms refused
 * @consumed: events that were read, or put into the completion ring
 */
struct wheel_slots {
	struct wheel		*wheel;
	struct wheel_setup	setup;
	u64			longest;
	struct wheel_slot	**pages;
	u64			**words;
	struct wheel_keep	keep;
	const u32		*taken;
	struct wheel_slot_queue	fired;
	struct wheel_slot_queue	free;
	u32			next_unused;
	struct wheel_slot_queue	reclaimed;
	u32			seq;
	bool			stopping;
	u64			stopped_at;
	u64			overruns;
	u64			refused;
	u64			consumed;
};

#define WHEEL_SLOTS_PER_PAGE	((u32)(WHEEL_SLOT_PAGE / sizeof(struct wheel_slot)))

void wheel_slots_init(struct wheel_slots *slots);
void wheel_slots_stop(struct wheel_slots *slots, u64 now);
void wheel_slot_page_init(const struct wheel_slots *slots,
			  struct wheel_slot *page, u32 nr);
void wheel_slot_push(struct wheel_slots *slots, struct wheel_slot_queue *queue,
		     struct wheel_slot *slot);
void wheel_slot_unpop(struct wheel_slot_queue *queue, struct wheel_slot *slot);
struct wheel_slot *wheel_slot_pop(struct wheel_slots *slots,
				  struct wheel_slot_queue *queue);
int wheel_slot_pick(struct wheel_slots *slots);
void wheel_slot_picked(struct wheel_slots *slots);
bool wheel_slot_word_pending(const struct wheel_slots *slots,
			     const struct wheel_slot *slot, u64 *deadline);
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

/* With WHEEL_SETUP_ANY_SLOT we pick the slots. */
static inline bool wheel_slots_any(const struct wheel_slots *slots)
{
	return slots->setup.flags & WHEEL_SETUP_ANY_SLOT;
}

/* wheel_slot_at(), of a table of @timers slots on @pages. */
static inline struct wheel_slot *wheel_slot_on(struct wheel_slot **pages, u32 timers, u32 nr)
{
	struct wheel_slot *page;

	nr = wheel_slots_index(nr, timers);
	/* Pairs with the release of the side that brought the page: it is filled. */
	page = smp_load_acquire(&pages[nr / WHEEL_SLOTS_PER_PAGE]);
	return page ? page + nr % WHEEL_SLOTS_PER_PAGE : NULL;
}

/**
 * wheel_slot_at - find a slot
 * @slots: table that is set up
 * @nr: number below setup.timers
 *
 * Return: the slot, or NULL if its page is not there: it was never armed.
 */
static inline struct wheel_slot *wheel_slot_at(const struct wheel_slots *slots,
					       u32 nr)
{
	return wheel_slot_on(slots->pages, slots->setup.timers, nr);
}

/* wheel_slot_named(), of a table of @timers slots on @pages. */
static inline struct wheel_slot *wheel_slot_within(struct wheel_slot **pages, u32 timers, u64 id)
{
	u32 nr = WHEEL_ID_SLOT(id);

	return likely(nr < timers) ? wheel_slot_on(pages, timers, nr) : NULL;
}

/**
 * wheel_slot_named - find the slot whose number an id has, whatever its generation
 * @slots: table that is set up
 * @id: what a program says is one
 *
 * Return: the slot, or NULL if there is no such number, or it was never armed.
 */
static inline struct wheel_slot *wheel_slot_named(const struct wheel_slots *slots,
						  u64 id)
{
	return wheel_slot_within(slots->pages, slots->setup.timers, id);
}

/**
 * wheel_slot_of_id - find the slot that a timer's id names now
 * @slots: table, locked
 * @id: WHEEL_ID() of a slot below setup.timers
 *
 * Return: the slot, or NULL if the id is stale or was never used.
 */
static inline struct wheel_slot *wheel_slot_of_id(const struct wheel_slots *slots,
						  u64 id)
{
	struct wheel_slot *slot = wheel_slot_at(slots, WHEEL_ID_SLOT(id));

	if (!slot || slot->id != id || slot->state == WHEEL_SLOT_FREE)
		return NULL;
	return slot;
}

/**
 * wheel_slot_pending - will a timer fire, and when?
 * @slots: table, locked
 * @slot: slot
 * @deadline: set to its deadline if it is pending
 *
 * Return: true if it is pending.
 */
static inline bool wheel_slot_pending(const struct wheel_slots *slots,
				      const struct wheel_slot *slot, u64 *deadline)
{
	if (unlikely(slot->state != WHEEL_SLOT_ARMED || slot->touch))
		return wheel_slot_word_pending(slots, slot, deadline);
	*deadline = wheel_timer_deadline(&slot->timer);
	return wheel_timer_pending(&slot->timer);
}

/*
 * Is a timer pending, and nothing else to be said of it? Asked of all
 * bits of its state, since they are one byte.
 */
static inline bool wheel_slot_simple(const struct wheel_slot *slot)
{
	return slot->state == WHEEL_SLOT_ARMED && !slot->touch && !slot->keep &&
	       !slot->ended && !slot->again;
}

/* A timer was armed: what its slot keeps of the operation. Its state is the caller's. */
static inline void wheel_slot_armed(struct wheel_slot *slot, u64 id, u64 cookie,
				    u64 period, u64 slack)
{
	slot->id = id;
	slot->cookie = cookie;
	slot->period = period;
	slot->slack = slack;
}

/* A timer is over. Its slot can be armed anew, if the program names it. */
static inline void wheel_slot_over(struct wheel_slot *slot)
{
	slot->state = WHEEL_SLOT_FREE;
	slot->touch = false;
	slot->keep = false;
	slot->ended = false;
	slot->again = false;
}

/**
 * wheel_slot_free - a timer is over, its slot can be armed anew
 * @slots: table, locked
 * @slot: slot that is neither pending nor queued
 */
static inline void wheel_slot_free(struct wheel_slots *slots,
				   struct wheel_slot *slot)
{
	wheel_slot_over(slot);
	/* After its last generation a slot has no id left that was never used. */
	if (unlikely(wheel_slots_any(slots)) && WHEEL_ID_GEN(~slot->id))
		wheel_slot_push(slots, &slots->free, slot);
}

#endif
