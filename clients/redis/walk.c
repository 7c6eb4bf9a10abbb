// SPDX-License-Identifier: MIT
/*
 * One walk takes half a horizon H. Two visits of a key are at most two walks
 * apart, first in one and last in the next: H. So a key that expires later than
 * H after one visit is visited again before it expires.
 *
 * A walk is made of steps, each of which a timer on the wheel starts. Each goes
 * through so many keys, in so short a time that nobody notices.
 */
#include "api.h"
#include "due.h"
#include "homes.h"
#include "walk.h"

#define STEP_KEYS	256
/* Buckets of Redis's table, most of which may be empty, for each of them. */
#define STEP_BUCKETS	(32 * STEP_KEYS)

static struct {
	struct RedisModuleScanCursor *cursor;
	/* The database that it is in. */
	uint16_t home;
	/* No pause between the steps, until the end. */
	bool at_once;
	uint64_t done;
} walk;

static void walk_step(struct RedisModuleCtx *ctx);

void walk_init(void)
{
	walk.cursor = RedisModule_ScanCursorCreate();
	walk.done = 0;
}

void walk_exit(void)
{
	RedisModule_ScanCursorDestroy(walk.cursor);
}

uint64_t walks_done(void)
{
	return walk.done;
}

void walk_at_once(void)
{
	walk.at_once = true;
	walk.home = 0;
	RedisModule_ScanCursorRestart(walk.cursor);
	due_wake_at(due_now_ms() + 1, walk_step);
}

static void visit(struct RedisModuleCtx *ctx, struct RedisModuleString *name,
		  struct RedisModuleKey *key, void *seen)
{
	int64_t expires_ms = RedisModule_GetAbsExpire(key);

	++*(uint32_t *)seen;
	if (expires_ms != REDIS_NO_EXPIRE)
		due_expect(name, expires_ms);
}

/* True: that was the last key of all. */
static bool go_on(struct RedisModuleCtx *ctx, uint32_t keys, uint32_t buckets)
{
	uint32_t seen = 0;

	while (seen < keys && buckets--) {
		RedisModule_SelectDb(ctx, home_db(walk.home));
		if (RedisModule_Scan(ctx, walk.cursor, visit, &seen))
			continue;
		RedisModule_ScanCursorRestart(walk.cursor);
		if (++walk.home == homes_count()) {
			walk.home = 0;
			return true;
		}
	}
	return false;
}

static void walk_step(struct RedisModuleCtx *ctx)
{
	uint64_t all = homes_keys(ctx);
	uint64_t length_ms = due_horizon() / 2;
	uint64_t keys = STEP_KEYS, pause_ms;
	int64_t begun_ms = due_now_ms();

	/* More than a step a millisecond: longer steps. */
	if (all / length_ms > keys)
		keys = all / length_ms + 1;
	if (go_on(ctx, keys, STEP_BUCKETS)) {
		walk.done++;
		walk.at_once = false;
	}
	if (all < keys)
		all = keys;
	pause_ms = walk.at_once ? 1 : length_ms * keys / all;
	due_wake_at(begun_ms + (pause_ms ? pause_ms : 1), walk_step);
}
