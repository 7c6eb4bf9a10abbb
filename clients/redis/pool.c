// SPDX-License-Identifier: MIT
#include <string.h>

#include "api.h"
#include "pool.h"

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

static void grow(struct pool *pool)
{
	pool->room = pool->room ? 2 * pool->room : SMALLEST;
	pool->all = RedisModule_Realloc(pool->all, (size_t)pool->room * pool->size);
}

uint32_t pool_extend(struct pool *pool)
{
	uint32_t nr;

	if (pool->end == pool->limit)
		return NONE;
	if (pool->end == pool->room)
		grow(pool);
	nr = pool->end++;
	memset((char *)pool->all + (size_t)nr * pool->size, 0, pool->size);
	return nr;
}

void pool_give(struct pool *pool, uint32_t nr)
{
	*pool_link(pool, nr) = pool->free;
	pool->free = nr;
}
