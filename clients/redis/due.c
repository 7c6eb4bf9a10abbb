// SPDX-License-Identifier: MIT
#include <errno.h>
#include <libwheel.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "db.h"
#include "due.h"
#include "instants.h"
#include "keys.h"
#include "server.h"

#define NS_PER_MS	1000000ull
/* Operations per submission to the wheel. */
#define BATCH		64
/* Number of known keys that are checked before the server runs other commands. */
#define SLICE		64
/*
 * Time for due keys until the server runs other commands. With less, busy clients may set more
 * keys than are deleted.
 */
#define SLICE_US	1000
/* Maximum number of milliseconds that have a timer. */
#define INSTANTS	(1 << 20)
/* Number of unnecessary keys that are tolerated. */
#define SPARE		1024

static const uint32_t lag_limits_ms[] = DUE_LAG_LIMITS;

_Static_assert(sizeof(lag_limits_ms) / sizeof(*lag_limits_ms) + 1 == DUE_LAG_BUCKETS,
	       "one bucket per limit, and one beyond the last");

static struct {
	struct libwheel *wheel;
	int64_t horizon_ms;
	/* Timer of due_wake_at(), in the slot after those of the instants. */
	uint64_t wake_generation;
	due_wake_fn *wake;
	int64_t wake_ms;
	/*
	 * Time of an armed timer. Its expiry causes a due_serve(), which submits the queue, so
	 * a later operation may stay queued until then.
	 */
	int64_t soonest_ms;
	/*
	 * The earliest expiry of a far key; the shortest life that a command gave to one, and when
	 * these were forgotten. Commands do not read the clock.
	 */
	int64_t far_ms, far_life_ms, far_begin_ms;
	/* The instant whose keys are being deleted, or NONE. */
	uint32_t current;
	struct wheel_op ops[BATCH];
	uint32_t ops_count;
	struct due_counts counts;
	/* Number of known keys up to which nothing is pruned; next number to check. */
	uint64_t enough;
	uint32_t next;
} due;

int due_open(void)
{
	const struct libwheel_options options = {
		.size = sizeof(options),
		.clock = WHEEL_CLOCK_REALTIME,
		.timers = INSTANTS + 1,
		.tick_ns = NS_PER_MS,
	};

	memset(&due, 0, sizeof(due));
	due.wake_ms = INT64_MAX;
	due.soonest_ms = INT64_MAX;
	due_far_forget();
	due.current = NONE;
	due.enough = SPARE;
	instants_init(INSTANTS);
	return libwheel_open(&due.wheel, &options);
}

