/* SPDX-License-Identifier: MIT */
/*
 * A lull: the time during which no timer is due. During a lull, cancelling a timer, or arming
 * one for a time after the lull, has the same effect at any time. These operations therefore
 * need not read the clock.
 *
 * They read the processor's counter to check whether the lull has ended, because reading the
 * clock takes as many instructions as a cancel. The rate of the counter is unknown, but no
 * processor takes longer than 4 ns per count. The lull therefore seems to end too early; then
 * the clock is read, and the rest of the lull is computed. If a counter were slower or stopped,
 * a timer that is due could still be cancelled, but no timer would expire early or be lost.
 */
#ifndef LIBWHEEL_LULL_H
#define LIBWHEEL_LULL_H

#include "engine.h"

#define NS_A_COUNT	4

/**
 * struct lull - end of the current lull
 * @known: the scheme has only one queue, and the clock supports lulls: it is never set, and
 *	does not advance while the counter may be stopped
 * @begin: value of the counter just before the clock was read
 * @counts: length of the lull from @begin; 0: it has ended
 * @end: no timer is due before this time on the wheel's clock
 */
struct lull {
	bool known;
	u64 begin;
	u64 counts;
	u64 end;
};

#ifdef __x86_64__
#define LULL_HAS_COUNTER	true
static inline u64 lull_counter(void)
{
	return __builtin_ia32_rdtsc();
}
#else
/* Without a counter, only a VIRTUAL clock supports lulls. */
#define LULL_HAS_COUNTER	false
static inline u64 lull_counter(void)
{
	return 0;
}
#endif

/* True if no timer is due yet. */
static inline bool lull_lasts(const struct lull *lull)
{
	return lull_counter() - lull->begin < lull->counts;
}

#endif
