/* SPDX-License-Identifier: MIT */
/*
 * The keys that expire within the horizon, by name. A command filter does not receive the
 * database, so one entry is for the keys of that name in all databases. The keys that expire
 * in the same millisecond form a list.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "table.h"

/* struct name - Name of a key: the server's string, and the bytes in it. */
struct name {
	struct RedisModuleString *string;
	const char *bytes;
	size_t length;
};

static inline struct name name_of(struct RedisModuleString *string)
{
	size_t length;
	const char *bytes = RedisModule_StringPtrLen(string, &length);

	return (struct name){ .string = string, .bytes = bytes, .length = length };
}

/**
 * struct key - A name that expires in some database.
 * @name: reference to the server's string; NULL if the entry is not in use
 * @hash: hash of the name; names with equal hashes are taken for the same name
 * @instant: when the key expires at the earliest
 * @prev: previous key in the list of the instant, or NONE
 * @next: next key in the list of the instant, or NONE; in an unused entry the next such entry
 * @lives_ms: shortest TTL given by commands that were read in @round and may still be queued
 *	in a transaction; 0 if no command did
 * @round: value of transactions_round(), modulo ROUNDS
 */
struct key {
	struct RedisModuleString *name;
	uint64_t hash;
	uint32_t instant;
	uint32_t prev;
	uint32_t next;
	uint32_t lives_ms : 27;
	uint32_t round : 5;
};

#define LIVES_MS_MAX	((1 << 27) - 1)
#define ROUNDS		(1 << 5)

void keys_init(uint32_t limit);
void keys_exit(void);
struct key *key_at(uint32_t nr);
/* One past the highest number in use so far. */
uint32_t keys_end(void);
/* Number of entries in use. */
uint32_t keys_count(void);

/*
 * Returns the entry of a name, and whether it existed before. A new entry is in no list.
 * Returns NONE if the limit is reached.
 */
uint32_t key_find_or_add(const struct name *name, bool *known);
/* Removes an entry that is in no list. The caller must free the returned name. */
struct RedisModuleString *key_remove(uint32_t nr);

/* Inserts a key at the head of the list whose first key is *@first, or removes it. */
void key_link(uint32_t *first, uint32_t nr);
void key_unlink(uint32_t *first, uint32_t nr);

#endif
