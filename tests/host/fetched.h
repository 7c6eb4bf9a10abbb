/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the prefetches of the wheel. This file is included before all sources. core/env.h does
 * not redefine prefetch().
 */
#ifndef _HOST_FETCHED_H
#define _HOST_FETCHED_H

/* The addresses of the last prefetches, the newest first. */
extern const void *host_fetched[2];

static inline void host_fetch(const void *place)
{
	host_fetched[1] = host_fetched[0];
	host_fetched[0] = place;
}

#define prefetch(place)	host_fetch(place)

#endif
