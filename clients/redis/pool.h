/* SPDX-License-Identifier: MIT */
/*
 * An array of things that are known by number, which doubles when it is full. A number that
 * is given back is taken first.
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>
#include <stdint.h>

#include "table.h"

/**
 * struct pool - things by number
 * @all: the array
 * @size: of a thing
 * @link: where in a thing that is not in use the number of the next such is, a uint32_t
 * @free: the first such, or NONE
 * @end: one past the highest number taken so far
 * @room: things that the array has room for
 * @limit: and may have
 */
struct pool {
	void *all;
	uint32_t size;
	uint32_t link;
	uint32_t free;
	uint32_t end;
	uint32_t room;
	uint32_t limit;
};

void pool_init(struct pool *pool, uint32_t size, uint32_t link, uint32_t limit);
void pool_exit(struct pool *pool);
/*
 * A number that is not in use, or NONE. A thing is zeroed when its number is taken for the first
 * time. The array may move.
 */
static inline uint32_t pool_take(struct pool *pool);
void pool_give(struct pool *pool, uint32_t nr);

/* One that was never taken, or NONE. */
uint32_t pool_extend(struct pool *pool);

static inline uint32_t *pool_link(const struct pool *pool, uint32_t nr)
{
	return (uint32_t *)((char *)pool->all + (size_t)nr * pool->size + pool->link);
}

static inline uint32_t pool_take(struct pool *pool)
{
	uint32_t nr = pool->free;

	if (nr == NONE)
		return pool_extend(pool);
	pool->free = *pool_link(pool, nr);
	return nr;
}

#endif
