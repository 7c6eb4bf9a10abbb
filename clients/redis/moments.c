// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "api.h"
#include "moments.h"
#include "pool.h"

static struct {
	struct pool pool;
	struct table table;
	/* The one that was found last: those of one turn of the server mostly are the same. */
	uint32_t last;
} moments;

void moments_init(uint32_t limit)
{
	pool_init(&moments.pool, sizeof(struct moment), offsetof(struct moment, next_free), limit);
	table_init(&moments.table);
	moments.last = NONE;
}

void moments_exit(void)
{
	table_exit(&moments.table);
	pool_exit(&moments.pool);
}

struct moment *moment_at(uint32_t nr)
{
	return (struct moment *)moments.pool.all + nr;
}

/* Neighbours in time are no neighbours in the table, where long runs are slow. */
static uint32_t hash_of(int64_t ms)
{
	return (uint64_t)ms * 0x9e3779b97f4a7c15 >> 32;
}

uint32_t moment_find(int64_t ms)
{
	uint32_t nr = moments.last;
	uint32_t at;

	if (nr != NONE && moment_at(nr)->ms == ms)
		return nr;
	at = hash_of(ms);
	do
		nr = table_next(&moments.table, hash_of(ms), &at);
	while (nr != NONE && moment_at(nr)->ms != ms);
	moments.last = nr;
	return nr;
}

uint32_t moment_add(int64_t ms)
{
	uint32_t nr = pool_take(&moments.pool);
	struct moment *moment;

	if (nr == NONE)
		return NONE;
	moment = moment_at(nr);
	moment->ms = ms;
	moment->generation++;
	moment->first = NONE;
	moment->state = MOMENT_WAITING;
	table_add(&moments.table, nr, hash_of(ms));
	moments.last = nr;
	return nr;
}

void moment_close(uint32_t nr, enum moment_state state)
{
	struct moment *moment = moment_at(nr);

	if (nr == moments.last)
		moments.last = NONE;
	table_remove(&moments.table, nr, hash_of(moment->ms));
	moment->state = state;
}

void moment_free(uint32_t nr)
{
	pool_give(&moments.pool, nr);
}
