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

/* Instead of the original number of a database: any, because it is unknown; or more than one. */
#define DB_ANY		UINT16_MAX
#define DB_SEVERAL	(UINT16_MAX - 1)

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

/* Returns the number of lookups so far, one per name and database. */
uint64_t db_lookups(void);
/* Must precede db_lookup(). No command may run between the two. */
void db_lookup_begin(void);
/*
 * Looks a name up in the database @original, or in each one that has keys. The server deletes the
 * expired ones.
 */
struct lookup db_lookup(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
			uint16_t original);

/*
 * Learning: with many databases, a lookup in all of them costs more than the notification that
 * contains the database. Returns true if that is so, and the databases are not yet learned.
 */
bool db_learning_is_wanted(void);
void db_learn(void);
/* Returns the original number of the selected database; DB_ANY before db_learn(). */
uint16_t db_here(struct RedisModuleCtx *ctx);

#endif