void due_close(void)
{
	libwheel_close(due.wheel);
	instants_exit();
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

/* Called for each command, so it bypasses the library. */
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

	/* A 32 bit unsigned division is the fastest. */
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

static void note_refused(void)
{
	if (!due.counts.refused++)
		server_log("a limit is reached: some keys are left to the server's own expiry; "
			   "see wheel_expire.max-keys and INFO wheel_expire");
}

static void close_instant(uint32_t nr, enum instant_state state)
{
	if (instant_at(nr)->ms == due.soonest_ms)
		due.soonest_ms = due.wake_ms;
	instant_close(nr, state);
}

/* The wheel rejected the timer: leaves its keys to the server's own expiry. */
static void refuse(uint32_t nr)
{
	struct instant *instant = instant_at(nr);

	while (instant->first != NONE) {
		uint32_t key = instant->first;

		note_refused();
		key_unlink(&instant->first, key);
		key_remove(key);
	}
	if (instant->state == INSTANT_ARMED)
		close_instant(nr, INSTANT_CANCELLED);
	instant_free(nr);
}

static void op_done(const struct wheel_op *op)
{
	uint32_t nr = WHEEL_ID_SLOT(op->id);

	if (WHEEL_ID_GEN(op->id) != instant_at(nr)->generation)
		return;
	if (op->op == WHEEL_OP_ARM && op->res < 0)
		refuse(nr);
	/* A timer that was not cancelled has expired: due_serve() will receive its event. */
	if (op->op == WHEEL_OP_CANCEL && !op->res)
		instant_free(nr);
}

void due_submit(void)
{
	uint32_t at = 0, done, i;

	while (at < due.ops_count) {
		int err = libwheel_submit(due.wheel, due.ops + at,
					  due.ops_count - at, &done);

		at += done;
		/* The error belongs to the first operation that was not done. */
		if (err < 0 && err != -EINTR && at < due.ops_count)
			due.ops[at++].res = err;
	}
	for (i = 0; i < due.ops_count; i++)
		op_done(&due.ops[i]);
	due.ops_count = 0;
}

static void op_queue(uint32_t op, uint32_t nr)
{
	const struct instant *instant = instant_at(nr);

	due.ops[due.ops_count++] = (struct wheel_op) {
		.op = op,
		.id = WHEEL_ID(nr, instant->generation),
		/* The server expires a key when the key's millisecond has ended. */
		.when = (instant->ms + 1) * NS_PER_MS,
	};
	if (op == WHEEL_OP_ARM && instant->ms < due.soonest_ms) {
		due.soonest_ms = instant->ms;
		due_submit();
	} else if (due.ops_count == BATCH) {
		due_submit();
	}
}

/* If the limit is reached, submitting the queued cancels may free instants. */
static uint32_t add_instant(int64_t ms)
{
	uint32_t nr = instant_add(ms);

	if (nr != NONE)
		return nr;
	due_submit();
	return instant_add(ms);
}

/* Adds a key that is in no list to the list of an instant. */
static void join_instant(uint32_t key, struct key *entry, int64_t ms)
{
	uint32_t nr = instant_find(ms);
	bool is_new = nr == NONE;

	if (is_new)
		nr = add_instant(ms);
	if (nr == NONE) {
		note_refused();
		key_remove(key);
		return;
	}
	entry->instant = nr;
	key_link(&instant_at(nr)->first, key, entry);
	if (is_new)
		op_queue(WHEEL_OP_ARM, nr);
}

/* Removes a key from its list. An instant without keys needs no timer. */
static void leave_instant(uint32_t key)
{
	uint32_t nr = key_at(key)->instant;
	struct instant *instant = instant_at(nr);

	key_unlink(&instant->first, key);
	if (instant->first != NONE || instant->state != INSTANT_ARMED)
		return;
	close_instant(nr, INSTANT_CANCELLED);
	op_queue(WHEEL_OP_CANCEL, nr);
}

static bool is_near(int64_t expires_ms)
{
	if (expires_ms == INT64_MAX)
		return false;
	if (expires_ms <= due_now_ms() + due.horizon_ms)
		return true;
	if (expires_ms < due.far_ms)
		due.far_ms = expires_ms;
	return false;
}

void due_far_life(int64_t lives_ms)
{
	if (lives_ms < due.far_life_ms)
		due.far_life_ms = lives_ms;
}

void due_far_forget(void)
{
	due.far_ms = INT64_MAX;
	due.far_life_ms = INT64_MAX;
	due.far_begin_ms = due_now_ms();
}

int64_t due_far_ms(void)
{
	int64_t ms = INT64_MAX;

	if (due.far_life_ms < INT64_MAX - due.far_begin_ms)
		ms = due.far_begin_ms + due.far_life_ms;
	return ms < due.far_ms ? ms : due.far_ms;
}

/* Returns the shortest TTL that a command in an open transaction may set, or 0. */
static int64_t queued_life(uint32_t key)
{
	const struct key_life *life = key_life(key);

	if (!life || !transactions_may_be_open() || life->round != transactions_round())
		return 0;
	return life->ms;
}

static void note_queued(uint32_t key, int64_t lives_ms)
{
	int64_t other_ms = queued_life(key);

	*key_life_make(key) = (struct key_life) {
		.ms = other_ms && other_ms < lives_ms ? other_ms : lives_ms,
		.round = transactions_round(),
	};
}

/* A key may expire at @expires_ms, or @lives_ms after the execution of a command; 0: none. */
static void expect(const struct name *name, int64_t expires_ms, int64_t lives_ms, uint16_t db)
{
	struct key *entry;
	uint32_t key = key_find_or_add(name, &entry);

	if (key == NONE) {
		note_refused();
		return;
	}
	if (lives_ms && transactions_may_be_open())
		note_queued(key, lives_ms);
	if (db != DB_ANY)
		key_note_db(key, db);
	if (entry->instant != NONE) {
		/* A timer that expires too early finds the later time in the server. */
		if (expires_ms >= instant_at(entry->instant)->ms)
			return;
		leave_instant(key);
	}
	join_instant(key, entry, expires_ms);
}

void due_expect(struct RedisModuleString *string, int64_t expires_ms, uint16_t db)
{
	struct name name;

	if (!is_near(expires_ms))
		return;
	name = name_of(string);
	expect(&name, expires_ms, 0, db);
}

void due_note_db(struct RedisModuleString *string, uint16_t db)
{
	struct name name = name_of(string);
	uint32_t key = key_find(&name);

	if (key != NONE)
		key_note_db(key, db);
}

void due_expect_life(const struct name *name, int64_t lives_ms, uint16_t db)
{
	/* The server reads its clock later, so the key cannot expire earlier. */
	if (lives_ms <= due.horizon_ms)
		expect(name, due_now_ms() + lives_ms, lives_ms, db);
	else
		due_far_life(lives_ms);
}

/* Forgets the first used key among the next @count numbers. */
static void forget(uint32_t count)
{
	for (; count-- && keys_count(); due.next++) {
		if (due.next >= keys_end())
			due.next = 0;
		if (key_at(due.next)->instant == NONE)
			continue;
		leave_instant(due.next);
		key_remove(due.next);
	}
	due_submit();
}

bool due_forget_some(void)
{
	forget(SPARE);
	return keys_count();
}

void due_forget_all(void)
{
	forget(keys_end() + 1);
}

void due_wake_at(int64_t ms, due_wake_fn *wake)
{
	uint64_t id = WHEEL_ID(INSTANTS, due.wake_generation);
	int err;

	due.wake = wake;
	due.wake_ms = ms;
	due.soonest_ms = ms;
	if (!libwheel_rearm(due.wheel, id, ms * NS_PER_MS))
		return;
	id = WHEEL_ID(INSTANTS, ++due.wake_generation);
	err = libwheel_arm(due.wheel, id, ms * NS_PER_MS, 0);
	/* -EBUSY: the timer has expired, and due_serve() will receive its event. */
	(void)err;
}

static void note_expired(uint32_t keys, int64_t expires_ms)
{
	int64_t lag_us = now_us() - expires_ms * 1000;
	int bucket = 0;

	due.counts.expired += keys;
	due.counts.lag_sum_us += lag_us * keys;
	if (lag_us > due.counts.lag_max_us)
		due.counts.lag_max_us = lag_us;
	while (bucket < DUE_LAG_BUCKETS - 1 && lag_us > lag_limits_ms[bucket] * 1000ll)
		bucket++;
	due.counts.lag[bucket] += keys;
}

/*
 * The server may keep an expired key. The delay until the next check is as long as the key is
 * overdue, so the number of checks is logarithmic.
 */
static int64_t check_again_ms(int64_t expires_ms)
{
	int64_t now_ms = due_now_ms();

	return expires_ms >= now_ms ? expires_ms : now_ms + (now_ms - expires_ms);
}

/*
 * Opens a key: the server deletes it, or reports a later time. Another module that is notified
 * of the deletion may change the key, so the entry is removed first. Returns true if the key
 * is known again.
 *
 * A command queued in a transaction is executed after this check, if at all. Therefore the key
 * cannot expire before the TTL of that command has elapsed, counted from now. The next check
 * takes place then, until no transaction is open.
 */
static bool check(struct RedisModuleCtx *ctx, uint32_t nr)
{
	int64_t ms = instant_at(key_at(nr)->instant)->ms;
	int64_t lives_ms = queued_life(nr);
	uint16_t db = key_db(nr);
	struct lookup found;
	struct name name;
	bool again;

	if (lives_ms && !transactions_are_open(ctx))
		lives_ms = 0;
	name = name_of(key_name(nr));
	leave_instant(nr);
	key_remove(nr);
	found = db_lookup(ctx, name.string, db);
	if (found.deleted)
		note_expired(found.deleted, ms);
	again = is_near(found.expires_ms);
	if (again)
		expect(&name, check_again_ms(found.expires_ms), 0, db);
	if (lives_ms)
		due_expect_life(&name, lives_ms, db);
	RedisModule_FreeString(NULL, name.string);
	return again;
}

void due_prune_soon(void)
{
	due.enough = SPARE;
}

bool due_prune_is_wanted(void)
{
	return keys_count() > due.enough;
}

bool due_prune(struct RedisModuleCtx *ctx)
{
	uint32_t i;

	if (!due_prune_is_wanted())
		return false;
	db_lookup_begin();
	/* At least half of the keys beyond this limit are unnecessary: two checks for each. */
	due.enough = SPARE + 2 * db_keys(ctx);
	for (i = 0; i < SLICE && due_prune_is_wanted(); i++, due.next++) {
		if (due.next >= keys_end())
			due.next = 0;
		if (key_at(due.next)->instant != NONE)
			check(ctx, due.next);
	}
	due_submit();
	return due_prune_is_wanted();
}

/* Receives the next event from the wheel. Returns false if no event is pending. */
static bool take_event(struct RedisModuleCtx *ctx)
{
	struct wheel_event event;
	uint32_t nr;

	if (libwheel_expirations(due.wheel, &event, 1) != 1)
		return false;
	nr = WHEEL_ID_SLOT(event.id);
	if (nr == INSTANTS) {
		due.wake(ctx);
	} else if (instant_at(nr)->state == INSTANT_ARMED) {
		close_instant(nr, INSTANT_DUE);
		due.current = nr;
	} else {
		instant_free(nr);
	}
	return true;
}

/* Does one step of due_serve(). Returns false if there is no more work. */
static bool serve_one(struct RedisModuleCtx *ctx)
{
	struct instant *instant;

	if (due.current == NONE)
		return take_event(ctx);
	instant = instant_at(due.current);
	if (instant->first != NONE) {
		due.counts.moved += check(ctx, instant->first);
	} else {
		instant_free(due.current);
		due.current = NONE;
	}
	return true;
}

bool due_serve(struct RedisModuleCtx *ctx)
{
	int64_t begin_us = now_us(), spent_us = 0;
	bool more = true;

	db_lookup_begin();
	while (more && spent_us < SLICE_US) {
		more = serve_one(ctx);
		spent_us = now_us() - begin_us;
	}
	due_submit();
	/* As the server does for its own expiry. */
	server_note_latency(ctx, "expire-cycle", spent_us);
	return more;
}

int64_t due_overdue_ms(void)
{
	return due.current == NONE ? 0 : due_now_ms() - instant_at(due.current)->ms;
}
