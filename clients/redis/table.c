// SPDX-License-Identifier: MIT
#include <string.h>

#include "api.h"
#include "table.h"

#define CHUNK		(1u << CHUNK_BITS)
#define SEGMENT_MIN	8

void slab_init(struct slab *slab, uint32_t size, uint32_t link, uint32_t limit)
{
	*slab = (struct slab) {
		.size = size,
		.link = link,
		.free = NONE,
		.limit = limit,
	};
}

void slab_exit(struct slab *slab)
{
	uint32_t nr;

	for (nr = 0; nr < slab->end; nr += CHUNK)
		RedisModule_Free(slab->chunks[nr / CHUNK]);
	RedisModule_Free(slab->chunks);
}

/* The array of chunks has a power of two of places. */
static void add_chunk(struct slab *slab)
{
	uint32_t count = slab->end / CHUNK;

	if (!(count & (count - 1)))
		slab->chunks = RedisModule_Realloc(slab->chunks, (count ? 2 * count : 1) *
						   sizeof(*slab->chunks));
	slab->chunks[count] = RedisModule_Calloc(CHUNK, slab->size);
}

static uint32_t *link_of(const struct slab *slab, uint32_t nr)
{
	return (uint32_t *)((char *)slab_at(slab, nr) + slab->link);
}

uint32_t slab_take(struct slab *slab)
{
	uint32_t nr = slab->free;

	if (nr != NONE) {
		slab->free = *link_of(slab, nr);
		return nr;
	}
	if (slab->end == slab->limit)
		return NONE;
	if (slab->end % CHUNK == 0)
		add_chunk(slab);
	return slab->end++;
}

void slab_put(struct slab *slab, uint32_t nr)
{
	*link_of(slab, nr) = slab->free;
	slab->free = nr;
}

static void segment_init(struct segment *segment, uint32_t places)
{
	size_t size = places * sizeof(*segment->places);

	segment->places = RedisModule_Alloc(size);
	memset(segment->places, 0xff, size);
	segment->mask = places - 1;
}

void table_init(struct table *table)
{
	struct segment *segment;

	memset(table, 0, sizeof(*table));
	for (segment = table->segments; segment < table->segments + (1 << SEGMENT_BITS); segment++)
		segment_init(segment, SEGMENT_MIN);
}

void table_exit(struct table *table)
{
	struct segment *segment;

	for (segment = table->segments; segment < table->segments + (1 << SEGMENT_BITS); segment++)
		RedisModule_Free(segment->places);
}

static struct segment *segment_of(struct table *table, uint32_t hash)
{
	return &table->segments[hash >> (32 - SEGMENT_BITS)];
}

static void put(struct segment *segment, struct place place)
{
	uint32_t at = place.hash;

	while (segment->places[at & segment->mask].nr != NONE)
		at++;
	segment->places[at & segment->mask] = place;
}

static void grow(struct segment *segment)
{
	struct place *old = segment->places;
	uint32_t count = segment->mask + 1;
	uint32_t at;

	segment_init(segment, 2 * count);
	for (at = 0; at < count; at++)
		if (old[at].nr != NONE)
			put(segment, old[at]);
	RedisModule_Free(old);
}

void table_add(struct table *table, uint32_t nr, uint32_t hash)
{
	struct segment *segment = segment_of(table, hash);

	if (2 * (segment->count + 1) > segment->mask)
		grow(segment);
	put(segment, (struct place){ .nr = nr, .hash = hash });
	segment->count++;
	table->count++;
}

/* Moves the numbers behind @gap that may be nearer to the place of their hash. */
static void close_gap(const struct segment *segment, uint32_t gap)
{
	struct place *places = segment->places;
	uint32_t mask = segment->mask;
	uint32_t at = gap;

	while (places[at = (at + 1) & mask].nr != NONE) {
		if (((at - places[at].hash) & mask) < ((at - gap) & mask))
			continue;
		places[gap] = places[at];
		gap = at;
	}
	places[gap].nr = NONE;
}

void table_remove(struct table *table, uint32_t nr, uint32_t hash)
{
	struct segment *segment = segment_of(table, hash);
	uint32_t at = hash & segment->mask;

	while (segment->places[at].nr != nr)
		at = (at + 1) & segment->mask;
	close_gap(segment, at);
	segment->count--;
	table->count--;
}
