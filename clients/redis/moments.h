/* SPDX-License-Identifier: MIT */
/*
 * The milliseconds in which keys expire. Each has one timer on the wheel, however many
 * its keys are; its number is its slot there.
 */
#ifndef MOMENTS_H
#define MOMENTS_H

#include <stdint.h>

#include "table.h"

enum moment_state {
	/* On the wheel; found by its time. */
	MOMENT_WAITING,
	/* It has come, and its keys expire one after the other. */
	MOMENT_COME,
	/* Without keys, but its timer is not known to be off the wheel yet. */
	MOMENT_LEAVING,
};

/**
 * struct moment - a millisecond in which keys expire
 * @ms: since 1970
 * @generation: of its timer
 * @first: the first of its keys, or NONE
 * @next_free: of one that is not in use, the next such
 * @state: enum moment_state
 */
struct moment {
	int64_t ms;
	uint64_t generation;
	union {
		uint32_t first;
		uint32_t next_free;
	};
	uint32_t state;
};

void moments_init(uint32_t limit);
void moments_exit(void);
struct moment *moment_at(uint32_t nr);
/* The waiting one, or NONE. */
uint32_t moment_find(int64_t ms);
/* Makes one wait, without keys. NONE: there are as many as may be. */
uint32_t moment_add(int64_t ms);
/* From waiting to another state: it is found by its time no more. */
void moment_close(uint32_t nr, enum moment_state state);
/* The number of a closed one may be used again. */
void moment_free(uint32_t nr);

#endif
