// SPDX-License-Identifier: MIT
/*
 * Operations one by one, without a clock, a batch or a timerfd where they need none: in a
 * lull, and for no time before its end.
 */
#include "../ops.h"
#include "plain.h"
#include "user.h"

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
	bool armed;

	lock_take(&u->lock);
	armed = when >= u->lull.end && lull_lasts(&u->lull) &&
		wheel_plain_arm(&u->slots, *id, when, cookie);
	lock_release(&u->lock);
	return likely(armed) ? 0 : op_arm(handle, id, when, cookie);
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
	return user_arm(handle, id, now + delay, cookie);
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
	bool moved;

	lock_take(&u->lock);
	moved = when >= u->lull.end && lull_lasts(&u->lull) &&
		wheel_plain_rearm(&u->slots, id, when);
	lock_release(&u->lock);
	return likely(moved) ? 0 : op_rearm(handle, id, when);
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
	bool cancelled;

	lock_take(&u->lock);
	cancelled = lull_lasts(&u->lull) && wheel_plain_cancel(&u->slots, id);
	lock_release(&u->lock);
	return likely(cancelled) ? 0 : op_cancel(handle, id);
}
