/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US	1000ULL
#define NS_PER_MS	1000000ULL

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* ms of CLOCK_BOOTTIME. */
static inline uint64_t clock_ms(void)
{
	return clock_ns(CLOCK_BOOTTIME) / NS_PER_MS;
}

#endif
