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

/*
 * A longer name is not stored in the entry, and it is kept only after its key was seen to
 * expire. Otherwise a client without permissions could fill the memory.
 */
#define NAME_LENGTH	256

/**
 * struct key - A name that expires in some database.
 * @instant: when the key expires at the earliest; NONE if the entry is not in use
 * @prev: previous key in the list of the instant, or NONE
 * @next: next key in the list of the instant, or NONE; in an unused entry the next such entry
 * @chain: next key in the same bucket of the hash table, or NONE
 * @name: the name; if it is longer than NAME_LENGTH, a reference to the server's string
 */
struct key {
	uint32_t instant;
	uint32_t prev;
	uint32_t next;
	uint32_t chain;
	char name[];
};

/**
 * struct key_life - TTL of a key that commands set which may still be queued in a transaction.
 * @ms: shortest TTL given by commands that were read in @round; 0 if no command did
 * @round: value of transactions_round(), modulo ROUNDS
 */
struct key_life {
	uint32_t ms : 27;
	uint32_t round : 5;
};

#define LIVES_MS_MAX	((1 << 27) - 1)
#define ROUNDS		(1 << 5)

void keys_init(uint32_t limit);
/* Keys that are known beyond a new limit remain known. */
void keys_limit(uint32_t limit);
void keys_exit(void);
struct key *key_at(uint32_t nr);
/* Returns NULL if no such TTL was noted for a key whose number is near to this one. */
struct key_life *key_life(uint32_t nr);
/* Returns the same; the first call creates it. */
struct key_life *key_life_make(uint32_t nr);
/* Returns the database of a key: DB_ANY until key_note_db() was called. */
uint16_t key_db(uint32_t nr);
/* A key of this name is in the database @db; DB_SEVERAL after calls with different ones. */
void key_note_db(uint32_t nr, uint16_t db);
/* One past the highest number in use so far. */
uint32_t keys_end(void);
/* Number of entries in use. */
uint32_t keys_count(void);

/*
 * Returns the number of a name, and stores its entry. A new entry is in no list, its instant is
 * NONE, and the caller must set it. Returns NONE if the limit is reached.
 */
uint32_t key_find_or_add(const struct name *name, struct key **key);
/* Returns the number of a name, or NONE if it is not known. */
uint32_t key_find(const struct name *name);
/* Returns a new reference to the name. */
struct RedisModuleString *key_name(uint32_t nr);
/* Removes an entry that is in no list. */
void key_remove(uint32_t nr);

/* Inserts a key, whose entry is @key, at the head of the list whose first key is *@first. */
void key_link(uint32_t *first, uint32_t nr, struct key *key);
/* Removes it. */
void key_unlink(uint32_t *first, uint32_t nr);

#endif
