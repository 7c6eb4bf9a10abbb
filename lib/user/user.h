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
 *	    \-> private -> lazy, watch
 *
 * One lock per wheel protects everything except the words, doorbells and summary.
 *
 * A set of timeouts with private words has no struct user: see private.c.
 */
#ifndef LIBWHEEL_USER_H
#define LIBWHEEL_USER_H

#include "../../slots/slots.h"
#include "../handle.h"
#include "engine.h"
#include "lock.h"
#include "lull.h"
#include "watch.h"

/**
 * struct user - a wheel of the user backend
 * @handle: its handle
 * @lock: protects the following members
 * @lull: the current lull; it has ended in a child of fork()
 * @wheel: the wheel
 * @slots: its timers
 * @stopped: true after libwheel_stop(): no timer expires
 * @watch: its descriptor
 */
struct user {
	struct handle handle;
	struct lock lock;
	struct lull *lull;
	struct wheel wheel;
	struct wheel_slots slots;
	bool stopped;
	struct watch watch;
};

/* commands.c */
void user_enter(struct user *u);
void user_leave(struct user *u);
int user_command(struct handle *handle, unsigned long command, void *arg);
int user_take(struct handle *handle, struct wheel_event *events, u32 count);
__u64 user_next(struct handle *handle);
void user_expire(struct handle *handle, __u64 now);

/* single.c */
int user_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie);
int user_rearm(struct handle *handle, __u64 id, __u64 when);
int user_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie);
int user_cancel(struct handle *handle, __u64 id);

/* end.c */
int user_stop(struct user *u, struct wheel_stop *stop);
int user_list(struct user *u, struct wheel_list *list);

/* words.c */
int words_set(u64 *words, size_t count, u64 word);

/* private.c */
int private_open(struct handle **handle, const struct wheel_setup *setup, u32 mode);

static inline struct user *user_of(struct handle *handle)
{
	return container_of(handle, struct user, handle);
}

/* Open the descriptor of a handle, unless @mode has LIBWHEEL_NO_FD. Returns 0 or -errno. */
static inline int user_watch(struct watch *watch, struct handle *handle, u32 mode)
{
	int err;

	if (mode & LIBWHEEL_NO_FD)
		return 0;
	err = watch_open(watch, handle->setup.clock);
	if (!err)
		handle->fd = watch->fd;
	return err;
}

/* True if the wheel has words, which must be scanned. */
static inline bool has_words(const struct user *u)
{
	return u->handle.wheel.timers;
}

static inline bool is_virtual(const struct user *u)
{
	return u->handle.setup.clock == WHEEL_CLOCK_VIRTUAL;
}

#endif
