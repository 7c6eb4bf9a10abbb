// SPDX-License-Identifier: MIT
/*
 * An array of keys, and a hash table with open addressing of their numbers. Both
 * double when they are full.
 *
 * A hash has 64 bits and a seed that no client knows, so among 2^24 keys two have
 * the same one with a chance of 2^-17; then one of them is left to Redis. To
 * compare the names would take two cache misses more for each SET.
 */
#include <string.h>
#include <sys/random.h>

#include "api.h"
#include "keys.h"

#define SMALLEST	64

static struct {
	struct key *all;
	uint32_t end, room, limit;
	uint32_t free_list;
	uint32_t waiting;
	/* A power of two of them; NO_KEY where nothing is. */
	struct place {
		uint32_t nr;
		/* The upper half of its hash; the lower half says where it is. */
		uint32_t tag;
	} *table;
	uint32_t mask;
	uint64_t seed;
} keys;

/* Both halves of the product, so that each bit of both counts. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Seeded, so that no client can choose names which meet in the table. */
static uint64_t hash_of(const struct RedisModuleString *name, uint16_t home)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;
	uint64_t hash = keys.seed ^ home;
	uint64_t word;
	size_t length;
	const char *bytes = RedisModule_StringPtrLen(name, &length);

	hash = mix(hash ^ length, odd);
	for (; length >= sizeof(word); length -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = mix(hash ^ word, odd ^ keys.seed);
		bytes += sizeof(word);
	}
	word = 0;
	memcpy(&word, bytes, length);
	return mix(hash ^ word, odd ^ keys.seed);
}

static uint32_t tag_of(uint64_t hash)
{
	return hash >> 32;
}

static void table_insert(uint32_t nr)
{
	uint64_t hash = keys.all[nr].hash;
	uint32_t at = hash & keys.mask;

	while (keys.table[at].nr != NO_KEY)
		at = (at + 1) & keys.mask;
	keys.table[at] = (struct place){ .nr = nr, .tag = tag_of(hash) };
}

static void table_make(uint32_t size)
{
	uint32_t nr;

	RedisModule_Free(keys.table);
	keys.table = RedisModule_Alloc(size * sizeof(*keys.table));
	memset(keys.table, 0xff, size * sizeof(*keys.table));
	keys.mask = size - 1;
	for (nr = 0; nr < keys.end; nr++)
		if (keys.all[nr].state == KEY_WAITING)
			table_insert(nr);
}

/* Closes the gap at @gap: those behind it that may stand nearer move up. */
static void table_close(uint32_t gap)
{
	uint32_t at = gap;

	while (keys.table[at = (at + 1) & keys.mask].nr != NO_KEY) {
		uint32_t first = keys.all[keys.table[at].nr].hash & keys.mask;

		if (((at - first) & keys.mask) < ((at - gap) & keys.mask))
			continue;
		keys.table[gap] = keys.table[at];
		gap = at;
	}
	keys.table[gap].nr = NO_KEY;
}

static void table_remove(uint32_t nr)
{
	uint32_t at = keys.all[nr].hash & keys.mask;

	while (keys.table[at].nr != nr)
		at = (at + 1) & keys.mask;
	table_close(at);
}

void keys_init(uint32_t limit)
{
	memset(&keys, 0, sizeof(keys));
	keys.limit = limit;
	keys.free_list = NO_KEY;
	/* An unseeded table would be slow at worst: no reason to fail. */
	if (getrandom(&keys.seed, sizeof(keys.seed), GRND_NONBLOCK) < 0)
		keys.seed = (uintptr_t)&limit;
	table_make(SMALLEST);
}

void keys_exit(void)
{
	RedisModule_Free(keys.all);
	RedisModule_Free(keys.table);
}

struct key *key_at(uint32_t nr)
{
	return &keys.all[nr];
}

uint32_t keys_end(void)
{
	return keys.end;
}

uint32_t keys_waiting(void)
{
	return keys.waiting;
}

uint64_t keys_bytes(void)
{
	return (uint64_t)keys.room * sizeof(*keys.all) +
	       ((uint64_t)keys.mask + 1) * sizeof(*keys.table);
}

uint32_t key_find(const struct RedisModuleString *name, uint16_t home)
{
	const struct place *place;
	uint64_t hash;
	uint32_t at;

	if (!keys.waiting)
		return NO_KEY;
	hash = hash_of(name, home);
	for (at = hash & keys.mask;; at = (at + 1) & keys.mask) {
		place = &keys.table[at];
		if (place->nr == NO_KEY || (place->tag == tag_of(hash) &&
					    keys.all[place->nr].hash == hash))
			return place->nr;
	}
}

/* A number that is not in use, or NO_KEY. */
static uint32_t number_pick(void)
{
	uint32_t nr = keys.free_list;

	if (nr != NO_KEY) {
		keys.free_list = keys.all[nr].next_free;
		return nr;
	}
	if (keys.end == keys.limit)
		return NO_KEY;
	if (keys.end == keys.room) {
		keys.room = keys.room ? 2 * keys.room : SMALLEST;
		keys.all = RedisModule_Realloc(keys.all,
					       keys.room * sizeof(*keys.all));
	}
	memset(&keys.all[keys.end], 0, sizeof(*keys.all));
	return keys.end++;
}

uint32_t key_add(struct RedisModuleString *name, uint16_t home)
{
	uint32_t nr = number_pick();
	struct key *key;

	if (nr == NO_KEY)
		return NO_KEY;
	key = &keys.all[nr];
	if (2 * (keys.waiting + 1) > keys.mask)
		table_make(2 * (keys.mask + 1));
	key->name = RedisModule_HoldString(NULL, name);
	key->home = home;
	key->hash = hash_of(name, home);
	key->state = KEY_WAITING;
	key->generation++;
	keys.waiting++;
	table_insert(nr);
	return nr;
}

void key_leave(uint32_t nr)
{
	struct key *key = &keys.all[nr];

	table_remove(nr);
	keys.waiting--;
	RedisModule_FreeString(NULL, key->name);
	key->name = NULL;
	key->state = KEY_LEAVING;
}

void key_free(uint32_t nr)
{
	keys.all[nr].state = KEY_FREE;
	keys.all[nr].next_free = keys.free_list;
	keys.free_list = nr;
}
