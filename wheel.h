/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The wheel: a pure data structure. It takes no lock, reads no clock, allocates
 * nothing and knows no user memory; the caller serializes and passes the time.
 *
 * Time is cut into ticks of tick.ns nanoseconds, counted from the clock's zero.
 * A timer is due at the first tick boundary at or after its deadline, or at the
 * later one that its slack allows, and never at a tick that the wheel has
 * taken already:
 *
 *	due = max(ceil(deadline / tick), floor), rounded up within the slack
 *
 *	     clock           floor
 *	-------|---------------|---------------------------->  ticks
 *	 taken | being taken   | where a timer armed now may be due
 *
 * Outside a pass floor is the tick after the present, as far as the wheel was told
 * it; the clock stays behind while nothing is due. A pass that goes up to a tick puts
 * floor behind that tick, so that a callback which arms in the past is served once by
 * the next pass and not once for each tick of a stall.
 *
 * The invariant: the clock enters a bucket only when the bucket holds nothing that
 * is due. Until then every arm that belongs to it goes to its tail. Timers that
 * are due at the same tick therefore fire in the order in which they were armed.
 *
 * A deadline may be moved while the timer is filed, without telling the wheel. Its
 * value counts when the wheel takes the timer: wheel_pop() and
 * wheel_requeue().
 *
 * How far the wheels reach, with ticks of these lengths. The hierarchical wheel, to the
 * end of a 63-bit clock of nanoseconds:
 *
 *	level  buckets  granularity  range      1 us      1 ms    100 ms
 *	    0       64            1    2^6     64 us     64 ms     6.4 s
 *	    1       64          2^6   2^12    4.1 ms     4.1 s   6.8 min
 *	    2       64         2^12   2^18  262.1 ms   4.4 min     7.3 h
 *	    3       64         2^18   2^24    16.8 s     4.7 h    19.4 d
 *	    4       64         2^24   2^30  17.9 min    12.4 d     3.4 y
 *	    5       64         2^30   2^36    19.1 h     2.2 y   217.8 y
 *	    6       64         2^36   2^42    50.9 d   139.4 y   292.3 y
 *	    7       64         2^42   2^48     8.9 y   292.3 y         -
 *	    8       64         2^48   2^54   292.3 y         -         -
 *	    9       64         2^54   2^60         -         -         -
 *	   10       64         2^60   2^66         -         -         -
 *
 * The others have one ring; a revolution of it takes:
 *
 *	     buckets                          1 us      1 ms    100 ms
 *	         256                        256 us    256 ms    25.6 s
 *	        4096                        4.1 ms     4.1 s   6.8 min
 *	       65536                       65.5 ms   1.1 min     1.8 h
 *	     1048576                         1.0 s  17.5 min     1.2 d
 *
 * The idea of wheels hashed and hierarchical is that of Varghese and Lauck,
 * "Hashed and Hierarchical Timing Wheels", 1987.
 */
#ifndef _WHEEL_H
#define _WHEEL_H

#include "schemes/place.h"

size_t wheel_memory(u32 buckets);
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 buckets, u64 tick_ns, void *memory);

u64 wheel_span(const struct wheel_core *w);

int wheel_reduce(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		 u64 slack);
void wheel_requeue(struct wheel_core *w, struct wheel_timer *t, u64 deadline);
struct wheel_timer *wheel_drain(struct wheel_core *w, unsigned int *budget);
void wheel_forward(struct wheel_core *w, u64 tick);
void wheel_set_back(struct wheel_core *w, u64 tick);
const char *wheel_check(const struct wheel_core *w);

#endif
