// SPDX-License-Identifier: MIT
/*
 * The lock, where there is more than one who wants it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock.h"

static void futex(struct lock *lock, int operation, uint32_t value)
{
	int saved = errno;

	syscall(SYS_futex, &lock->state, operation, value, NULL, NULL, 0);
	errno = saved;
}

/**
 * lock_wait - take a lock that somebody else holds
 * @lock: lock
 */
void lock_wait(struct lock *lock)
{
	/* Pairs with the release of who held it. */
	while (__atomic_exchange_n(&lock->state, LOCK_AWAITED, __ATOMIC_ACQUIRE))
		futex(lock, FUTEX_WAIT_PRIVATE, LOCK_AWAITED);
}

/**
 * lock_wake - wake one of those that wait
 * @lock: lock that was let go
 */
void lock_wake(struct lock *lock)
{
	futex(lock, FUTEX_WAKE_PRIVATE, 1);
}
