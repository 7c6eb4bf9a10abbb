// SPDX-License-Identifier: MIT
/*
 * Operations one by one, without a clock, a batch or a timerfd where they need none: in a
 * lull, and for no time before its end.
 *
 *	usual_*()	wait for nobody, and have the hierarchical wheel compiled in: a
 *			function that calls nothing
 *	user_*()	wait for the lock, and call any scheme
 *	op_*()		are a batch of one, which reads the clock and lets fire what is due
 *
 * Each leaves to the next what it cannot do. In a child of fork() that is all of it: there no
 * lull lasts, and a lock may be held for ever.
 */
#include "../ops.h"
#include "plain.h"
#include "user.h"

/* Rare cases stay apart: the usual one saves no registers for their calls. */
static noinline int arm_in_time(struct user *u, uint64_t *id, __u64 when, __u64 cookie)
{
	lock_release(&u->lock);
	return op_arm(&u->handle, id, when, cookie);
}

/* With the lock, which is let go. */
static __always_inline int arm(struct user *u, const struct wheel_scheme *scheme,
			       uint64_t *id, __u64 when, __u64 cookie)
{
	if (unlikely(when < u->lull->end || !lull_lasts(u->lull) ||
		     !wheel_plain_arm(&u->slots, &u->wheel, scheme, *id, when, cookie)))
		return arm_in_time(u, id, when, cookie);
	lock_release(&u->lock);
	return 0;
}

/**
 * user_arm - libwheel_arm()
 * @handle: of a wheel
 * @id: timer
 * @when: time of the wheel's clock
 * @cookie: the program's
 *
 * Return: as WHEEL_OP_ARM.
 */
int user_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);

	if (!*handle->ours || wheel_slots_any(&u->slots))
		return op_arm(handle, id, when, cookie);
	lock_take(&u->lock);
	return arm(u, u->wheel.core.scheme, id, when, cookie);
}

/* The same, as usual. */
int usual_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_arm(handle, id, when, cookie);
	return arm(u, &wheel_hierarchical, id, when, cookie);
}

/**
 * user_arm_in - libwheel_arm_in()
 * @handle: of a wheel
 * @id: timer
 * @delay: nanoseconds from now on
 * @cookie: the program's
 *
 * Return: as WHEEL_OP_ARM with WHEEL_OP_REL.
 */
int user_arm_in(struct handle *handle, uint64_t *id, __u64 delay, __u64 cookie)
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

static __always_inline int rearm(struct user *u, const struct wheel_scheme *scheme,
				 __u64 id, __u64 when)
{
	if (unlikely(when < u->lull->end || !lull_lasts(u->lull) ||
		     !wheel_plain_rearm(&u->slots, &u->wheel, scheme, id, when)))
		return rearm_in_time(u, id, when);
	lock_release(&u->lock);
	return 0;
}

/**
 * user_rearm - libwheel_rearm()
 * @handle: of a wheel
 * @id: timer
 * @when: time of the wheel's clock
 *
 * Return: as WHEEL_OP_REARM.
 */
int user_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct user *u = user_of(handle);

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&u->lock);
	return rearm(u, u->wheel.core.scheme, id, when);
}

/* The same, as usual. */
int usual_rearm(struct handle *handle, __u64 id, __u64 when)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_rearm(handle, id, when);
	return rearm(u, &wheel_hierarchical, id, when);
}

static noinline int cancel_in_time(struct user *u, __u64 id)
{
	lock_release(&u->lock);
	return op_cancel(&u->handle, id);
}

static __always_inline int cancel(struct user *u, const struct wheel_scheme *scheme,
				  bool any, __u64 id)
{
	if (unlikely(!lull_lasts(u->lull) ||
		     !wheel_plain_cancel(&u->slots, &u->wheel, scheme, any, id)))
		return cancel_in_time(u, id);
	lock_release(&u->lock);
	return 0;
}

/**
 * user_cancel - libwheel_cancel()
 * @handle: of a wheel
 * @id: timer
 *
 * Return: as WHEEL_OP_CANCEL.
 */
int user_cancel(struct handle *handle, __u64 id)
{
	struct user *u = user_of(handle);

	if (!*handle->ours)
		return -ECHILD;
	lock_take(&u->lock);
	return cancel(u, u->wheel.core.scheme, wheel_slots_any(&u->slots), id);
}

/* The same, as usual. */
int usual_cancel(struct handle *handle, __u64 id)
{
	struct user *u = user_of(handle);

	if (unlikely(!lock_try(&u->lock)))
		return user_cancel(handle, id);
	return cancel(u, &wheel_hierarchical, false, id);
}
