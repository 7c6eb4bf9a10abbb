/* SPDX-License-Identifier: MIT */
/*
 * The user backend: slots/ and core/ of the kernel module, compiled for user space, and a
 * timerfd. Instead of in an interrupt, timers expire when the program calls a function: each
 * function first expires the due timers. The timerfd only wakes up the program's event loop.
 *
 *	setup -> end -> commands -> watch

 *	    |                |-----> slots/ -> engine -> wheel
 *	    |                \-----> lock, lull
 *	    |-> single -> plain -> slots/, lock, lull
 *	    \-> private <-> commands, which scans private words
 *
 * One lock per wheel protects everything except the words, doorbells and summary. With private
 * words, libwheel_timeout_start_at() and _stop() do not need it, because no other thread takes it.
 */
#ifndef LIBWHEEL_USER_H
#define LIBWHEEL_USER_H

#include "../../slots/slots.h"
#include "../handle.h"
#include "engine.h"
#include "lock.h"
#include "lull.h"

/**
 * struct user - a wheel of the user backend
 * @handle: its handle
 * @lock: protects the following members, except @mode
 * @mode: LIBWHEEL_NO_FD and PRIVATE_WORDS, or 0; constant
 * @lull: the current lull; it has ended in a child of fork()
 * @wheel: the wheel
 * @slots: its timers
 * @recent: private words: slots whose timers were started, and are not queued yet
 * @recent_count: number of these
 * @recent_first: a time before which they are not due; WHEEL_NEVER if the list is empty
 * @stopped: true after libwheel_stop(): no timer expires
 * @watched: expiry of the timerfd; unused with LIBWHEEL_NO_FD
 */
struct user {
	struct handle handle;
	struct lock lock;
	u32 mode;
	struct lull *lull;
	struct wheel wheel;
	struct wheel_slots slots;
	u32 *recent;
	u32 recent_count;
	u64 recent_first;
	bool stopped;
	u64 watched;
};

/* commands.c */
void user_lock(struct user *u);
void user_enter(struct user *u);
void user_leave(struct user *u);
void user_unlock(struct user *u);
u64 user_next_timer(const struct user *u);
int user_command(struct handle *handle, unsigned long command, void *arg);
int user_take(struct handle *handle, struct wheel_event *events, u32 count);
__u64 user_next(struct handle *handle);
void user_expire(struct handle *handle, __u64 now);

/* single.c */
int user_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie);
int user_rearm(struct handle *handle, __u64 id, __u64 when);
int user_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie);
int user_cancel(struct handle *handle, __u64 id);

/* private.c */
#define PRIVATE_UNQUEUED	(~(u64)0)
/* Number of slots in the list of recent timers. */
#define RECENT			1024

enum wheel_claim private_claim(void *data, struct wheel_timer *timer, u64 due, u64 *deadline);
void private_scan(struct user *u);
int private_start(struct handle *handle, __u32 nr, __u64 deadline);
int private_stop(struct handle *handle, __u32 nr);

/* The cookie is the slot, so the parameters are not read. */
static inline void private_deliver(struct user *u, struct wheel_slot *slot,
				   struct wheel_event *event)
{
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= wheel_slot_nr(slot),
		.deadline	= wheel_timer_deadline(&slot->timer),
		.fired		= wheel_timer_fired(&slot->timer),
		.seq		= slot->seq,
	};
	u->slots.consumed++;
	slot->state = WHEEL_SLOT_DISARMED;
}

/* end.c */
int user_stop(struct user *u, struct wheel_stop *stop);
int user_list(struct user *u, struct wheel_list *list);

/* watch.c */
int watch_open(struct user *u);
void watch_sooner(struct user *u);
void watch_again(struct user *u);
u64 watch_next(const struct user *u);

static inline struct user *user_of(struct handle *handle)
{
	return container_of(handle, struct user, handle);
}

/* True if the wheel has words that are not private, which must be scanned. */
static inline bool has_shared_words(const struct user *u)
{
	return u->handle.wheel.timers;
}

static inline bool is_virtual(const struct user *u)
{
	return u->handle.setup.clock == WHEEL_CLOCK_VIRTUAL;
}

#endif
