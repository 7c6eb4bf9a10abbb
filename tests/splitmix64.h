/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that the same seed repeats on any machine. Each state is a sequence of its own.
 */
#ifndef _WHEEL_SPLITMIX64_H
#define _WHEEL_SPLITMIX64_H

#include <linux/types.h>

static inline __u64 splitmix64(__u64 *state)
{
	__u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

#endif
