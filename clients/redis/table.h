/* SPDX-License-Identifier: MIT */
/*
 * Two containers that grow without a long pause of the server: a slab of items with numbers,
 * and a hash table of such numbers.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No number. */
#define NONE		UINT32_MAX

#define CHUNK_BITS	10
#define SEGMENT_BITS	8

/**
 * struct slab - Items with numbers, in chunks that never move.
 * @chunks: array of pointers to the chunks
 * @size: size of an item
 * @link: offset in an unused item of the uint32_t number of the next unused item
 * @free: first unused item, or NONE
 * @end: one past the highest number that was ever in use
 * @limit: maximum of @end
 */
struct slab {
	char **chunks;
	uint32_t size;
	uint32_t link;
	uint32_t free;
	uint32_t end;
	uint32_t limit;
};

void slab_init(struct slab *slab, uint32_t size, uint32_t link, uint32_t limit);
void slab_exit(struct slab *slab);
/* Returns an unused number, or NONE. An item is zeroed the first time that it is in use. */
uint32_t slab_take(struct slab *slab);
void slab_put(struct slab *slab, uint32_t nr);

static inline void *slab_at(const struct slab *slab, uint32_t nr)
{
	return slab->chunks[nr >> CHUNK_BITS] +
	       (size_t)(nr % (1 << CHUNK_BITS)) * slab->size;
}

/**
 * struct table - Numbers by hash: open addressing, at most half full.
 * @segments: subtables, selected by the highest bits of the hash. They grow one at a time,
 *	so one insertion moves only a small part of the table.
 * @count: numbers in all segments
 *
 * The owner compares items that have the same hash.
 */
struct table {
	struct segment {
		struct place {
			uint32_t nr;
			uint32_t hash;
		} *places;
		uint32_t mask;
		uint32_t count;
	} segments[1 << SEGMENT_BITS];
	uint32_t count;
};

void table_init(struct table *table);
void table_exit(struct table *table);
void table_add(struct table *table, uint32_t nr, uint32_t hash);
/* @nr must be in the table. */
void table_remove(struct table *table, uint32_t nr, uint32_t hash);

/*
 * Returns the next number with this hash, or NONE. *@at is the state of the search, and equal
 * to @hash at its beginning.
 */
static inline uint32_t table_next(const struct table *table, uint32_t hash, uint32_t *at)
{
	const struct segment *segment = &table->segments[hash >> (32 - SEGMENT_BITS)];
	const struct place *place;

	do
		place = &segment->places[(*at)++ & segment->mask];
	while (place->nr != NONE && place->hash != hash);
	return place->nr;
}

#endif
