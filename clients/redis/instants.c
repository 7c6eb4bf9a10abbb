// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "instants.h"

static struct {
	struct slab slab;
	struct table table;
	/* The result of the last search: most commands of one read have the same one. */
	uint32_t last;
} instants;

void instants_init(uint32_t limit)
{
	slab_init(&instants.slab, sizeof(struct instant), offsetof(struct instant, next_free),
		  limit);
	table_init(&instants.table);
	instants.last = NONE;
}

void instants_exit(void)
{
	table_exit(&instants.table);
	slab_exit(&instants.slab);
}

struct instant *instant_at(uint32_t nr)
{
	return slab_at(&instants.slab, nr);
}

/* Consecutive milliseconds must not be neighbours in the table: long runs are slow. */
static uint32_t hash_of(int64_t ms)
{
	return (uint64_t)ms * 0x9e3779b97f4a7c15 >> 32;
}

uint32_t instant_find(int64_t ms)
{
	uint32_t nr = instants.last;
	uint32_t at;

	if (nr != NONE && instant_at(nr)->ms == ms)
		return nr;
	at = hash_of(ms);
	do
		nr = table_next(&instants.table, hash_of(ms), &at);
	while (nr != NONE && instant_at(nr)->ms != ms);
	instants.last = nr;
	return nr;
}

uint32_t instant_add(int64_t ms)
{
	uint32_t nr = slab_take(&instants.slab);
	struct instant *instant;

	if (nr == NONE)
		return NONE;
	instant = instant_at(nr);
	instant->ms = ms;
	instant->generation++;
	instant->first = NONE;
	instant->state = INSTANT_ARMED;
	table_add(&instants.table, nr, hash_of(ms));
	instants.last = nr;
	return nr;
}

void instant_close(uint32_t nr, enum instant_state state)
{
	struct instant *instant = instant_at(nr);

	if (nr == instants.last)
		instants.last = NONE;
	table_remove(&instants.table, nr, hash_of(instant->ms));
	instant->state = state;
}

void instant_free(uint32_t nr)
{
	slab_put(&instants.slab, nr);
}
