// SPDX-License-Identifier: MIT
/*
 * A scan visits all keys of the databases in which keys have a TTL, in half the horizon H. It
 * finds those that expire within H, and the earliest expiry E of the others. Commands that set a
 * far TTL lower E. The next scan begins when E is less than H away, so that it visits the key
 * before E. Whether it is due is checked every H / 2. A key that is set after a check has a TTL of
 * more than H, so the scan that the next check begins ends before its expiry.
 *
 * A TTL that no command has set is found only by a scan that is due because of the age of the
 * last one.
 *
 * A scan consists of steps, each started by a timer on the wheel.
 */
#include "api.h"
#include "db.h"
#include "due.h"
#include "scan.h"
#include "server.h"

#define STEP_KEYS	256
/* Limit on the buckets of the server's table per step: most of them may be empty. */
#define STEP_BUCKETS	(32 * STEP_KEYS)

/* The age of the last scan, in horizons, after which another one is due. */
#define AGE_MAX		16

static struct {
	struct RedisModuleScanCursor *cursor;
	/* A scan is in progress: when it began, and the number of keys that it visits. */
	bool running;
	int64_t begin_ms;
	uint64_t keys;
	/* The database of the cursor, by its original number. */
	uint16_t db;
	/* A scan is due, whose steps follow each other without a pause. */
	bool at_once;
	uint64_t done;
} scan;

static void scan_step(struct RedisModuleCtx *ctx);

void scan_init(void)
{
	scan.cursor = RedisModule_ScanCursorCreate();
	scan.done = 0;
	scan.running = false;
}

void scan_exit(void)
{
	RedisModule_ScanCursorDestroy(scan.cursor);
}

uint64_t scans_done(void)
{
	return scan.done;
}

void scan_at_once(void)
{
	scan.at_once = true;
	scan.running = false;
	due_wake_at(due_now_ms() + 1, scan_step);
}

static void visit(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
		  struct RedisModuleKey *key, void *seen)
{
	int64_t expires_ms = RedisModule_GetAbsExpire(key);

	++*(uint32_t *)seen;
	if (expires_ms != REDIS_NO_EXPIRE)
		due_expect(name, expires_ms, db_here(ctx));
}

/* Scans part of the current database. Returns true if there is more of it. */
static bool scan_db(struct RedisModuleCtx *ctx, uint32_t *seen)
{
	if (!db_may_expire(scan.db))
		return false;
	RedisModule_SelectDb(ctx, db_number(scan.db));
	return RedisModule_Scan(ctx, scan.cursor, visit, seen);
}

/* Scans at least @keys keys. Returns true at the end of the last database. */
static bool scan_some(struct RedisModuleCtx *ctx, uint32_t keys, uint32_t buckets)
{
	uint32_t seen = 0;

	while (seen < keys && buckets--) {
		if (scan_db(ctx, &seen))
			continue;
		RedisModule_ScanCursorRestart(scan.cursor);
		if (++scan.db == db_count()) {
			scan.db = 0;
			return true;
		}
	}
	return false;
}

static bool is_due(int64_t now_ms)
{
	return scan.at_once || due_far_ms() - due_horizon() <= now_ms ||
	       now_ms - scan.begin_ms >= AGE_MAX * due_horizon();
}

static void begin(struct RedisModuleCtx *ctx, int64_t now_ms)
{
	/* A command that has been read may set its TTL after the scan has visited the key. */
	if (!transactions_may_be_open() && !RedisModule_AvoidReplicaTraffic())
		due_far_forget();
	scan.begin_ms = now_ms;
	scan.db = 0;
	scan.running = true;
	RedisModule_ScanCursorRestart(scan.cursor);
}

/* Returns the time until the next step. */
static int64_t scan_more(struct RedisModuleCtx *ctx)
{
	uint64_t all = scan.keys, keys = STEP_KEYS;
	uint64_t length_ms = due_horizon() / 2;

	/* If one step per millisecond is not enough, the steps are longer. */
	if (all / length_ms > keys)
		keys = all / length_ms + 1;
	if (scan_some(ctx, keys, STEP_BUCKETS)) {
		scan.done++;
		scan.at_once = false;
		scan.running = false;
		return 1;
	}
	if (all < keys)
		all = keys;
	return scan.at_once ? 1 : length_ms * keys / all;
}

static void scan_step(struct RedisModuleCtx *ctx)
{
	int64_t begin_ms = due_now_ms(), pause_ms = due_horizon() / 2;

	if (!scan.running && is_due(begin_ms)) {
		scan.keys = db_find_expiring(ctx);
		if (scan.keys || scan.at_once)
			begin(ctx, begin_ms);
	}
	if (scan.running)
		pause_ms = scan_more(ctx);
	due_wake_at(begin_ms + (pause_ms ? pause_ms : 1), scan_step);
}
