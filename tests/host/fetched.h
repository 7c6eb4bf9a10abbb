/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wheel's prefetches are recorded here. All sources are compiled with this, and the wheel's
 * own surroundings leave prefetch() as it is.
 */
#ifndef _HOST_FETCHED_H
#define _HOST_FETCHED_H

/* The places that were fetched last, the newest first. */
extern const void *host_fetched[2];

static inline void host_fetch(const void *place)
{
	host_fetched[1] = host_fetched[0];
	host_fetched[0] = place;
}

#define prefetch(place)	host_fetch(place)

#endif
