// SPDX-License-Identifier: MIT
/*
 * Passes: what has become due fires, which means that its event can be taken.
 */
#include "user.h"

/* What the wheel may look at in one go; it is told to go on at once. */
#define BUDGET	4096

/**
 * user_now - read the wheel's clock
 * @u: wheel, locked if the clock is VIRTUAL
 *
 * Return: nanoseconds.
 */
u64 user_now(const struct user *u)
{
	return is_virtual(u) ? u->virtual_now :
			       clock_read(u->handle.setup.clock);
}

static void fire(struct user *u, struct slot *slot, u64 deadline, u64 now)
{
	u->counts.fired++;
	u->counts.late[ilog2((now - deadline) | 1)]++;
	slot->timer.deadline = deadline;
	slot->timer.fired = now;
	slot->state = SLOT_FIRED;
	slot->seq = u->seq++;
	queue_push(u, &u->fired, slot);
}

static void expire_touched(struct user *u, struct slot *slot, u64 now)
{
	u64 due = wheel_time_of(&u->core, slot->timer.due_tick);
	u64 deadline;

	switch (touch_judge(u, slot, due, &deadline)) {
	case FIRE:
		fire(u, slot, deadline, now);
		break;
	case RECLAIM:
		u->counts.cancelled++;
		slot_free(u, slot);
		break;
	case REFILE:
		u->counts.requeued++;
		wheel_requeue(&u->core, &slot->timer, deadline);
		break;
	}
}

static void expire(struct user *u, struct slot *slot, u64 now)
{
	if (slot->touch)
		expire_touched(u, slot, now);
	else
		fire(u, slot, slot->timer.deadline, now);
}

/**
 * user_pass - let everything fire that is due
 * @u: wheel, locked
 * @now: its clock
 */
void user_pass(struct user *u, u64 now)
{
	u64 tick = wheel_tick_at(&u->core, now);
	struct wheel_timer *timer;
	unsigned int budget;

	u->counts.passes++;
	do {
		budget = BUDGET;
		timer = wheel_pop(&u->core, tick, &budget);
		if (timer)
			expire(u, slot_of(timer), now);
	} while (timer || !budget);
}

static bool due(const struct user *u, u64 now)
{
	return u->core.pending &&
	       u->core.next <= wheel_tick_at(&u->core, now);
}

/**
 * user_enter - a function of the library begins
 * @u: wheel; locked when this returns
 *
 * Return: the clock, from which the whole call counts.
 */
u64 user_enter(struct user *u)
{
	u64 now;

	pthread_mutex_lock(&u->lock);
	now = user_now(u);
	if (due(u, now))
		user_pass(u, now);
	return now;
}

/**
 * user_leave - a function of the library ends
 * @u: wheel, unlocked when this returns
 * @now: what user_enter() returned
 */
void user_leave(struct user *u, u64 now)
{
	watch_sooner(u, now);
	pthread_mutex_unlock(&u->lock);
}

/**
 * tell_time - tell the wheel the time before a timer is filed
 * @u: wheel, locked
 * @now: its clock
 *
 * An idle wheel catches up, a bounded one counts its span from here, and a clock
 * that was set back is followed.
 */
void tell_time(struct user *u, u64 now)
{
	u64 tick = wheel_tick_at(&u->core, now);

	if (is_settable(u))
		wheel_set_back(&u->core, tick);
	wheel_forward(&u->core, tick);
}
