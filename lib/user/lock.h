/* SPDX-License-Identifier: MIT */
/*
 * A futex lock. Without contention, locking and unlocking are one atomic instruction each,
 * because an operation of the wheel takes less time than pthread_mutex_lock() and
 * pthread_mutex_unlock().
 *
 *	FREE -> HELD -> FREE		one thread
 *	HELD -> AWAITED -> FREE		another thread sleeps, and is woken on release
 *
 * A thread exchanges the word for AWAITED before it sleeps, and the kernel compares the word
 * before the thread sleeps. No thread sleeps while the lock is free:
 *
 *	the holder			the other
 *
 *	exchange for FREE		exchange for AWAITED
 *	it was AWAITED: wake one	it was FREE: the lock is taken
 *					it was not: sleep if it is still AWAITED
 *
 * A thread that has slept takes the lock as AWAITED, because other threads may still sleep.
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
void lock_yield(const struct lock *lock);

static inline bool lock_try(struct lock *lock)
{
	uint32_t state = LOCK_FREE;

	/* Pairs with the release by the previous holder. */
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
	/* Pairs with the acquire by the next holder. */
	uint32_t state = __atomic_exchange_n(&lock->state, LOCK_FREE,
					     __ATOMIC_RELEASE);

	if (__builtin_expect(state == LOCK_AWAITED, 0))
		lock_wake(lock);
}

/* True if another thread may wait for the lock, which the caller holds. */
static inline bool lock_is_awaited(const struct lock *lock)
{
	return __atomic_load_n(&lock->state, __ATOMIC_RELAXED) == LOCK_AWAITED;
}

#endif
