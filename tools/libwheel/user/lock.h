/* SPDX-License-Identifier: MIT */
/*
 * A lock that is two instructions while nobody else wants it: a wheel's operation is
 * shorter than a call of pthread_mutex_lock() and one of pthread_mutex_unlock().
 *
 *	FREE -> HELD -> FREE		one thread
 *	HELD -> AWAITED -> FREE		another one sleeps, and who lets go wakes it
 *
 * A thread that sleeps has said so by an exchange of the word, which the kernel compares
 * before it lets it sleep. So none sleeps beside a lock that is free:
 *
 *	the holder			the other
 *
 *	exchange for FREE		exchange for AWAITED
 *	it was AWAITED: wake one	it was FREE: the lock is taken
 *					it was not: sleep, unless it is AWAITED no more
 *
 * A thread that has slept takes the lock as AWAITED, since others may sleep still.
 */
#ifndef LIBWHEEL_LOCK_H
#define LIBWHEEL_LOCK_H

#include <stdbool.h>
#include <stdint.h>

enum lock_state {
	LOCK_FREE,
	LOCK_HELD,
	LOCK_AWAITED,
};

struct lock {
	uint32_t state;
};

void lock_wait(struct lock *lock);
void lock_wake(struct lock *lock);

static inline bool lock_try(struct lock *lock)
{
	uint32_t state = LOCK_FREE;

	/* Pairs with the release of who held it. */
	return __atomic_compare_exchange_n(&lock->state, &state, LOCK_HELD, 0,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void lock_take(struct lock *lock)
{
	if (__builtin_expect(!lock_try(lock), 0))
		lock_wait(lock);
}

static inline void lock_release(struct lock *lock)
{
	/* Pairs with the acquire of who takes it next. */
	uint32_t state = __atomic_exchange_n(&lock->state, LOCK_FREE,
					     __ATOMIC_RELEASE);

	if (__builtin_expect(state == LOCK_AWAITED, 0))
		lock_wake(lock);
}

#endif
