/* SPDX-License-Identifier: MIT */
/*
 * The wheel: one timer for each millisecond in which keys expire within the horizon. When a
 * timer expires, the module opens its keys. The server itself then deletes those that have
 * expired, and notifies its subscribers and replicas.
 */
#ifndef DUE_H
#define DUE_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;
struct name;

/* Upper limits of the lag buckets, in ms. The last bucket has none. */
#define DUE_LAG_LIMITS	{ 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000 }
#define DUE_LAG_BUCKETS	14

/**
 * struct due_counts - Statistics since the module was loaded.
 * @expired: keys that the server deleted because their timer had expired
 * @moved: keys that turned out to expire later
 * @refused: keys that were left to the server's own expiry, because a limit was reached
 * @lag: of the deleted keys by lag, from a key's expiry time to its deletion
 * @lag_sum_us: sum of all lags
 * @lag_max_us: longest lag
 */
struct due_counts {
	uint64_t expired;
	uint64_t moved;
	uint64_t refused;
	uint64_t lag[DUE_LAG_BUCKETS];
	int64_t lag_sum_us;
	int64_t lag_max_us;
};

/* Returns 0, or a negative errno. */
int due_open(void);
void due_close(void);
/* The descriptor is readable when due_serve() has work. */
int due_fd(void);
/* Returns "kernel" or "user". */
const char *due_backend(void);
const struct due_counts *due_counts(void);
/* Returns the current time, in milliseconds since 1970. */
int64_t due_now_ms(void);
void due_set_horizon(int64_t ms);
int64_t due_horizon(void);

/*
 * A key of the database @db, or DB_ANY, may expire at @expires_ms. The key is checked then, so
 * a wrong time does no harm. A time beyond the horizon is far. INT64_MAX means that the key does
 * not expire.
 */
void due_expect(struct RedisModuleString *string, int64_t expires_ms, uint16_t db);
/* A key of the database @db has got a TTL, which was expected. */
void due_note_db(struct RedisModuleString *string, uint16_t db);
/*
 * Far keys expire beyond the horizon, and are not stored. due_far_ms() is a time before which none
 * of those expires that were seen since due_far_forget(); INT64_MAX if there are none.
 */
void due_far_life(int64_t lives_ms);
void due_far_forget(void);
int64_t due_far_ms(void);
/*
 * A command that has been read sets the TTL @lives_ms, within the horizon, when it is executed:
 * now, or when its transaction is.
 */
void due_expect_life(const struct name *name, int64_t lives_ms, uint16_t db);
/* Forgets some of the keys. Returns true if there may be more. */
bool due_forget_some(void);
void due_forget_all(void);
/* Passes the queued operations to the wheel. */
void due_submit(void);

/*
 * Pruning: a deleted key, or one whose command failed, remains known until its time. There
 * may be at most about twice as many known keys as keys. Beyond that, the known ones are checked.
 */
void due_prune_soon(void);
bool due_prune_is_wanted(void);
/* Checks some keys. Returns true if more must be checked. */
bool due_prune(struct RedisModuleCtx *ctx);

/* Calls @wake from due_serve() at that time, once. Replaces the previous such call. */
typedef void due_wake_fn(struct RedisModuleCtx *ctx);
void due_wake_at(int64_t ms, due_wake_fn *wake);
/* Lets the server delete some of the due keys. Returns true if there may be more. */
bool due_serve(struct RedisModuleCtx *ctx);
/* Returns how long the keys that are being deleted are overdue; 0 if there are none. */
int64_t due_overdue_ms(void);

#endif
