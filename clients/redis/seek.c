// SPDX-License-Identifier: MIT
#include "api.h"
#include "homes.h"
#include "seek.h"

static struct {
	/* The numbers of the databases that had keys when it began. */
	uint16_t *dbs;
	uint16_t count;
} with_keys;

void seek_init(void)
{
	with_keys.dbs = RedisModule_Alloc(homes_count() * sizeof(*with_keys.dbs));
	with_keys.count = 0;
}

void seek_exit(void)
{
	RedisModule_Free(with_keys.dbs);
}

void seek_begin(struct RedisModuleCtx *ctx)
{
	uint16_t db;

	with_keys.count = 0;
	for (db = 0; db < homes_count(); db++) {
		RedisModule_SelectDb(ctx, db);
		if (RedisModule_DbSize(ctx))
			with_keys.dbs[with_keys.count++] = db;
	}
}

/* In the selected database. */
static void seek_here(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
		      struct found *found)
{
	unsigned long long size = RedisModule_DbSize(ctx);
	struct RedisModuleKey *key =
		RedisModule_OpenKey(ctx, name, REDIS_WRITE | REDIS_NO_TOUCH);
	int64_t expires_ms = RedisModule_GetAbsExpire(key);

	RedisModule_CloseKey(key);
	found->gone += RedisModule_DbSize(ctx) < size;
	if (expires_ms != REDIS_NO_EXPIRE && expires_ms < found->expires_ms)
		found->expires_ms = expires_ms;
}

struct found seek(struct RedisModuleCtx *ctx, struct RedisModuleString *name)
{
	struct found found = { .expires_ms = INT64_MAX };
	uint16_t i;

	for (i = 0; i < with_keys.count; i++) {
		RedisModule_SelectDb(ctx, with_keys.dbs[i]);
		seek_here(ctx, name, &found);
	}
	return found;
}
