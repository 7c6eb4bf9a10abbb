// SPDX-License-Identifier: MIT
/*
 * wheel_expire: Redis deletes each key when its time has come.
 *
 *	module -> hint -> look -> due -> keys, moments -> pool, table -> api
 *	          debug   walk       \-> seek -> homes
 *	          turn    sweep       \-> transactions -> stats
 *
 * We read each command before it runs, and learn which key it gives a time to live; Redis
 * wakes us when the wheel says that keys are due. All of it runs in the server's own
 * thread, between commands.
 *
 * If that is not enough, Redis notifies us of what became of each key, too. This can be
 * begun, but not ended, and costs twice what all else does.
 */
#include <errno.h>
#include <linux/wheel_timer.h>
#include <string.h>

#include "api.h"
#include "debug.h"
#include "due.h"
#include "hint.h"
#include "homes.h"
#include "keys.h"
#include "look.h"
#include "moments.h"
#include "seek.h"
#include "sweep.h"
#include "transactions.h"
#include "turn.h"
#include "walk.h"

#define VERSION		1
/* The servers all of whose commands hint.c knows: 7.0, whatever comes after the dot. */
#define SERIES_KNOWN	0x0700
#define HORIZON_MAX_S	(24 * 60 * 60)

_Static_assert(HORIZON_MAX_S * 1000 <= LIVES_MS_MAX, "a life has too few bits");

static struct {
	/* Configuration. */
	long long max_keys, horizon_s;
	/* The master alone expires keys, and only once it has loaded them. */
	bool replica, loading;
	/* Transactions may be open that have queued what we have not read. */
	bool starting;
	/* The wheel's descriptor is in the server's event loop. */
	bool listening;
	bool due;
	/* Redis tells us what becomes of keys. */
	bool notified;
	/* Of the module, until it is unloaded. */
	struct RedisModuleCtx *ctx;
} server;

static bool one_of(const char *event, const char *const *events)
{
	for (; *events; events++)
		if (!strcmp(event, *events))
			return true;
	return false;
}

/* A key may expire whose command we have not read, or long ago. */
static int on_key(struct RedisModuleCtx *ctx, int type, const char *event,
		  struct RedisModuleString *name)
{
	static const char *const may_expire[] = {
		"expire", "restore", "rename_to", "copy_to", "move_to", NULL
	};

	if (!server.replica && !server.loading && !hint_was_of(name) &&
	    one_of(event, may_expire)) {
		look_later(name);
		turn_wanted_often();
	}
	return REDIS_OK;
}

static void ask_for_notifications(void)
{
	if (server.notified)
		return;
	RedisModule_SubscribeToKeyspaceEvents(server.ctx, REDIS_NOTIFY_GENERIC, on_key);
	server.notified = true;
	transactions_ignore();
}

static void on_command(struct RedisModuleCommandFilterCtx *command)
{
	int words = RedisModule_CommandFilterArgsCount(command);

	if (words == 3 && debug_read(command))
		turn_wanted();
	if (server.replica || server.loading)
		return;
	switch (hint_read(command, words)) {
	case HINT_OF_NOTHING:
		return;
	case HINT_TOO_LONG:
		ask_for_notifications();
		break;
	case HINT_OF_KEY:
		break;
	}
	if (look_is_wanted())
		turn_wanted_often();
	else if (sweep_is_wanted())
		turn_wanted();
}

static void on_due(int fd, void *data, int mask)
{
	/* A script may be running: all else waits until the server is done. */
	server.due = true;
	turn_wanted();
}

/* While keys may not expire, what is due stays on the wheel, unheard. */
static void listen(bool wanted)
{
	if (wanted == server.listening)
		return;
	if (wanted)
		server.due = RedisModule_EventLoopAdd(due_fd(), REDIS_READABLE,
						      on_due, NULL) == REDIS_OK;
	else
		RedisModule_EventLoopDel(due_fd(), REDIS_READABLE);
	server.listening = wanted;
}

static void look_for_transactions(struct RedisModuleCtx *ctx)
{
	if (!server.starting || server.replica || server.loading)
		return;
	server.starting = false;
	if (transactions_are_open(ctx))
		ask_for_notifications();
}

/* The master alone expires keys, and not while clients are paused. */
static bool may_expire(void)
{
	return !server.replica && !server.loading && debug_lets_expire() &&
	       !RedisModule_AvoidReplicaTraffic();
}

static enum turn serve(struct RedisModuleCtx *ctx)
{
	bool more;

	look_for_transactions(ctx);
	look_now(ctx);
	listen(may_expire());
	if (server.due && server.listening)
		server.due = due_serve(ctx);
	more = server.listening && sweep(ctx);
	if (transactions_cost_too_much())
		ask_for_notifications();
	due_submit();
	if (server.listening)
		return server.due || more ? TURN_AGAIN : TURN_DONE;
	/* Nobody tells us when a pause is over. */
	return server.replica || server.loading ? TURN_DONE : TURN_EACH;
}

/* Nothing that we know is known to be right any more, or of any use. */
static void start_again(void)
{
	look_drop();
	due_forget_all();
	server.starting = !server.notified;
	if (server.starting)
		transactions_init();
	if (!server.replica && !server.loading)
		walk_at_once();
	turn_wanted();
}

static void on_role(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	server.replica = subevent == REDIS_NOW_REPLICA;
	start_again();
}

