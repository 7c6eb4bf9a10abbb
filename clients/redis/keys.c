// SPDX-License-Identifier: MIT
/*
 * Entries are in blocks of equal size, so an entry is no larger than its name requires. The
 * hash table grows by one bucket at a time (linear hashing), so no insertion takes long, and
 * three keys share two buckets. The hash is not stored.
 */
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

#include "api.h"
#include "db.h"
#include "keys.h"

#define BLOCK_BITS	8
#define BLOCK		(1u << BLOCK_BITS)
/* NONE is not the number of a key. */
#define BLOCKS_MAX	(NONE >> BLOCK_BITS)
/* Buckets per page, and in the first table. */
#define PAGE		1024u

/**
 * struct block - Entries of names of one length.
 * @keys: the entries
 * @lives: array of a key_life per entry, or NULL
 * @dbs: array of a database per entry, or NULL
 * @length: length of the names; NAME_LENGTH + 1 if they are longer
 * @size: size of an entry
 */
struct block {
	char *keys;
	struct key_life *lives;
	uint16_t *dbs;
	uint32_t length;
	uint32_t size;
};

static struct {
	struct block *blocks;
	uint32_t blocks_count;
	/* First unused entry by length of the name, or NONE. */
	uint32_t free[NAME_LENGTH + 2];
	/* The first key of each bucket, in pages. */
	uint32_t **pages;
	uint32_t buckets;
	/* A power of two minus one, not less than the number of the last bucket. */
	uint32_t mask;
	/* Number of keys above which a bucket is added. */
	uint64_t enough;
	uint32_t count, limit;
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
static inline uint64_t hash_of(const struct name *name)
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

/* An array that grows by one item at a time has a power of two of places. */
static void *grown(void *array, uint32_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return RedisModule_Realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

static uint64_t enough_for(uint64_t buckets)
{
	return 3 * buckets / 2;
}

static void add_page(void)
{
	uint32_t nr = keys.buckets / PAGE;

	keys.pages = grown(keys.pages, nr, sizeof(*keys.pages));
	keys.pages[nr] = RedisModule_Alloc(PAGE * sizeof(*keys.pages[nr]));
	memset(keys.pages[nr], 0xff, PAGE * sizeof(*keys.pages[nr]));
}

void keys_init(uint32_t limit)
{
	memset(&keys, 0, sizeof(keys));
	memset(keys.free, 0xff, sizeof(keys.free));
	keys.limit = limit;
	/* An unseeded table is slow at worst. */
	if (getrandom(&keys.seed, sizeof(keys.seed), GRND_NONBLOCK) < 0)
		keys.seed = (uintptr_t)&limit;
	keys.factor = keys.seed ^ 0x9e3779b97f4a7c15;
	add_page();
	keys.buckets = PAGE;
	keys.enough = enough_for(PAGE);
	keys.mask = PAGE - 1;
}

void keys_limit(uint32_t limit)
{
	keys.limit = limit;
}

void keys_exit(void)
{
	uint32_t nr;

	for (nr = 0; nr < keys.blocks_count; nr++) {
		RedisModule_Free(keys.blocks[nr].keys);
		RedisModule_Free(keys.blocks[nr].lives);
		RedisModule_Free(keys.blocks[nr].dbs);
	}
	RedisModule_Free(keys.blocks);
	for (nr = 0; nr < keys.buckets; nr += PAGE)
		RedisModule_Free(keys.pages[nr / PAGE]);
	RedisModule_Free(keys.pages);
}

static inline struct block *block_of(uint32_t nr)
{
	return &keys.blocks[nr / BLOCK];
}

static inline struct key *entry_of(const struct block *block, uint32_t nr)
{
	return (struct key *)(block->keys + (size_t)(nr % BLOCK) * block->size);
}

struct key *key_at(uint32_t nr)
{
	return entry_of(block_of(nr), nr);
}

struct key_life *key_life(uint32_t nr)
{
	struct key_life *lives = block_of(nr)->lives;

	return lives ? &lives[nr % BLOCK] : NULL;
}

struct key_life *key_life_make(uint32_t nr)
{
	struct block *block = block_of(nr);

	if (!block->lives)
		block->lives = RedisModule_Calloc(BLOCK, sizeof(*block->lives));
	return key_life(nr);
}

uint16_t key_db(uint32_t nr)
{
	const uint16_t *dbs = block_of(nr)->dbs;

	return dbs ? dbs[nr % BLOCK] : DB_ANY;
}

void key_note_db(uint32_t nr, uint16_t db)
{
	struct block *block = block_of(nr);
	uint16_t known = key_db(nr);

	if (!block->dbs) {
		block->dbs = RedisModule_Alloc(BLOCK * sizeof(*block->dbs));
		memset(block->dbs, 0xff, BLOCK * sizeof(*block->dbs));
	}
	block->dbs[nr % BLOCK] = known == DB_ANY || known == db ? db : DB_SEVERAL;
}

uint32_t keys_end(void)
{
	return keys.blocks_count * BLOCK;
}

uint32_t keys_count(void)
{
	return keys.count;
}

/* The server's string of a long name. */
static struct RedisModuleString *string_of(const struct key *key)
{
	struct RedisModuleString *string;

	memcpy(&string, key->name, sizeof(string));
	return string;
}

static struct name stored_name(uint32_t nr)
{
	const struct key *key = key_at(nr);
	uint32_t length = block_of(nr)->length;

	if (length > NAME_LENGTH)
		return name_of(string_of(key));
	return (struct name){ .bytes = key->name, .length = length };
}

static uint32_t stored_length(const struct name *name)
{
	return name->length <= NAME_LENGTH ? name->length : NAME_LENGTH + 1;
}

/* Returns the first key of the bucket of a hash. */
static uint32_t *bucket_of(uint64_t hash)
{
	uint32_t nr = hash & keys.mask;

	if (nr >= keys.buckets)
		nr &= keys.mask >> 1;
	return &keys.pages[nr / PAGE][nr % PAGE];
}

/* Adds a bucket, and moves the keys that belong to it. */
static void add_bucket(void)
{
	uint32_t *bucket, *link;

	if (keys.buckets % PAGE == 0)
		add_page();
	if (keys.buckets > keys.mask)
		keys.mask = 2 * keys.mask + 1;
	link = bucket_of(keys.buckets);
	keys.buckets++;
	keys.enough = enough_for(keys.buckets);
	bucket = bucket_of(keys.buckets - 1);
	while (*link != NONE) {
		uint32_t nr = *link;
		struct name name = stored_name(nr);
		struct key *key = key_at(nr);

		if (bucket_of(hash_of(&name)) != bucket) {
			link = &key->chain;
			continue;
		}
		*link = key->chain;
		key->chain = *bucket;
		*bucket = nr;
	}
}

/* Most names differ at their end. The last words that are compared may overlap. */
static inline bool equal(const char *a, const char *b, size_t length)
{
	size_t at = length;

	if (length < sizeof(uint64_t))
		return !memcmp(a, b, length);
	for (; at > sizeof(uint64_t); at -= sizeof(uint64_t))
		if (word_at(a + at - sizeof(uint64_t)) != word_at(b + at - sizeof(uint64_t)))
			return false;
	return word_at(a) == word_at(b);
}

static inline bool has_name(const struct block *block, const struct key *key,
			    const struct name *name)
{
	struct name stored = { .bytes = key->name, .length = block->length };

	if (stored.length > NAME_LENGTH)
		stored = name_of(string_of(key));
	return stored.length == name->length && equal(stored.bytes, name->bytes, name->length);
}

/* Adds unused entries for names of a length. Returns false if no numbers are left. */
static bool add_block(uint32_t length)
{
	uint32_t count = keys.blocks_count;
	size_t stored = length <= NAME_LENGTH ? length : sizeof(struct RedisModuleString *);
	size_t size = sizeof(struct key) + (stored + 3) / 4 * 4;
	uint32_t nr;

	if (count == BLOCKS_MAX)
		return false;
	keys.blocks = grown(keys.blocks, count, sizeof(*keys.blocks));
	keys.blocks[count] = (struct block) {
		.keys = RedisModule_Alloc(BLOCK * size),
		.length = length,
		.size = size,
	};
	keys.blocks_count++;
	for (nr = keys_end(); nr-- > count * BLOCK;) {
		key_at(nr)->instant = NONE;
		key_at(nr)->next = keys.free[length];
		keys.free[length] = nr;
	}
	return true;
}

static bool has_unused(uint32_t length)
{
	return keys.count < keys.limit && (keys.free[length] != NONE || add_block(length));
}

static uint32_t add(const struct name *name, uint32_t *bucket, struct key **added)
{
	uint32_t length = stored_length(name);
	struct RedisModuleString *string;
	const struct block *block;
	struct key *key;
	uint32_t nr;

	if (!has_unused(length))
		return NONE;
	nr = keys.free[length];
	block = block_of(nr);
	key = entry_of(block, nr);
	keys.free[length] = key->next;
	if (name->length <= NAME_LENGTH) {
		memcpy(key->name, name->bytes, name->length);
	} else {
		string = RedisModule_HoldString(NULL, name->string);
		memcpy(key->name, &string, sizeof(string));
	}
	key->chain = *bucket;
	*bucket = nr;
	if (block->lives)
		block->lives[nr % BLOCK].ms = 0;
	if (block->dbs)
		block->dbs[nr % BLOCK] = DB_ANY;
	if (++keys.count > keys.enough)
		add_bucket();
	*added = key;
	return nr;
}

static inline uint32_t find_in(const uint32_t *bucket, const struct name *name,
			       struct key **key)
{
	uint32_t nr;

	for (nr = *bucket; nr != NONE; nr = (*key)->chain) {
		const struct block *block = block_of(nr);

		*key = entry_of(block, nr);
		if (has_name(block, *key, name))
			break;
	}
	return nr;
}

uint32_t key_find(const struct name *name)
{
	struct key *key;

	return find_in(bucket_of(hash_of(name)), name, &key);
}

uint32_t key_find_or_add(const struct name *name, struct key **key)
{
	uint32_t *bucket = bucket_of(hash_of(name));
	uint32_t nr = find_in(bucket, name, key);

	return nr == NONE ? add(name, bucket, key) : nr;
}

struct RedisModuleString *key_name(uint32_t nr)
{
	struct name name = stored_name(nr);

	if (name.string)
		return RedisModule_HoldString(NULL, name.string);
	return RedisModule_CreateString(NULL, name.bytes, name.length);
}

void key_remove(uint32_t nr)
{
	struct name name = stored_name(nr);
	uint32_t *link = bucket_of(hash_of(&name));
	struct key *key = key_at(nr);

	while (*link != nr)
		link = &key_at(*link)->chain;
	*link = key->chain;
	keys.count--;
	if (name.string)
		RedisModule_FreeString(NULL, name.string);
	key->instant = NONE;
	key->next = keys.free[stored_length(&name)];
	keys.free[stored_length(&name)] = nr;
}

void key_link(uint32_t *first, uint32_t nr, struct key *key)
{
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
