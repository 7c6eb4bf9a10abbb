// SPDX-License-Identifier: MIT
#include <errno.h>
#include <libwheel.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "due.h"
#include "keys.h"
#include "moments.h"
#include "seek.h"
#include "transactions.h"

#define NS_PER_MS	1000000ull
/*
 * Operations a call; keys that may expire before Redis does anything else. To let more of them
 * do so makes the last of 1,000 no sooner: nine tenths of what each takes are Redis's own.
 */
#define BATCH		64

static struct {
	struct libwheel *wheel;
	int64_t horizon_ms;
	/* One slot is no moment's: it is for due_wake_at(). */
	uint32_t wake_slot;
	uint64_t wake_generation;
	due_wake_fn *wake;
	int64_t wake_ms;
	/*
	 * A timer that the wheel has is due by then, and lets due_serve() run; so what is due
	 * later may be queued until then, or until the queue is full.
	 */
	int64_t soonest_ms;
	/* The moment that has come, or NONE. */
	uint32_t present;
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
	due.wake_ms = INT64_MAX;
	due.soonest_ms = INT64_MAX;
	due.present = NONE;
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

/* The wheel's clock. Each command comes here, so not by way of the library. */
static struct timespec now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time;
}

static int64_t now_us(void)
{
	struct timespec time = now();

	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t due_now_ms(void)
{
	struct timespec time = now();

	/* Less than 32 bits, without a sign, are the quickest to divide. */
	return time.tv_sec * 1000 + (uint32_t)time.tv_nsec / 1000000;
}

void due_set_horizon(int64_t ms)
{
	due.horizon_ms = ms;
}

int64_t due_horizon(void)
{
	return due.horizon_ms;
}

/* A key that does not expire within the horizon, or not any more. */
static void drop(uint32_t key)
{
	RedisModule_FreeString(NULL, key_remove(key));
}

/* Nobody waits for a moment any more. */
static void close_moment(uint32_t nr, enum moment_state state)
{
	if (moment_at(nr)->ms == due.soonest_ms)
		due.soonest_ms = due.wake_ms;
	moment_close(nr, state);
}

/* There is no room on the wheel: the keys of a moment are left to Redis. */
static void refuse(uint32_t nr)
{
	struct moment *moment = moment_at(nr);

	while (moment->first != NONE) {
		uint32_t key = moment->first;

		due.counts.refused++;
		key_unlink(&moment->first, key);
		drop(key);
	}
	if (moment->state == MOMENT_WAITING)
		close_moment(nr, MOMENT_LEAVING);
	moment_free(nr);
}

/* An operation that was queued has its answer. */
static void op_settle(const struct wheel_op *op)
{
	uint32_t nr = WHEEL_ID_SLOT(op->id);
	const struct moment *moment = moment_at(nr);

	if (WHEEL_ID_GEN(op->id) != moment->generation)
		return;
	if (op->op == WHEEL_OP_ARM && op->res < 0)
		refuse(nr);
	/* Not cancelled: it fired, and due_serve() is going to take its event. */
	if (op->op == WHEEL_OP_CANCEL && !op->res)
		moment_free(nr);
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
	const struct moment *moment = moment_at(nr);

	due.ops[due.ops_count++] = (struct wheel_op) {
		.op = op,
		.id = WHEEL_ID(nr, moment->generation),
		/* To Redis a key has expired once its time has passed. */
		.when = (moment->ms + 1) * NS_PER_MS,
	};
	if (op == WHEEL_OP_ARM && moment->ms < due.soonest_ms) {
		due.soonest_ms = moment->ms;
		due_submit();
	} else if (due.ops_count == BATCH) {
		due_submit();
	}
}

/* A new moment; where there is no room for it, those that are leaving go now. */
static uint32_t make_moment(int64_t ms)
{
	uint32_t nr = moment_add(ms);

	if (nr != NONE)
		return nr;
	due_submit();
	return moment_add(ms);
}

/* A key that is in no list waits for its moment. */
static void wait_for(uint32_t key, int64_t ms)
{
	uint32_t nr = moment_find(ms);
	bool is_new = nr == NONE;

	if (is_new)
		nr = make_moment(ms);
	if (nr == NONE) {
		due.counts.refused++;
		drop(key);
		return;
	}
	key_at(key)->moment = nr;
	key_link(&moment_at(nr)->first, key);
	if (is_new)
		op_queue(WHEEL_OP_ARM, nr);
}

/* A key waits no more. A moment without keys need not come. */
static void leave_moment(uint32_t key)
{
	uint32_t nr = key_at(key)->moment;
	struct moment *moment = moment_at(nr);

	key_unlink(&moment->first, key);
	if (moment->first != NONE || moment->state != MOMENT_WAITING)
		return;
	close_moment(nr, MOMENT_LEAVING);
	op_queue(WHEEL_OP_CANCEL, nr);
}

static bool is_near(int64_t expires_ms)
{
	return expires_ms != INT64_MAX && expires_ms <= due_now_ms() + due.horizon_ms;
}

/* How long a key lives after a command that may wait in a transaction; 0: none does. */
static int64_t queued_life(const struct key *key)
{
	if (!transactions_may_be_open() || key->round != transactions_round())
		return 0;
	return key->lives_ms;
}

static void note_queued(struct key *key, int64_t lives_ms)
{
	int64_t other_ms = queued_life(key);

	if (!transactions_may_be_open())
		return;
	key->lives_ms = other_ms && other_ms < lives_ms ? other_ms : lives_ms;
	key->round = transactions_round();
}

/* It may expire then; @lives_ms after a command that was read, or 0. */
static void expect(const struct name *name, int64_t expires_ms, int64_t lives_ms)
{
	bool known;
	uint32_t key = key_find_or_add(name, &known);

	if (key == NONE) {
		due.counts.refused++;
		return;
	}
	if (lives_ms)
		note_queued(key_at(key), lives_ms);
	if (known) {
		/* A moment that comes too early finds the later time itself. */
		if (expires_ms >= moment_at(key_at(key)->moment)->ms)
			return;
		leave_moment(key);
	}
	wait_for(key, expires_ms);
}

void due_expect(struct RedisModuleString *string, int64_t expires_ms)
{
	struct name name;

	if (!is_near(expires_ms))
		return;
	name = name_of(string);
	expect(&name, expires_ms, 0);
}

void due_expect_life(const struct name *name, int64_t lives_ms)
{
	/* Redis reads its clock later, so it cannot expire earlier. */
	if (lives_ms <= due.horizon_ms)
		expect(name, due_now_ms() + lives_ms, lives_ms);
}

static void forget(uint32_t key)
{
	leave_moment(key);
	drop(key);
}

void due_forget_all(void)
{
	uint32_t nr;

	for (nr = 0; nr < keys_end(); nr++)
		if (key_at(nr)->name)
			forget(nr);
	due_submit();
}

void due_wake_at(int64_t ms, due_wake_fn *wake)
{
	uint64_t id = WHEEL_ID(due.wake_slot, due.wake_generation);

	due.wake = wake;
	due.wake_ms = ms;
	due.soonest_ms = ms;
	if (!libwheel_rearm(due.wheel, id, ms * NS_PER_MS))
		return;
	/* -EBUSY: it has fired, and due_serve() is about to call. */
	id = WHEEL_ID(due.wake_slot, ++due.wake_generation);
	libwheel_arm(due.wheel, &id, ms * NS_PER_MS, 0);
}

static void note_expired(uint32_t keys, int64_t expires_ms)
{
	int64_t late_us;

	if (!keys)
		return;
	late_us = now_us() - expires_ms * 1000;
	due.counts.expired += keys;
	if (late_us > due.counts.late_max_us)
		due.counts.late_max_us = late_us;
}

/*
 * Redis expires a key, or knows of a later time. Another module that hears of it may
 * change the key meanwhile: by then we do not know it any more. True: we do again.
 *
 * A command that waits in a transaction is executed after this look, if ever. So the key
 * cannot expire before the life that it gives has passed from now on: that is when
 * the next look is due, until no transaction is open.
 */
static bool look_at(struct RedisModuleCtx *ctx, uint32_t nr)
{
	int64_t ms = moment_at(key_at(nr)->moment)->ms;
	int64_t lives_ms = queued_life(key_at(nr));
	struct name name;
	struct found found;
	bool again;

	if (lives_ms && !transactions_are_open(ctx))
		lives_ms = 0;
	leave_moment(nr);
	name = name_of(key_remove(nr));
	found = seek(ctx, name.string);
	note_expired(found.gone, ms);
	again = is_near(found.expires_ms);
	if (again)
		expect(&name, found.expires_ms, 0);
	if (lives_ms)
		due_expect_life(&name, lives_ms);
	RedisModule_FreeString(NULL, name.string);
	return again;
}

void due_check(struct RedisModuleCtx *ctx, uint32_t nr)
{
	look_at(ctx, nr);
}

/* Takes the next event from the wheel. False: there is none. */
static bool take_event(struct RedisModuleCtx *ctx)
{
	struct wheel_event event;
	uint32_t nr;

	if (libwheel_expirations(due.wheel, &event, 1) != 1)
		return false;
	nr = WHEEL_ID_SLOT(event.id);
	if (nr == due.wake_slot) {
		due.wake(ctx);
	} else if (moment_at(nr)->state == MOMENT_WAITING) {
		close_moment(nr, MOMENT_COME);
		due.present = nr;
	} else {
		moment_free(nr);
	}
	return true;
}

bool due_serve(struct RedisModuleCtx *ctx)
{
	bool more = true;
	int served = 0;

	seek_begin(ctx);
	while (more && served < BATCH) {
		if (due.present == NONE) {
			more = take_event(ctx);
		} else if (moment_at(due.present)->first != NONE) {
			due.counts.moved += look_at(ctx, moment_at(due.present)->first);
			served++;
		} else {
			moment_free(due.present);
			due.present = NONE;
		}
	}
	due_submit();
	return more;
}