static void on_loading(struct RedisModuleCtx *ctx, struct redis_event event,
		       uint64_t subevent, void *data)
{
	server.loading = subevent != REDIS_LOADING_ENDED &&
			 subevent != REDIS_LOADING_FAILED;
	start_again();
}

static void on_flush(struct RedisModuleCtx *ctx, struct redis_event event,
		     uint64_t subevent, void *data)
{
	const struct redis_flush *flush = data;

	/* An open transaction may still execute what it has queued. */
	if (subevent == REDIS_FLUSH_END && flush->db < 0 && !transactions_are_open(ctx))
		due_forget_all();
}

static void on_swap(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	const struct redis_swap *swap = data;

	homes_swap(swap->first, swap->second);
}

static int subscribe(struct RedisModuleCtx *ctx)
{
	return RedisModule_SubscribeToServerEvent(ctx, REDIS_EVENT_ROLE, on_role) ||
	       RedisModule_SubscribeToServerEvent(ctx, REDIS_EVENT_LOADING,
						  on_loading) ||
	       RedisModule_SubscribeToServerEvent(ctx, REDIS_EVENT_FLUSH, on_flush) ||
	       RedisModule_SubscribeToServerEvent(ctx, REDIS_EVENT_SWAPDB, on_swap);
}

static void on_info(struct RedisModuleInfoCtx *info, int crash)
{
	const struct due_counts *counts = due_counts();

	RedisModule_InfoAddSection(info, "");
	RedisModule_InfoAddFieldCString(info, "backend", due_backend());
	RedisModule_InfoAddFieldULongLong(info, "active", may_expire());
	RedisModule_InfoAddFieldULongLong(info, "keys", keys_count());
	RedisModule_InfoAddFieldULongLong(info, "expired", counts->expired);
	RedisModule_InfoAddFieldULongLong(info, "late_max_usec",
					  counts->late_max_us);
	RedisModule_InfoAddFieldULongLong(info, "moved", counts->moved);
	RedisModule_InfoAddFieldULongLong(info, "refused", counts->refused);
	RedisModule_InfoAddFieldULongLong(info, "walks", walks_done());
	RedisModule_InfoAddFieldULongLong(info, "notified", server.notified);
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

/*
 * The walk has passed by keys that a wider horizon takes in: it begins at once. But it cannot
 * find what a transaction has queued.
 */
static int horizon_apply(struct RedisModuleCtx *ctx, void *data,
			 struct RedisModuleString **error)
{
	due_set_horizon(server.horizon_s * 1000);
	if (!server.starting && transactions_may_be_open())
		ask_for_notifications();
	walk_at_once();
	return REDIS_OK;
}

static int number_register(struct RedisModuleCtx *ctx, const char *name,
			   long long *number, long long usual, long long most,
			   unsigned int flags, redis_apply_fn *apply)
{
	return RedisModule_RegisterNumericConfig(ctx, name, usual, flags, 1, most,
						 number_get, number_set, apply,
						 number);
}

static int configure(struct RedisModuleCtx *ctx)
{
	return number_register(ctx, "max-keys", &server.max_keys, 1 << 20,
			       WHEEL_MAX_TIMERS - 1, REDIS_CONFIG_IMMUTABLE,
			       NULL) ||
	       number_register(ctx, "horizon", &server.horizon_s, 60,
			       HORIZON_MAX_S, REDIS_CONFIG_DEFAULT,
			       horizon_apply) ||
	       RedisModule_LoadConfigs(ctx);
}

int RedisModule_OnLoad(struct RedisModuleCtx *ctx,
		       struct RedisModuleString **argv, int argc)
{
	int flags, err;

	if (api_load(ctx, "wheel_expire", VERSION) != REDIS_OK)
		return REDIS_ERR;
	if (argc) {
		RedisModule_Log(ctx, "warning",
				"no arguments: set wheel_expire.horizon instead");
		return REDIS_ERR;
	}
	memset(&server, 0, sizeof(server));
	if (configure(ctx))
		return REDIS_ERR;
	err = due_open(server.max_keys);
	if (err) {
		RedisModule_Log(ctx, "warning", "it cannot open a wheel: %s",
				strerror(-err));
		return REDIS_ERR;
	}
	server.ctx = RedisModule_GetDetachedThreadSafeContext(ctx);
	flags = RedisModule_GetContextFlags(ctx);
	server.replica = flags & REDIS_IS_REPLICA;
	server.loading = flags & REDIS_IS_LOADING;
	RedisModule_SetModuleOptions(ctx, REDIS_KEYS_ARE_LEFT_ALONE);
	due_set_horizon(server.horizon_s * 1000);
	homes_init(ctx);
	keys_init(server.max_keys);
	moments_init(server.max_keys);
	seek_init();
	sweep_init();
	walk_init();
	if (RedisModule_GetServerVersion() >> 8 != SERIES_KNOWN || !hint_knows_all(ctx))
		ask_for_notifications();
	if (turn_init(server.ctx, serve) || subscribe(ctx) ||
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
	turn_exit();
	look_drop();
	due_forget_all();
	RedisModule_FreeThreadSafeContext(server.ctx);
	walk_exit();
	seek_exit();
	moments_exit();
	keys_exit();
	homes_exit();
	due_close();
	return REDIS_OK;
}
