// SPDX-License-Identifier: MIT
/*
 * wheel_expire: deletes each key of a Redis or Valkey server when it expires.
 *
 *	module -> hint -> due -> keys, instants -> table -> api
 *	          scan       \-> db, server
 *	          loop
 *
 * hint: reads the TTL of a key from a command before it runs.
 * scan: finds the keys that expire later, when the first of them comes within the horizon.
 * due: has a timer on the wheel for each millisecond in which known keys expire.
 * loop: lets the module run before the server sleeps.
 * db, server: databases and other state of the server.
 *
 * All of this runs in the server's main thread, between commands. If the commands do not
 * suffice, the module also subscribes to keyspace notifications. A subscription cannot be
 * ended, and costs twice as much as everything else.
 */
#include <libwheel.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "db.h"
#include "due.h"
#include "hint.h"
#include "keys.h"
#include "loop.h"
#include "scan.h"
#include "server.h"

#define NAME		"wheel_expire"
#define VERSION		2
#define HORIZON_MAX_S	(24 * 60 * 60)
/* Numbers of keys are 32 bits wide, and NONE is not one. */
#define KEYS_MAX	(NONE - 1)
/* The server's own scan helps to delete keys that are overdue for longer. */
#define OVERDUE_MS	1000

_Static_assert(HORIZON_MAX_S * 1000 <= LIVES_MS_MAX, "a TTL does not fit into struct key");

static struct {
	/* Configuration. */
	long long max_keys, horizon_s;
	/* Only a master that has loaded its data expires keys. */
	bool replica, loading;
	/* The server imports data: it keeps expired keys. */
	bool importing;
	/* Transactions may be open that contain commands which were not read. */
	bool starting;
	/* The wheel's descriptor is in the event loop; and it is readable. */
	bool listening, due;
	/* The module receives keyspace notifications. */
	bool notified;
	/* Context that is valid until the module is unloaded. */
	struct RedisModuleCtx *ctx;
} state;

static bool is_active(void)
{
	return !state.replica && !state.loading && !state.importing;
}

static bool one_of(const char *event, const char *const *events)
{
	for (; *events; events++)
		if (!strcmp(event, *events))
			return true;
	return false;
}

/* Keyspace notification: the command that set the TTL was not read, or was read long ago. */
static int on_key(struct RedisModuleCtx *ctx, int type, const char *event,
		  struct RedisModuleString *name)
{
	static const char *const may_expire[] = {
		"expire", "restore", "rename_to", "copy_to", "move_to", NULL
	};

	uint16_t db = db_here(ctx);

	if (!is_active() || !one_of(event, may_expire))
		return REDIS_OK;
	if (!hint_was_of(name)) {
		hint_look_later(name, db);
		loop_wanted_often();
	} else if (db != DB_ANY) {
		hint_note_db(name, db);
	}
	return REDIS_OK;
}

static void subscribe_to_keys(void)
{
	if (state.notified)
		return;
	RedisModule_SubscribeToKeyspaceEvents(state.ctx, REDIS_NOTIFY_GENERIC, on_key);
	state.notified = true;
	transactions_ignore();
}

/*
 * The database of a known key may be wrong until the scan ends. The scan then finds the key, and
 * its timer expires at once.
 */
static void learn_databases(void)
{
	subscribe_to_keys();
	db_learn();
	scan_at_once();
}

static void on_command(struct RedisModuleCommandFilterCtx *command)
{
	int words = RedisModule_CommandFilterArgsCount(command);

	if (words == 3 && debug_read(command))
		loop_wanted();
	if (!is_active())
		return;
	switch (hint_read(command, words)) {
	case HINT_NONE:
		return;
	case HINT_TOO_LONG:
		subscribe_to_keys();
		break;
	case HINT_KEY:
		break;
	}
	if (hint_lookup_is_wanted())
		loop_wanted_often();
	else if (due_prune_is_wanted())
		loop_wanted();
}

static void on_due(int fd, void *data, int mask)
{
	/* A script may be running, so the work is done before the server sleeps. */
	state.due = true;
	loop_wanted();
}

/* While keys may not expire, the events of due timers stay in the wheel. */
static void listen(bool wanted)
{
	if (wanted == state.listening)
		return;
	if (wanted)
		state.due = RedisModule_EventLoopAdd(due_fd(), REDIS_READABLE,
						     on_due, NULL) == REDIS_OK;
	else
		RedisModule_EventLoopDel(due_fd(), REDIS_READABLE);
	state.listening = wanted;
}

static void check_transactions(struct RedisModuleCtx *ctx)
{
	if (!state.starting || !is_active())
		return;
	state.starting = false;
	if (transactions_are_open(ctx))
		subscribe_to_keys();
}

