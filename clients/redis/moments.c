// SPDX-License-Identifier: MIT
#include <string.h>

#include "api.h"
#include "moments.h"

#define SMALLEST	64

static struct {
	struct moment *all;
	uint32_t end, room, limit;
	uint32_t free_list;
	struct table table;
} moments;

void moments_init(uint32_t limit)
{
	memset(&moments, 0, sizeof(moments));
	moments.limit = limit;
	moments.free_list = NONE;
	table_init(&moments.table);
}

void moments_exit(void)
{
	table_exit(&moments.table);
	RedisModule_Free(moments.all);
}

struct moment *moment_at(uint32_t nr)
{
	return &moments.all[nr];
}

/* Neighbours in time are no neighbours in the table, where long runs are slow. */
static uint32_t hash_of(int64_t ms)
{
	return (uint64_t)ms * 0x9e3779b97f4a7c15 >> 32;
}

uint32_t moment_find(int64_t ms)
{
	uint32_t at = hash_of(ms);
	uint32_t nr;

	do
		nr = table_next(&moments.table, hash_of(ms), &at);
	while (nr != NONE && moments.all[nr].ms != ms);
	return nr;
}

/* A number that is not in use, or NONE. */
static uint32_t number_pick(void)
{
	uint32_t nr = moments.free_list;

	if (nr != NONE) {
		moments.free_list = moments.all[nr].next_free;
		return nr;
	}
	if (moments.end == moments.limit)
		return NONE;
	if (moments.end == moments.room) {
		moments.room = moments.room ? 2 * moments.room : SMALLEST;
		moments.all = RedisModule_Realloc(moments.all,
						  moments.room * sizeof(*moments.all));
	}
	moments.all[moments.end].generation = 0;
	return moments.end++;
}

uint32_t moment_add(int64_t ms)
{
	uint32_t nr = number_pick();
	struct moment *moment;

	if (nr == NONE)
		return NONE;
	moment = &moments.all[nr];
	moment->ms = ms;
	moment->generation++;
	moment->first = NONE;
	moment->state = MOMENT_WAITING;
	table_add(&moments.table, nr, hash_of(ms));
	return nr;
}

void moment_close(uint32_t nr, enum moment_state state)
{
	struct moment *moment = &moments.all[nr];

	table_remove(&moments.table, nr, hash_of(moment->ms));
	moment->state = state;
}

void moment_free(uint32_t nr)
{
	moments.all[nr].next_free = moments.free_list;
	moments.free_list = nr;
}
