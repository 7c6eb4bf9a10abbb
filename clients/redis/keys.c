// SPDX-License-Identifier: MIT
/*
 * An array of keys, which doubles when it is full.
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
	struct table table;
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

void keys_init(uint32_t limit)
{
	memset(&keys, 0, sizeof(keys));
	keys.limit = limit;
	keys.free_list = NONE;
	/* An unseeded table would be slow at worst: no reason to fail. */
	if (getrandom(&keys.seed, sizeof(keys.seed), GRND_NONBLOCK) < 0)
		keys.seed = (uintptr_t)&limit;
	table_init(&keys.table);
}

void keys_exit(void)
{
	table_exit(&keys.table);
	RedisModule_Free(keys.all);
}

struct key *key_at(uint32_t nr)
{
	return &keys.all[nr];
}

uint32_t keys_end(void)
{
	return keys.end;
}

uint32_t keys_count(void)
{
	return keys.table.count;
}

static uint32_t find(uint64_t hash)
{
	uint32_t at = hash;
	uint32_t nr;

	do
		nr = table_next(&keys.table, hash, &at);
	while (nr != NONE && keys.all[nr].hash != hash);
	return nr;
}

uint32_t key_find(const struct RedisModuleString *name, uint16_t home)
{
	return keys.table.count ? find(hash_of(name, home)) : NONE;
}

/* A number that is not in use, or NONE. */
static uint32_t number_pick(void)
{
	uint32_t nr = keys.free_list;

	if (nr != NONE) {
		keys.free_list = keys.all[nr].next;
		return nr;
	}
	if (keys.end == keys.limit)
		return NONE;
	if (keys.end == keys.room) {
		keys.room = keys.room ? 2 * keys.room : SMALLEST;
		keys.all = RedisModule_Realloc(keys.all,
					       keys.room * sizeof(*keys.all));
	}
	return keys.end++;
}

uint32_t key_find_or_add(struct RedisModuleString *name, uint16_t home,
			 bool *known)
{
	uint64_t hash = hash_of(name, home);
	uint32_t nr = find(hash);

	*known = nr != NONE;
	if (*known)
		return nr;
	nr = number_pick();
	if (nr == NONE)
		return NONE;
	keys.all[nr] = (struct key) {
		.name = RedisModule_HoldString(NULL, name),
		.hash = hash,
		.home = home,
	};
	table_add(&keys.table, nr, hash);
	return nr;
}

struct RedisModuleString *key_remove(uint32_t nr)
{
	struct key *key = &keys.all[nr];
	struct RedisModuleString *name = key->name;

	table_remove(&keys.table, nr, key->hash);
	key->name = NULL;
	key->next = keys.free_list;
	keys.free_list = nr;
	return name;
}

void key_link(uint32_t *first, uint32_t nr)
{
	struct key *key = &keys.all[nr];
	struct key *head;

	if (*first == NONE)
		*first = key->prev = nr;
	head = &keys.all[*first];
	key->next = *first;
	key->prev = head->prev;
	keys.all[head->prev].next = nr;
	head->prev = nr;
}

void key_unlink(uint32_t *first, uint32_t nr)
{
	const struct key *key = &keys.all[nr];

	if (*first == nr)
		*first = key->next == nr ? NONE : key->next;
	keys.all[key->prev].next = key->next;
	keys.all[key->next].prev = key->prev;
}
