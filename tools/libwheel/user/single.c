// SPDX-License-Identifier: MIT
/*
 * Single operations. During a lull, and for deadlines after its end, they need no clock read,
 * no batch and no timerfd. There are three levels; each passes an operation that it cannot
 * complete to the next one:
 *
 *	usual_*()	do not wait for the lock: leaf functions
 *	user_*()	wait for the lock
 *	op_*()		execute a batch of one, which reads the clock and expires due timers
 *
 * In a child of fork() all of them fail with -ECHILD: no lull lasts there, and they do not wait
 * for the lock, which may never be released.
 */
#include "../ops.h"
#include "plain.h"
#include "user.h"

/* Out of line, so that the fast path saves no registers. */
static noinline int arm_in_time(struct user *u, __u64 id, __u64 when, __u64 cookie)
{
	lock_release(&u->lock);
	return op_arm(&u->handle, id, when, cookie);
}

/* Called with the lock held; releases it. */
static __always_inline int arm(struct user *u, __u64 id, __u64 when, __u64 cookie)
{
	if (unlikely(when < u->lull->end || !lull_lasts(u->lull) ||
		     !wheel_plain_arm(&u->slots, &u->wheel, id, when, cookie)))
		return arm_in_time(u, id, when, cookie);
	lock_release(&u->lock);
	return 0;
}

/* libwheel_arm() */
int user_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&u->lock);
	return arm(u, id, when, cookie);
}

/* Fast path of user_arm(). */
int usual_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_arm(handle, id, when, cookie);
	return arm(u, id, when, cookie);
}

/* libwheel_arm_in() */
int user_arm_in(struct handle *handle, __u64 id, __u64 delay, __u64 cookie)
{
	u64 now;

	if (handle->setup.clock != WHEEL_CLOCK_MONOTONIC)
		return op_arm_in(handle, id, delay, cookie);
	now = clock_read(WHEEL_CLOCK_MONOTONIC);
	if (delay > WHEEL_MAX_TIME - now)
		return op_arm_in(handle, id, delay, cookie);
	return handle->backend->arm(handle, id, now + delay, cookie);
}

static noinline int rearm_in_time(struct user *u, __u64 id, __u64 when)
{
	lock_release(&u->lock);
	return op_rearm(&u->handle, id, when);
}

static __always_inline int rearm(struct user *u, __u64 id, __u64 when)
{
	if (unlikely(when < u->lull->end || !lull_lasts(u->lull) ||
		     !wheel_plain_rearm(&u->slots, &u->wheel, id, when)))
		return rearm_in_time(u, id, when);
	lock_release(&u->lock);
	return 0;
}

/* libwheel_rearm() */
int user_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct user *u = user_of(handle);

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&u->lock);
	return rearm(u, id, when);
}

/* Fast path of user_rearm(). */
int usual_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_rearm(handle, id, when);
	return rearm(u, id, when);
}

static noinline int cancel_in_time(struct user *u, __u64 id)
{
	lock_release(&u->lock);
	return op_cancel(&u->handle, id);
}

static __always_inline int cancel(struct user *u, __u64 id)
{
	if (unlikely(!lull_lasts(u->lull) ||
		     !wheel_plain_cancel(&u->slots, &u->wheel, id)))
		return cancel_in_time(u, id);
	lock_release(&u->lock);
	return 0;
}

/* libwheel_cancel() */
int user_cancel(struct handle *handle, __u64 id)
{
	struct user *u = user_of(handle);

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&u->lock);
	return cancel(u, id);
}

/* Fast path of user_cancel(). */
int usual_cancel(struct handle *handle, __u64 id)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_cancel(handle, id);
	return cancel(u, id);
}
