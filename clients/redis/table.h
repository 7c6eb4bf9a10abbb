/* SPDX-License-Identifier: MIT */
/*
 * Numbers, found by a hash of what they stand for: open addressing, at most half full.
 * Numbers of one hash are told apart by their owner.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* No number. */
#define NONE	UINT32_MAX

/**
 * struct table - numbers by hash
 * @places: a power of two of them; the number is NONE where nothing is
 * @mask: turns a hash into the place that it belongs to
 * @count: numbers in it
 */
struct table {
	struct place {
		uint32_t nr;
		uint32_t hash;
	} *places;
	uint32_t mask;
	uint32_t count;
};

void table_init(struct table *table);
void table_exit(struct table *table);
void table_add(struct table *table, uint32_t nr, uint32_t hash);
/* @nr is there. */
void table_remove(struct table *table, uint32_t nr, uint32_t hash);

/* The next number with this hash from place *@at on, which is @hash at first; or NONE. */
static inline uint32_t table_next(const struct table *table, uint32_t hash,
				  uint32_t *at)
{
	const struct place *place;

	do
		place = &table->places[(*at)++ & table->mask];
	while (place->nr != NONE && place->hash != hash);
	return place->nr;
}

/* At most half of them are taken. */
static inline bool table_is_full(const struct table *table)
{
	return 2 * (table->count + 1) > table->mask;
}

/* The same as table_add() where table_next() has just found no more, and left @at. */
static inline void table_add_at(struct table *table, uint32_t nr, uint32_t hash, uint32_t at)
{
	if (table_is_full(table)) {
		table_add(table, nr, hash);
		return;
	}
	table->places[(at - 1) & table->mask] = (struct place){ .nr = nr, .hash = hash };
	table->count++;
}

#endif
