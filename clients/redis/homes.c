// SPDX-License-Identifier: MIT
#include "api.h"
#include "homes.h"

static struct {
	uint16_t count;
	/* By number, by home; one is the inverse of the other. */
	uint16_t *home;
	uint16_t *db;
} homes;

void homes_init(struct RedisModuleCtx *ctx)
{
	int selected = RedisModule_GetSelectedDb(ctx);
	uint16_t i;

	homes.count = 0;
	while (homes.count < UINT16_MAX &&
	       RedisModule_SelectDb(ctx, homes.count) == REDIS_OK)
		homes.count++;
	RedisModule_SelectDb(ctx, selected);

	homes.home = RedisModule_Alloc(homes.count * sizeof(*homes.home));
	homes.db = RedisModule_Alloc(homes.count * sizeof(*homes.db));
	for (i = 0; i < homes.count; i++) {
		homes.home[i] = i;
		homes.db[i] = i;
	}
}

void homes_exit(void)
{
	RedisModule_Free(homes.home);
	RedisModule_Free(homes.db);
}

uint16_t homes_count(void)
{
	return homes.count;
}

int home_db(uint16_t home)
{
	return homes.db[home];
}

void homes_swap(int first, int second)
{
	uint16_t home = homes.home[first];

	homes.home[first] = homes.home[second];
	homes.home[second] = home;
	homes.db[homes.home[first]] = first;
	homes.db[homes.home[second]] = second;
}

uint64_t homes_keys(struct RedisModuleCtx *ctx)
{
	uint64_t keys = 0;
	uint16_t db;

	for (db = 0; db < homes.count; db++) {
		RedisModule_SelectDb(ctx, db);
		keys += RedisModule_DbSize(ctx);
	}
	return keys;
}
