// SPDX-License-Identifier: MIT
#include <string.h>

#include "api.h"
#include "table.h"

#define SMALLEST	128

static void places_make(struct table *table, uint32_t count)
{
	table->places = RedisModule_Alloc(count * sizeof(*table->places));
	memset(table->places, 0xff, count * sizeof(*table->places));
	table->mask = count - 1;
	table->count = 0;
}

void table_init(struct table *table)
{
	places_make(table, SMALLEST);
}

void table_exit(struct table *table)
{
	RedisModule_Free(table->places);
}

static void grow(struct table *table)
{
	struct place *old = table->places;
	uint32_t count = table->mask + 1;
	uint32_t at;

	places_make(table, 2 * count);
	for (at = 0; at < count; at++)
		if (old[at].nr != NONE)
			table_add(table, old[at].nr, old[at].hash);
	RedisModule_Free(old);
}

void table_add(struct table *table, uint32_t nr, uint32_t hash)
{
	uint32_t at = hash;

	if (table_is_full(table))
		grow(table);
	while (table->places[at & table->mask].nr != NONE)
		at++;
	table->places[at & table->mask] = (struct place){ .nr = nr, .hash = hash };
	table->count++;
}

/* Closes the gap at @gap: those behind it that may stand nearer move up. */
static void gap_close(struct table *table, uint32_t gap)
{
	struct place *places = table->places;
	uint32_t mask = table->mask;
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
	uint32_t at = hash & table->mask;

	while (table->places[at].nr != nr)
		at = (at + 1) & table->mask;
	gap_close(table, at);
	table->count--;
}
