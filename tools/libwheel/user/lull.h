/* SPDX-License-Identifier: MIT */
/*
 * A lull: the time until something is due. An arm for a time after it and a cancel during it
 * do the same at each of its moments, so they need not know what time it is.
 *
 * They ask the processor's counter whether it lasts, since to read the clock takes as many
 * instructions as a cancel. The counter's rate is not known, but no processor takes longer
 * than 4 ns for a count. So the lull seems to end too soon, the clock is read, and the rest
 * of it is measured anew. If a counter were slower, or stood still, a timer that is due could
 * still be cancelled; nothing would fire early, and nothing would get lost.
 */
#ifndef LIBWHEEL_LULL_H
#define LIBWHEEL_LULL_H

#include "engine.h"

#define NS_A_COUNT	4

/**
 * struct lull - until when nothing is due
 * @known: the clock has lulls: it is never set, and stands still where the counter may
 * @begin: the counter just before the clock was read
 * @counts: how long from there on; 0: it is over
 * @end: nothing is due before this time of the wheel's clock
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
/* Without a counter only a VIRTUAL clock has lulls. */
#define LULL_HAS_COUNTER	false
static inline u64 lull_counter(void)
{
	return 0;
}
#endif

/* Is nothing due yet? */
static inline bool lull_lasts(const struct lull *lull)
{
	return lull_counter() - lull->begin < lull->counts;
}

#endif
