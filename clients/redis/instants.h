/* SPDX-License-Identifier: MIT */
/*
 * Instants: the milliseconds in which keys expire. All keys of an instant share one timer. Its
 * slot on the wheel is the number of the instant.
 */
#ifndef INSTANTS_H
#define INSTANTS_H

#include <stdint.h>

#include "table.h"

enum instant_state {
	/* The timer is armed, or about to be. Only in this state instant_find() returns it. */
	INSTANT_ARMED,
	/* The timer has expired, and the keys are being deleted. */
	INSTANT_DUE,
	/* There are no keys, but the timer may still be on the wheel. */
	INSTANT_CANCELLED,
};

/**
 * struct instant - A millisecond in which keys expire.
 * @ms: milliseconds since 1970
 * @generation: generation of the timer's id
 * @first: first key, or NONE
 * @next_free: in an unused instant, the next unused one
 * @state: enum instant_state
 */
struct instant {
	int64_t ms;
	uint64_t generation;
	union {
		uint32_t first;
		uint32_t next_free;
	};
	uint32_t state;
};

void instants_init(uint32_t limit);
void instants_exit(void);
struct instant *instant_at(uint32_t nr);
/* Returns the armed instant of a millisecond, or NONE. */
uint32_t instant_find(int64_t ms);
/* Returns a new instant without keys, or NONE if the limit is reached. */
uint32_t instant_add(int64_t ms);
/* Changes the state from INSTANT_ARMED to another one. */
void instant_close(uint32_t nr, enum instant_state state);
/* Frees the number of a closed instant. */
void instant_free(uint32_t nr);

#endif