static bool may_expire(void)
{
	return is_active() && debug_lets_expire() && !RedisModule_AvoidReplicaTraffic();
}

static enum loop serve_master(struct RedisModuleCtx *ctx)
{
	bool more;

	check_transactions(ctx);
	more = hint_lookup(ctx);
	listen(may_expire());
	if (state.due && state.listening)
		state.due = due_serve(ctx);
	server_own_expiry(ctx, !state.due || !state.listening || due_overdue_ms() > OVERDUE_MS);
	if (state.listening)
		more |= due_prune(ctx);
	if (transactions_cost_too_much())
		subscribe_to_keys();
	if (db_learning_is_wanted())
		learn_databases();
	due_submit();
	if (more || (state.listening && state.due))
		return LOOP_AGAIN;
	/* The end of a pause is not reported. */
	return state.listening ? LOOP_DONE : LOOP_EACH;
}

static enum loop serve(struct RedisModuleCtx *ctx)
{
	if (is_active())
		return serve_master(ctx);
	listen(false);
	server_own_expiry(ctx, true);
	hint_drop();
	return due_forget_some() ? LOOP_AGAIN : LOOP_DONE;
}

/* The keys or their databases have been replaced. Known keys are pruned, or forgotten. */
static void start_again(void)
{
	hint_drop();
	due_prune_soon();
	state.starting = !state.notified;
	if (state.starting)
		transactions_init();
	if (is_active())
		scan_at_once();
	loop_wanted();
}

static void on_role(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	state.replica = subevent == REDIS_NOW_REPLICA;
	start_again();
}

static void on_loading(struct RedisModuleCtx *ctx, struct redis_event event,
		       uint64_t subevent, void *data)
{
	state.loading = subevent != REDIS_LOADING_ENDED &&
			 subevent != REDIS_LOADING_FAILED;
	start_again();
}

/* A replica's data set has been replaced by that of its master: repl-diskless-load swapdb. */
static void on_async_load(struct RedisModuleCtx *ctx, struct redis_event event,
			  uint64_t subevent, void *data)
{
	if (subevent == REDIS_ASYNC_LOAD_COMPLETED)
		start_again();
}

static void on_config(struct RedisModuleCtx *ctx, struct redis_event event,
		      uint64_t subevent, void *data)
{
	bool importing = server_imports(ctx);

	if (importing == state.importing)
		return;
	state.importing = importing;
	start_again();
}

/* A transaction that is open may still set TTLs, so the keys are pruned and not forgotten. */
static void on_flush(struct RedisModuleCtx *ctx, struct redis_event event,
		     uint64_t subevent, void *data)
{
	if (subevent != REDIS_FLUSH_END)
		return;
	due_prune_soon();
	if (due_prune_is_wanted())
		loop_wanted();
}

static void on_swap(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	const struct redis_swap *swap = data;

	db_swapped(swap->first, swap->second);
}

