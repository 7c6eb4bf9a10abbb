// SPDX-License-Identifier: MIT
#include <errno.h>
#include <libwheel.h>
#include <string.h>

#include "api.h"
#include "due.h"
#include "homes.h"
#include "keys.h"

#define NS_PER_MS	1000000ull
/* Operations a call; keys that may expire before others are served. */
#define BATCH		64

static struct {
	struct libwheel *wheel;
	int64_t horizon_ms;
	/* One slot is no key's: it is for due_wake_at(). */
	uint32_t wake_slot;
	uint64_t wake_generation;
	due_wake_fn *wake;
	struct wheel_op ops[BATCH];
	uint32_t ops_count;
	struct due_counts counts;
} due;

int due_open(uint32_t limit)
{
	const struct libwheel_options options = {
		.size = sizeof(options),
		.clock = WHEEL_CLOCK_REALTIME,
		.scheme = WHEEL_HASHED,
		.timers = limit + 1,
		.tick_ns = NS_PER_MS,
	};

	memset(&due.counts, 0, sizeof(due.counts));
	due.ops_count = 0;
	due.wake_slot = limit;
	due.wake_generation = 0;
	return libwheel_open(&due.wheel, &options);
}

void due_close(void)
{
	libwheel_close(due.wheel);
	due.wheel = NULL;
}

int due_fd(void)
{
	return libwheel_fd(due.wheel);
}

const char *due_backend(void)
{
	return libwheel_backend(due.wheel) == LIBWHEEL_KERNEL ? "kernel" : "user";
}

const struct due_counts *due_counts(void)
{
	return &due.counts;
}

int64_t due_now_ms(void)
{
	return libwheel_now(due.wheel) / NS_PER_MS;
}

void due_set_horizon(int64_t ms)
{
	due.horizon_ms = ms;
}

int64_t due_horizon(void)
{
	return due.horizon_ms;
}

/* An operation that was queued has its answer. */
static void op_settle(const struct wheel_op *op)
{
	uint32_t nr = WHEEL_ID_SLOT(op->id);
	struct key *key = key_at(nr);

	if (WHEEL_ID_GEN(op->id) != key->generation)
		return;
	if (op->op == WHEEL_OP_ARM && op->res < 0) {
		due.counts.refused++;
		if (key->state == KEY_WAITING)
			key_leave(nr);
		key_free(nr);
	}
	/* Not cancelled: it fired, and due_serve() is going to take its event. */
	if (op->op == WHEEL_OP_CANCEL && !op->res && key->state == KEY_LEAVING)
		key_free(nr);
}

void due_submit(void)
{
	uint32_t at = 0, done, i;

	while (at < due.ops_count) {
		int err = libwheel_submit(due.wheel, due.ops + at,
					  due.ops_count - at, &done);

		at += done;
		/* Each gets its answer, if need be the call's. */
		if (err < 0 && err != -EINTR && at < due.ops_count)
			due.ops[at++].res = err;
	}
	for (i = 0; i < due.ops_count; i++)
		op_settle(&due.ops[i]);
	due.ops_count = 0;
}

static void op_queue(uint32_t op, uint32_t nr)
{
	const struct key *key = key_at(nr);

	due.ops[due.ops_count++] = (struct wheel_op) {
		.op = op,
		.id = WHEEL_ID(nr, key->generation),
		/* To Redis a key has expired once its time has passed. */
		.when = (key->expires_ms + 1) * NS_PER_MS,
	};
	if (due.ops_count == BATCH)
		due_submit();
}

static bool is_near(int64_t expires_ms)
{
	return expires_ms != REDIS_NO_EXPIRE && expires_ms != INT64_MAX &&
	       expires_ms <= due_now_ms() + due.horizon_ms;
}

void due_expect(struct RedisModuleString *name, uint16_t home,
		int64_t expires_ms)
{
	uint32_t nr;

	if (!is_near(expires_ms))
		return;
	nr = key_find(name, home);
	if (nr != NO_KEY) {
		/* A timer that is due too early finds the later time itself. */
		if (expires_ms >= key_at(nr)->expires_ms)
			return;
		key_at(nr)->expires_ms = expires_ms;
		op_queue(WHEEL_OP_REARM, nr);
		return;
	}
	nr = key_add(name, home);
	if (nr == NO_KEY) {
		due.counts.refused++;
		return;
	}
	key_at(nr)->expires_ms = expires_ms;
	op_queue(WHEEL_OP_ARM, nr);
}

static void forget(uint32_t nr)
{
	key_leave(nr);
	op_queue(WHEEL_OP_CANCEL, nr);
}

void due_forget(const struct RedisModuleString *name, uint16_t home)
{
	uint32_t nr = key_find(name, home);

	if (nr != NO_KEY)
		forget(nr);
}

void due_forget_all(uint16_t home)
{
	uint32_t nr;

	for (nr = 0; nr < keys_end(); nr++) {
		const struct key *key = key_at(nr);

		if (key->state == KEY_WAITING &&
		    (home == ALL_HOMES || home == key->home))
			forget(nr);
	}
	due_submit();
}

void due_wake_at(int64_t ms, due_wake_fn *wake)
{
	uint64_t id = WHEEL_ID(due.wake_slot, due.wake_generation);

	due.wake = wake;
	if (!libwheel_rearm(due.wheel, id, ms * NS_PER_MS))
		return;
	/* -EBUSY: it has fired, and due_serve() is about to call. */
	id = WHEEL_ID(due.wake_slot, ++due.wake_generation);
	libwheel_arm(due.wheel, &id, ms * NS_PER_MS, 0);
}

static void note_expired(int64_t expires_ms)
{
	uint64_t late_us = libwheel_now(due.wheel) / 1000 - expires_ms * 1000;

	due.counts.expired++;
	if (late_us > due.counts.late_max_us)
		due.counts.late_max_us = late_us;
}

/* The timer of a key is due: Redis expires it, or knows of a later time. */
static void key_due(struct RedisModuleCtx *ctx, uint32_t nr)
{
	struct key *key = key_at(nr);
	unsigned long long size;
	struct RedisModuleKey *open;
	int64_t expires_ms;

	RedisModule_SelectDb(ctx, home_db(key->home));
	size = RedisModule_DbSize(ctx);
	open = RedisModule_OpenKey(ctx, key->name, REDIS_WRITE | REDIS_NO_TOUCH);
	expires_ms = RedisModule_GetAbsExpire(open);
	RedisModule_CloseKey(open);
	if (RedisModule_DbSize(ctx) < size)
		note_expired(key->expires_ms);

	if (!is_near(expires_ms)) {
		key_leave(nr);
		key_free(nr);
		return;
	}
	due.counts.moved++;
	key->expires_ms = expires_ms;
	key->generation++;
	op_queue(WHEEL_OP_ARM, nr);
}

bool due_serve(struct RedisModuleCtx *ctx)
{
	struct wheel_event events[BATCH];
	int count = libwheel_expirations(due.wheel, events, BATCH);
	int i;

	for (i = 0; i < count; i++) {
		uint32_t nr = WHEEL_ID_SLOT(events[i].id);

		if (nr == due.wake_slot)
			due.wake(ctx);
		else if (key_at(nr)->state == KEY_WAITING)
			key_due(ctx, nr);
		else
			key_free(nr);
	}
	due_submit();
	return count == BATCH;
}
