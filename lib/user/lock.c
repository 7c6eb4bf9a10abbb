// SPDX-License-Identifier: MIT
/*
 * Slow paths of the lock, under contention.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"

/* Number of times that lock_yield() yields the processor to a woken thread. */
#define YIELDS	100

static void futex(struct lock *lock, int operation, uint32_t value)
{
	int saved = errno;

	syscall(SYS_futex, &lock->state, operation, value, NULL, NULL, 0);
	errno = saved;
}

/* Wait for a lock and take it. */
void lock_wait(struct lock *lock)
{
	/* Pairs with the release by the previous holder. */
	while (__atomic_exchange_n(&lock->state, LOCK_AWAITED, __ATOMIC_ACQUIRE))
		futex(lock, FUTEX_WAIT_PRIVATE, LOCK_AWAITED);
}

/* Wake one thread that waits for a lock, which was released. */
void lock_wake(struct lock *lock)
{
	futex(lock, FUTEX_WAKE_PRIVATE, 1);
}

/*
 * Let a woken thread take the lock that the caller has released. Without this, the caller would
 * usually take it again before that thread runs. Returns after a bounded time: the woken thread
 * may be delayed.
 */
void lock_yield(const struct lock *lock)
{
	int yields = YIELDS;

	while (__atomic_load_n(&lock->state, __ATOMIC_RELAXED) == LOCK_FREE && yields--)
		sched_yield();
}