static int subscribe(struct RedisModuleCtx *ctx)
{
	static const struct {
		struct redis_event event;
		redis_event_fn *callback;
	} all[] = {
		{ REDIS_EVENT_ROLE, on_role },
		{ REDIS_EVENT_LOADING, on_loading },
		{ REDIS_EVENT_ASYNC_LOAD, on_async_load },
		{ REDIS_EVENT_FLUSH, on_flush },
		{ REDIS_EVENT_SWAPDB, on_swap },
		{ REDIS_EVENT_CONFIG, on_config },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (RedisModule_SubscribeToServerEvent(ctx, all[i].event, all[i].callback))
			return REDIS_ERR;
	return REDIS_OK;
}

/* Cumulative, as Prometheus needs it. */
static void info_lag(struct RedisModuleInfoCtx *info, const struct due_counts *counts)
{
	static const uint32_t limits_ms[] = DUE_LAG_LIMITS;
	uint64_t sum = 0;
	char field[32];
	int i;

	RedisModule_InfoBeginDictField(info, "lag");
	for (i = 0; i < DUE_LAG_BUCKETS - 1; i++) {
		sum += counts->lag[i];
		snprintf(field, sizeof(field), "le_%ums", limits_ms[i]);
		RedisModule_InfoAddFieldULongLong(info, field, sum);
	}
	RedisModule_InfoAddFieldULongLong(info, "count", sum + counts->lag[i]);
	RedisModule_InfoAddFieldULongLong(info, "sum_usec", counts->lag_sum_us);
	RedisModule_InfoAddFieldULongLong(info, "max_usec", counts->lag_max_us);
	RedisModule_InfoEndDictField(info);
}

static void on_info(struct RedisModuleInfoCtx *info, int crash)
{
	const struct due_counts *counts = due_counts();

	RedisModule_InfoAddSection(info, "");
	RedisModule_InfoAddFieldCString(info, "backend", due_backend());
	RedisModule_InfoAddFieldULongLong(info, "active", may_expire());
	RedisModule_InfoAddFieldULongLong(info, "keys", keys_count());
	RedisModule_InfoAddFieldULongLong(info, "expired", counts->expired);
	info_lag(info, counts);
	RedisModule_InfoAddFieldULongLong(info, "moved", counts->moved);
	RedisModule_InfoAddFieldULongLong(info, "refused", counts->refused);
	RedisModule_InfoAddFieldULongLong(info, "scans", scans_done());
	RedisModule_InfoAddFieldULongLong(info, "notified", state.notified);
	RedisModule_InfoAddFieldULongLong(info, "lookups", db_lookups());
}

static long long number_get(const char *name, void *number)
{
	return *(long long *)number;
}

static int number_set(const char *name, long long value, void *number,
		      struct RedisModuleString **error)
{
	*(long long *)number = value;
	return REDIS_OK;
}

/* A scan finds the keys within a wider horizon, except those queued in a transaction. */
static int horizon_apply(struct RedisModuleCtx *ctx, void *data,
			 struct RedisModuleString **error)
{
	due_set_horizon(state.horizon_s * 1000);
	if (!state.starting && transactions_may_be_open())
		subscribe_to_keys();
	scan_at_once();
	return REDIS_OK;
}

static int max_keys_apply(struct RedisModuleCtx *ctx, void *data,
			  struct RedisModuleString **error)
{
	keys_limit(state.max_keys);
	scan_at_once();
	return REDIS_OK;
}

static int number_register(struct RedisModuleCtx *ctx, const char *name,
			   long long *number, long long initial, long long most,
			   redis_apply_fn *apply)
{
	return RedisModule_RegisterNumericConfig(ctx, name, initial, REDIS_CONFIG_DEFAULT, 1,
						 most, number_get, number_set, apply,
						 number);
}

static int configure(struct RedisModuleCtx *ctx)
{
	return number_register(ctx, "max-keys", &state.max_keys, KEYS_MAX, KEYS_MAX,
			       max_keys_apply) ||
	       number_register(ctx, "horizon", &state.horizon_s, 60,
			       HORIZON_MAX_S, horizon_apply) ||
	       RedisModule_LoadConfigs(ctx);
}

static void init(struct RedisModuleCtx *ctx)
{
	int flags = RedisModule_GetContextFlags(ctx);

	state.ctx = RedisModule_GetDetachedThreadSafeContext(ctx);
	state.replica = flags & REDIS_IS_REPLICA;
	state.loading = flags & REDIS_IS_LOADING;
	state.importing = server_imports(ctx);
	RedisModule_SetModuleOptions(ctx, REDIS_NO_IMPLICIT_SIGNAL_MODIFIED |
					  REDIS_HANDLE_REPL_ASYNC_LOAD);
	due_set_horizon(state.horizon_s * 1000);
	db_init(ctx);
	keys_init(state.max_keys);
	scan_init();
	if (!hint_is_possible(ctx)) {
		server_log("renamed commands or a new server: uses keyspace notifications");
		subscribe_to_keys();
	}
}

int RedisModule_OnLoad(struct RedisModuleCtx *ctx,
		       struct RedisModuleString **argv, int argc)
{
	int err;

	if (api_load(ctx, NAME, VERSION) != REDIS_OK)
		return REDIS_ERR;
	if (argc) {
		server_log("no arguments are accepted; set wheel_expire.horizon instead");
		return REDIS_ERR;
	}
	memset(&state, 0, sizeof(state));
	if (configure(ctx))
		return REDIS_ERR;
	err = due_open();
	if (err) {
		RedisModule_Log(ctx, "warning", "cannot open a wheel: %s",
				libwheel_strerror(err));
		return REDIS_ERR;
	}
	init(ctx);
	if (loop_init(state.ctx, serve) || subscribe(ctx) ||
	    !RedisModule_RegisterCommandFilter(ctx, on_command, 0) ||
	    RedisModule_RegisterInfoFunc(ctx, on_info)) {
		RedisModule_OnUnload(ctx);
		return REDIS_ERR;
	}
	start_again();
	return REDIS_OK;
}

int RedisModule_OnUnload(struct RedisModuleCtx *ctx)
{
	listen(false);
	server_own_expiry(state.ctx, true);
	loop_exit();
	hint_drop();
	due_forget_all();
	RedisModule_FreeThreadSafeContext(state.ctx);
	scan_exit();
	keys_exit();
	db_exit();
	due_close();
	return REDIS_OK;
}
