// SPDX-License-Identifier: MIT
#include <string.h>

#include "api.h"
#include "pool.h"
#include "table.h"

#define SMALLEST	64

void pool_init(struct pool *pool, uint32_t size, uint32_t link, uint32_t limit)
{
	*pool = (struct pool) {
		.size = size,
		.link = link,
		.free = NONE,
		.limit = limit,
	};
}

void pool_exit(struct pool *pool)
{
	RedisModule_Free(pool->all);
}

static char *thing_at(const struct pool *pool, uint32_t nr)
{
	return (char *)pool->all + (size_t)nr * pool->size;
}

static uint32_t *link_of(const struct pool *pool, uint32_t nr)
{
	return (uint32_t *)(thing_at(pool, nr) + pool->link);
}

static void grow(struct pool *pool)
{
	pool->room = pool->room ? 2 * pool->room : SMALLEST;
	pool->all = RedisModule_Realloc(pool->all, (size_t)pool->room * pool->size);
}

uint32_t pool_take(struct pool *pool)
{
	uint32_t nr = pool->free;

	if (nr != NONE) {
		pool->free = *link_of(pool, nr);
		return nr;
	}
	if (pool->end == pool->limit)
		return NONE;
	if (pool->end == pool->room)
		grow(pool);
	nr = pool->end++;
	memset(thing_at(pool, nr), 0, pool->size);
	return nr;
}

void pool_give(struct pool *pool, uint32_t nr)
{
	*link_of(pool, nr) = pool->free;
	pool->free = nr;
}
