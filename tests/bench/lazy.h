/* SPDX-License-Identifier: GPL-2.0 */
/* The heap of a lazy structure: entries with four children each, without positions of timers. */
#ifndef _BENCH_LAZY_H
#define _BENCH_LAZY_H

#include <stdint.h>

struct lazy_entry {
	uint64_t time;
	uint32_t timer;
};

/* Store an entry in the place of a free one, or of its parents if it is earlier. */
static inline void lazy_rise(struct lazy_entry *heap, uint32_t at, struct lazy_entry entry)
{
	for (; at && heap[(at - 1) / 4].time > entry.time; at = (at - 1) / 4)
		heap[at] = heap[(at - 1) / 4];
	heap[at] = entry;
}

/* Store an entry in the place of the first one of a heap of @used entries, or of later ones. */
static inline void lazy_sink(struct lazy_entry *heap, uint32_t used, struct lazy_entry entry)
{
	uint32_t at, first, child, end;

	for (at = 0; (first = 4 * at + 1) < used; at = first) {
		end = first + 4 < used ? first + 4 : used;
		for (child = first + 1; child < end; child++)
			if (heap[child].time < heap[first].time)
				first = child;
		if (heap[first].time >= entry.time)
			break;
		heap[at] = heap[first];
	}
	heap[at] = entry;
}

#endif
