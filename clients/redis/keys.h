/* SPDX-License-Identifier: MIT */
/*
 * The names of keys that expire within the horizon, of whichever database: what tells us of
 * them does not say. All that expire in one millisecond are a list.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "table.h"

/* struct name - of a key: the server's string, and its bytes, which are asked for once */
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
 * struct key - a name that expires in some database
 * @name: a reference of ours; NULL: the number is not in use
 * @hash: of the name; names with the same hash are taken for the same
 * @moment: when it expires at the earliest, as far as we know
 * @prev: the key before it in the list of its moment, or NONE
 * @next: the one after it, or NONE; of a number that is not in use the next such
 * @lives_ms: so long it lives at least after a command that was read in that round, and
 *	that may wait in a transaction; 0: there is none
 * @round: a round is over when no transaction is open; old numbers come again
 */
struct key {
	struct RedisModuleString *name;
	uint64_t hash;
	uint32_t moment;
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
/* How many are in use. */
uint32_t keys_count(void);

/* That of a name; a new one, in no list, if it is not @known. NONE: there are as many as may be. */
uint32_t key_find_or_add(const struct name *name, bool *known);
/* Of one that is in no list. Its name is the caller's to free. */
struct RedisModuleString *key_remove(uint32_t nr);

/* Puts a key at the head of the list whose first key is *@first, or NONE; and back. */
void key_link(uint32_t *first, uint32_t nr);
void key_unlink(uint32_t *first, uint32_t nr);

#endif
