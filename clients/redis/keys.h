/* SPDX-License-Identifier: MIT */
/*
 * The keys on the wheel, found by number, which is their slot there, and by name.
 *
 * A database's number changes when it is swapped with another, a key's home does
 * not: homes are databases by the number they had when the module was loaded.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleString;

enum key_state {
	KEY_FREE,
	/* On the wheel. */
	KEY_WAITING,
	/* Forgotten, but its timer is not known to be off the wheel yet. */
	KEY_LEAVING,
};

/**
 * struct key - a key on the wheel
 * @name: a reference of ours, with KEY_WAITING
 * @next_free: with KEY_FREE, the next one in the list of these
 * @expires_ms: when it was to expire, as we last knew; it may be later by now
 * @hash: of its name and home; keys with the same hash are taken for the same
 * @generation: of its timer
 * @home: its database
 * @state: enum key_state
 */
struct key {
	union {
		struct RedisModuleString *name;
		uint32_t next_free;
	};
	int64_t expires_ms;
	uint64_t hash;
	uint64_t generation : 40;
	uint64_t home : 16;
	uint64_t state : 8;
};

#define NO_KEY		UINT32_MAX

void keys_init(uint32_t limit);
/* All have to be KEY_FREE. */
void keys_exit(void);
struct key *key_at(uint32_t nr);
/* One past the highest number in use so far. */
uint32_t keys_end(void);
/* How many are KEY_WAITING. */
uint32_t keys_waiting(void);
uint64_t keys_bytes(void);

/* The number of a waiting key, or NO_KEY. */
uint32_t key_find(const struct RedisModuleString *name, uint16_t home);
/* Makes a key wait that does not yet. NO_KEY: there are as many as may be. */
uint32_t key_add(struct RedisModuleString *name, uint16_t home);
/* From KEY_WAITING to KEY_LEAVING: it is found by name no more. */
void key_leave(uint32_t nr);
/* From KEY_LEAVING to KEY_FREE: the number may be used again. */
void key_free(uint32_t nr);

#endif
