// SPDX-License-Identifier: MIT
/*
 * Touch words: the wheel's side of the protocol. The program may change a word at
 * any moment, lock or no lock, but while it says IDLE; so each change of ours but
 * the first is a compare-and-swap, which one of the two wins.
 */
#include "user.h"

/* How often the program may win before a timer is looked at a tick later. */
#define TRIES	3

static u64 *word_of(const struct user *u, const struct slot *slot)
{
	return &u->handle.wheel.words[WHEEL_ID_SLOT(slot->id)];
}

static u64 word_read(const struct user *u, const struct slot *slot)
{
	return __atomic_load_n(word_of(u, slot), __ATOMIC_ACQUIRE);
}

/**
 * touch_arm - hand a slot's word over to the program
 * @u: wheel
 * @slot: slot that is about to be filed
 * @deadline: its deadline
 */
void touch_arm(struct user *u, const struct slot *slot, u64 deadline)
{
	/* 0 would be parked; nobody tells the first nanosecond from it. */
	__atomic_store_n(word_of(u, slot), deadline ? deadline : 1,
			 __ATOMIC_RELEASE);
}

/**
 * touch_off - take a slot's word back, whatever it says
 * @u: wheel
 * @slot: slot
 *
 * Return: the deadline that it had; 0 if it was parked.
 */
u64 touch_off(struct user *u, const struct slot *slot)
{
	u64 was = __atomic_exchange_n(word_of(u, slot), WHEEL_TOUCH_IDLE,
				      __ATOMIC_ACQ_REL);

	return LIBWHEEL_IS_DEADLINE(was) ? was : 0;
}

/**
 * touch_reclaim - take a slot's word back if it is parked
 * @u: wheel
 * @slot: slot
 *
 * Return: true if it was.
 */
bool touch_reclaim(struct user *u, const struct slot *slot)
{
	u64 was = word_read(u, slot);

	return !LIBWHEEL_IS_DEADLINE(was) &&
	       LIBWHEEL_SWAP(word_of(u, slot), &was, WHEEL_TOUCH_IDLE);
}

/**
 * touch_deadline - a timer's deadline as it stands now
 * @u: wheel
 * @slot: slot that is armed
 *
 * Return: nanoseconds; 0 if it is parked.
 */
u64 touch_deadline(const struct user *u, const struct slot *slot)
{
	u64 word = word_read(u, slot);

	return LIBWHEEL_IS_DEADLINE(word) ? word : 0;
}

/**
 * touch_move - move a timer by its word
 * @u: wheel
 * @slot: slot
 * @deadline: where to
 *
 * Return: true, or false if it is parked.
 */
bool touch_move(struct user *u, const struct slot *slot, u64 deadline)
{
	struct libwheel wheel = u->handle.wheel;

	return !libwheel_touch(&wheel, slot->id, deadline ? deadline : 1);
}

/**
 * touch_judge - the filed time of a timer has come
 * @u: wheel
 * @slot: slot that was popped
 * @due: that time
 * @deadline: set to when it shall fire, or did
 *
 * Return: what becomes of it. If the word does not keep still, it is filed again.
 */
enum verdict touch_judge(struct user *u, const struct slot *slot, u64 due,
			 u64 *deadline)
{
	u64 *word = word_of(u, slot);
	u64 was = word_read(u, slot);
	int i;

	for (i = 0; i < TRIES; i++) {
		*deadline = was;
		if (LIBWHEEL_IS_DEADLINE(was) && was > due)
			return REFILE;
		if (LIBWHEEL_SWAP(word, &was, WHEEL_TOUCH_IDLE))
			return LIBWHEEL_IS_DEADLINE(was) ? FIRE : RECLAIM;
	}
	*deadline = due + 1;
	return REFILE;
}
