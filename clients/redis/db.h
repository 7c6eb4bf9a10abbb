/* SPDX-License-Identifier: MIT */
/*
 * The databases. SWAPDB exchanges the numbers of two of them; the scan addresses a database by
 * the number that it had when the module was loaded, so it visits each one.
 */
#ifndef DB_H
#define DB_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;

void db_init(struct RedisModuleCtx *ctx);
void db_exit(void);
uint16_t db_count(void);
/* Returns the current number of a database by its number at load time. */
int db_number(uint16_t original);
void db_swapped(int first, int second);
/* Returns the number of keys in all databases. */
uint64_t db_keys(struct RedisModuleCtx *ctx);
/*
 * Finds the databases in which keys have a TTL, for db_may_expire(), and returns the number of
 * all keys in them.
 */
uint64_t db_find_expiring(struct RedisModuleCtx *ctx);
bool db_may_expire(uint16_t original);

/**
 * struct lookup - Result of a lookup in all databases.
 * @expires_ms: earliest expiry of a key of that name; INT64_MAX if none expires
 * @deleted: number of expired keys that the server has just deleted
 */
struct lookup {
	int64_t expires_ms;
	uint32_t deleted;
};

/* Must precede db_lookup(). No command may run between the two. */
void db_lookup_begin(struct RedisModuleCtx *ctx);
/* Looks a name up in each database that has keys. The server deletes the expired ones. */
struct lookup db_lookup(struct RedisModuleCtx *ctx, struct RedisModuleString *name);

#endif
