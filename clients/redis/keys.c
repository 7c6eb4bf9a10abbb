// SPDX-License-Identifier: MIT
/*
 * A hash has 64 bits and a seed that no client knows, so among 2^24 keys two have
 * the same one with a chance of 2^-17; then one of them is left to Redis. To
 * compare the names would take two cache misses more for each SET.
 */
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

#include "api.h"
#include "keys.h"
#include "pool.h"

static struct {
	struct pool pool;
	struct table table;
	uint64_t seed, factor;
} keys;

/* Both halves of the product, so that each bit of both counts. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_at(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Seeded, so that no client can choose names which meet in the table. */
static uint64_t hash_of(const struct name *name)
{
	uint64_t hash = keys.seed ^ name->length;
	const char *bytes = name->bytes;
	const char *end = bytes + name->length;
	uint64_t last = 0;

	if (name->length < sizeof(last)) {
		memcpy(&last, bytes, name->length);
	} else {
		/* It may overlap the one before: the length tells where. */
		end -= sizeof(last);
		last = word_at(end);
		for (; bytes < end; bytes += sizeof(last))
			hash = mix(hash ^ word_at(bytes), keys.factor);
	}
	return mix(hash ^ last, keys.factor);
}

void keys_init(uint32_t limit)
{
	pool_init(&keys.pool, sizeof(struct key), offsetof(struct key, next), limit);
	/* An unseeded table would be slow at worst: no reason to fail. */
	if (getrandom(&keys.seed, sizeof(keys.seed), GRND_NONBLOCK) < 0)
		keys.seed = (uintptr_t)&limit;
	keys.factor = keys.seed ^ 0x9e3779b97f4a7c15;
	table_init(&keys.table);
}

void keys_exit(void)
{
	table_exit(&keys.table);
	pool_exit(&keys.pool);
}

struct key *key_at(uint32_t nr)
{
	return (struct key *)keys.pool.all + nr;
}

uint32_t keys_end(void)
{
	return keys.pool.end;
}

uint32_t keys_count(void)
{
	return keys.table.count;
}

/* From place *@at on, which is @hash at first. */
static uint32_t find(uint64_t hash, uint32_t *at)
{
	uint32_t nr;

	do
		nr = table_next(&keys.table, hash, at);
	while (nr != NONE && key_at(nr)->hash != hash);
	return nr;
}

uint32_t key_find_or_add(const struct name *name, bool *known)
{
	uint64_t hash = hash_of(name);
	uint32_t at = hash;
	uint32_t nr = find(hash, &at);
	struct key *key;

	*known = nr != NONE;
	if (*known)
		return nr;
	nr = pool_take(&keys.pool);
	if (nr == NONE)
		return NONE;
	table_add_at(&keys.table, nr, hash, at);
	key = key_at(nr);
	key->hash = hash;
	key->lives_ms = 0;
	key->round = 0;
	key->name = RedisModule_HoldString(NULL, name->string);
	return nr;
}

struct RedisModuleString *key_remove(uint32_t nr)
{
	struct key *key = key_at(nr);
	struct RedisModuleString *name = key->name;

	table_remove(&keys.table, nr, key->hash);
	key->name = NULL;
	pool_give(&keys.pool, nr);
	return name;
}

void key_link(uint32_t *first, uint32_t nr)
{
	struct key *key = key_at(nr);

	key->prev = NONE;
	key->next = *first;
	if (*first != NONE)
		key_at(*first)->prev = nr;
	*first = nr;
}

void key_unlink(uint32_t *first, uint32_t nr)
{
	const struct key *key = key_at(nr);

	if (key->prev != NONE)
		key_at(key->prev)->next = key->next;
	else
		*first = key->next;
	if (key->next != NONE)
		key_at(key->next)->prev = key->prev;
}
