/* SPDX-License-Identifier: MIT */
#ifndef _LIBRARY_SHUFFLE_H
#define _LIBRARY_SHUFFLE_H

#include <stdint.h>
#include "../../splitmix64.h"

/* Fill @order with 0 to @count - 1 in random order, the same in each run. */
static inline void shuffle(uint32_t *order, uint32_t count)
{
	__u64 state = 1;
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint32_t j = splitmix64(&state) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

#endif
