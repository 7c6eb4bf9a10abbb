// SPDX-License-Identifier: MIT
/*
 * One scan takes half the horizon H. Two consecutive visits of a key are at most two scans, H,
 * apart. A key that expires later than H after one visit is therefore visited again before.
 *
 * A scan consists of steps, each started by a timer on the wheel.
 */
#include "api.h"
#include "db.h"
#include "due.h"
#include "scan.h"

#define STEP_KEYS	256
/* Limit on the buckets of the server's table per step: most of them may be empty. */
#define STEP_BUCKETS	(32 * STEP_KEYS)

static struct {
	struct RedisModuleScanCursor *cursor;
	/* The database of the cursor, by its original number. */
	uint16_t db;
	/* Steps follow each other without a pause until the end of the scan. */
	bool at_once;
	uint64_t done;
} scan;

static void scan_step(struct RedisModuleCtx *ctx);

void scan_init(void)
{
	scan.cursor = RedisModule_ScanCursorCreate();
	scan.done = 0;
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
	scan.db = 0;
	RedisModule_ScanCursorRestart(scan.cursor);
	due_wake_at(due_now_ms() + 1, scan_step);
}

static void visit(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
		  struct RedisModuleKey *key, void *seen)
{
	int64_t expires_ms = RedisModule_GetAbsExpire(key);

	++*(uint32_t *)seen;
	if (expires_ms != REDIS_NO_EXPIRE)
		due_expect(name, expires_ms);
}

/* Scans at least @keys keys. Returns true at the end of the last database. */
static bool scan_some(struct RedisModuleCtx *ctx, uint32_t keys, uint32_t buckets)
{
	uint32_t seen = 0;

	while (seen < keys && buckets--) {
		RedisModule_SelectDb(ctx, db_number(scan.db));
		if (RedisModule_Scan(ctx, scan.cursor, visit, &seen))
			continue;
		RedisModule_ScanCursorRestart(scan.cursor);
		if (++scan.db == db_count()) {
			scan.db = 0;
			return true;
		}
	}
	return false;
}

static void scan_step(struct RedisModuleCtx *ctx)
{
	uint64_t all = db_keys(ctx);
	uint64_t length_ms = due_horizon() / 2;
	uint64_t keys = STEP_KEYS, pause_ms;
	int64_t begin_ms = due_now_ms();

	/* If one step per millisecond is not enough, the steps are longer. */
	if (all / length_ms > keys)
		keys = all / length_ms + 1;
	if (scan_some(ctx, keys, STEP_BUCKETS)) {
		scan.done++;
		scan.at_once = false;
	}
	if (all < keys)
		all = keys;
	pause_ms = scan.at_once ? 1 : length_ms * keys / all;
	due_wake_at(begin_ms + (pause_ms ? pause_ms : 1), scan_step);
}
