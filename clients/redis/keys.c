// SPDX-License-Identifier: MIT
/*
 * The hash is 64 bits wide and seeded, so two of 2^24 names collide with a probability of
 * 2^-17. One of them is then left to the server's own expiry. Comparing the names would take
 * two more cache misses per SET.
 */
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

#include "api.h"
#include "keys.h"
#include "table.h"

static struct {
	struct slab slab;
	struct table table;
	uint64_t seed, factor;
} keys;

/* Combines both halves of the product: each bit of both factors counts. */
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

/* Seeded, so that no client can choose names that collide. */
static uint64_t hash_of(const struct name *name)
{
	uint64_t hash = keys.seed ^ name->length;
	const char *bytes = name->bytes;
	const char *end = bytes + name->length;
	uint64_t last = 0;

	if (name->length < sizeof(last)) {
		memcpy(&last, bytes, name->length);
	} else {
		/* The last word may overlap the one before it. */
		end -= sizeof(last);
		last = word_at(end);
		for (; bytes < end; bytes += sizeof(last))
			hash = mix(hash ^ word_at(bytes), keys.factor);
	}
	return mix(hash ^ last, keys.factor);
}

void keys_init(uint32_t limit)
{
	slab_init(&keys.slab, sizeof(struct key), offsetof(struct key, next), limit);
	/* An unseeded table is slow at worst. */
	if (getrandom(&keys.seed, sizeof(keys.seed), GRND_NONBLOCK) < 0)
		keys.seed = (uintptr_t)&limit;
	keys.factor = keys.seed ^ 0x9e3779b97f4a7c15;
	table_init(&keys.table);
}

void keys_exit(void)
{
	table_exit(&keys.table);
	slab_exit(&keys.slab);
}

struct key *key_at(uint32_t nr)
{
	return slab_at(&keys.slab, nr);
}

uint32_t keys_end(void)
{
	return keys.slab.end;
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
	while (nr != NONE && key_at(nr)->hash != hash);
	return nr;
}

uint32_t key_find_or_add(const struct name *name, bool *known)
{
	uint64_t hash = hash_of(name);
	uint32_t nr = find(hash);
	struct key *key;

	*known = nr != NONE;
	if (*known)
		return nr;
	nr = slab_take(&keys.slab);
	if (nr == NONE)
		return NONE;
	table_add(&keys.table, nr, hash);
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
	slab_put(&keys.slab, nr);
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
