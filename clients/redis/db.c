// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "db.h"

/* Number of databases in which a lookup costs as much as a notification. */
#define MANY	16

static struct {
	uint16_t count;
	/* Original number by present number, and the inverse. */
	uint16_t *original;
	uint16_t *number;
	/* Numbers of the databases with keys, found since db_lookup_begin(). */
	uint16_t *used;
	uint16_t used_count;
	bool found, learns;
	uint64_t lookups;
	/* By original number. */
	bool *expiring;
} db;

void db_init(struct RedisModuleCtx *ctx)
{
	int selected = RedisModule_GetSelectedDb(ctx);
	uint16_t i;

	db.count = 0;
	db.learns = false;
	db.lookups = 0;
	while (db.count < DB_SEVERAL && RedisModule_SelectDb(ctx, db.count) == REDIS_OK)
		db.count++;
	RedisModule_SelectDb(ctx, selected);

	db.original = RedisModule_Alloc(db.count * sizeof(*db.original));
	db.number = RedisModule_Alloc(db.count * sizeof(*db.number));
	db.used = RedisModule_Alloc(db.count * sizeof(*db.used));
	db.expiring = RedisModule_Calloc(db.count, sizeof(*db.expiring));
	for (i = 0; i < db.count; i++) {
		db.original[i] = i;
		db.number[i] = i;
	}
}

void db_exit(void)
{
	RedisModule_Free(db.original);
	RedisModule_Free(db.number);
	RedisModule_Free(db.used);
	RedisModule_Free(db.expiring);
}

uint16_t db_count(void)
{
	return db.count;
}

int db_number(uint16_t original)
{
	return db.number[original];
}

void db_swapped(int first, int second)
{
	uint16_t original = db.original[first];

	db.original[first] = db.original[second];
	db.original[second] = original;
	db.number[db.original[first]] = first;
	db.number[db.original[second]] = second;
}

uint64_t db_keys(struct RedisModuleCtx *ctx)
{
	uint64_t keys = 0, here;
	uint16_t nr;

	db.found = true;
	db.used_count = 0;
	for (nr = 0; nr < db.count; nr++) {
		RedisModule_SelectDb(ctx, nr);
		here = RedisModule_DbSize(ctx);
		if (here)
			db.used[db.used_count++] = nr;
		keys += here;
	}
	return keys;
}

/* INFO has the line "db0:keys=1,expires=0,..." for each database with keys. */
static bool has_expiring(struct RedisModuleServerInfoData *info, uint16_t nr)
{
	char name[16];
	const char *field;

	snprintf(name, sizeof(name), "db%u", nr);
	field = RedisModule_ServerInfoGetFieldC(info, name);
	return field && !strstr(field, "expires=0,");
}

uint64_t db_find_expiring(struct RedisModuleCtx *ctx)
{
	struct RedisModuleServerInfoData *info = RedisModule_GetServerInfo(ctx, "keyspace");
	uint64_t keys = 0;
	uint16_t nr;

	for (nr = 0; nr < db.count; nr++) {
		bool found = has_expiring(info, nr);

		db.expiring[db.original[nr]] = found;
		if (!found)
			continue;
		RedisModule_SelectDb(ctx, nr);
		keys += RedisModule_DbSize(ctx);
	}
	RedisModule_FreeServerInfo(ctx, info);
	return keys;
}

bool db_may_expire(uint16_t original)
{
	return db.expiring[original];
}

bool db_learning_is_wanted(void)
{
	return !db.learns && db.used_count > MANY;
}

void db_learn(void)
{
	db.learns = true;
}

uint16_t db_here(struct RedisModuleCtx *ctx)
{
	return db.learns ? db.original[RedisModule_GetSelectedDb(ctx)] : DB_ANY;
}

uint64_t db_lookups(void)
{
	return db.lookups;
}

void db_lookup_begin(void)
{
	db.found = false;
}

/* Looks the name up in the selected database. */
static void lookup_here(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
			struct lookup *found)
{
	unsigned long long size = RedisModule_DbSize(ctx);
	struct RedisModuleKey *key =
		RedisModule_OpenKey(ctx, name, REDIS_WRITE | REDIS_NO_TOUCH);
	int64_t expires_ms = RedisModule_GetAbsExpire(key);

	RedisModule_CloseKey(key);
	db.lookups++;
	found->deleted += RedisModule_DbSize(ctx) < size;
	if (expires_ms != REDIS_NO_EXPIRE && expires_ms < found->expires_ms)
		found->expires_ms = expires_ms;
}

struct lookup db_lookup(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
			uint16_t original)
{
	struct lookup found = { .expires_ms = INT64_MAX };
	uint16_t i;

	if (original < DB_SEVERAL) {
		RedisModule_SelectDb(ctx, db.number[original]);
		lookup_here(ctx, name, &found);
		return found;
	}
	if (!db.found)
		db_keys(ctx);
	for (i = 0; i < db.used_count; i++) {
		RedisModule_SelectDb(ctx, db.used[i]);
		lookup_here(ctx, name, &found);
	}
	return found;
}
