// SPDX-License-Identifier: MIT
/*
 * Single operations. During a lull, and for deadlines after its end, they need no clock read,
 * no batch and no timerfd. They save three quarters of the instructions of a batch of one, which
 * is executed if an operation cannot be completed in this way, or if the lock is not free.
 *
 * In a child of fork() no lull lasts, so the batch is executed, and fails with -ECHILD.
 */
#include "plain.h"
#include "user.h"

/* True if no timer is due before an operation that takes effect at @when. */
static __always_inline bool in_lull(const struct user *u, u64 when)
{
	return likely(when >= u->lull->end && lull_lasts(u->lull));
}

/* Not inlined, like the functions below, so that the fast path saves no registers. */
static noinline int arm_slow(struct user *u, u64 id, u64 when, u64 cookie)
{
	lock_release(&u->lock);
	return op_arm(&u->handle, id, when, cookie);
}

/* libwheel_arm() */
int user_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return op_arm(handle, id, when, cookie);
	if (unlikely(!in_lull(u, when) ||
		     !wheel_plain_arm(&u->slots, &u->wheel, id, when, cookie)))
		return arm_slow(u, id, when, cookie);
	lock_release(&u->lock);
	return 0;
}

static noinline int rearm_slow(struct user *u, u64 id, u64 when)
{
	lock_release(&u->lock);
	return op_rearm(&u->handle, id, when);
}

/* libwheel_rearm() */
int user_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return op_rearm(handle, id, when);
	if (unlikely(!in_lull(u, when) || !wheel_plain_rearm(&u->slots, &u->wheel, id, when)))
		return rearm_slow(u, id, when);
	lock_release(&u->lock);
	return 0;
}

static noinline int rearm_or_arm_slow(struct user *u, uint64_t *id, u64 when, u64 cookie)
{
	lock_release(&u->lock);
	return op_rearm_or_arm(&u->handle, id, when, cookie);
}

/* libwheel_rearm_or_arm() */
int user_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);
	u64 next = *id + WHEEL_ID(0, 1);

	if (unlikely(!lock_try(&u->lock)))
		return op_rearm_or_arm(handle, id, when, cookie);
	if (unlikely(!in_lull(u, when)))
		return rearm_or_arm_slow(u, id, when, cookie);
	if (!wheel_plain_rearm(&u->slots, &u->wheel, *id, when)) {
		if (unlikely(!wheel_plain_arm(&u->slots, &u->wheel, next, when, cookie)))
			return rearm_or_arm_slow(u, id, when, cookie);
		*id = next;
	}
	lock_release(&u->lock);
	return 0;
}

static noinline int cancel_slow(struct user *u, u64 id)
{
	lock_release(&u->lock);
	return op_cancel(&u->handle, id);
}

/* libwheel_cancel() */
int user_cancel(struct handle *handle, __u64 id)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return op_cancel(handle, id);
	if (unlikely(!lull_lasts(u->lull) || !wheel_plain_cancel(&u->slots, &u->wheel, id)))
		return cancel_slow(u, id);
	lock_release(&u->lock);
	return 0;
}
