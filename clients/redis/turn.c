// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api.h"
#include "turn.h"

/* To begin and to end it costs as much as some turns: so long it goes on in vain. */
#define SPARE	64

static struct {
	struct RedisModuleCtx *ctx;
	turn_fn *serve;
	/* The server calls us before it sleeps. */
	bool called;
	/* It has done so, and has not slept yet. */
	bool over;
	bool wanted;
	int spare;
	/* A descriptor that is always writable: in the server's loop it lets it not sleep. */
	int always;
	bool awake;
} turn;

static void on_loop(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data);
static void on_always(int fd, void *data, int mask);

static void be_called(bool wanted)
{
	if (wanted == turn.called)
		return;
	RedisModule_SubscribeToServerEvent(turn.ctx, REDIS_EVENT_LOOP, wanted ? on_loop : NULL);
	turn.called = wanted;
	turn.over = false;
}

static void stay_awake(bool wanted)
{
	if (wanted == turn.awake)
		return;
	if (wanted)
		RedisModule_EventLoopAdd(turn.always, REDIS_WRITABLE, on_always, NULL);
	else
		RedisModule_EventLoopDel(turn.always, REDIS_WRITABLE);
	turn.awake = wanted;
}

/* The server still needs what it calls us by while it does: only here we may end it. */
static void on_always(int fd, void *data, int mask)
{
	if (turn.wanted)
		return;
	be_called(false);
	stay_awake(false);
}

static void on_loop(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	enum turn next = TURN_DONE;

	turn.over = subevent == REDIS_BEFORE_SLEEP;
	if (!turn.over)
		return;
	if (turn.wanted) {
		turn.wanted = false;
		next = turn.serve(ctx);
	} else if (turn.spare) {
		turn.spare--;
	}
	stay_awake(next == TURN_AGAIN || turn.wanted || (next == TURN_DONE && !turn.spare));
	turn.wanted |= next != TURN_DONE;
}

int turn_init(struct RedisModuleCtx *outlives, turn_fn *serve)
{
	memset(&turn, 0, sizeof(turn));
	turn.ctx = outlives;
	turn.serve = serve;
	turn.always = eventfd(0, EFD_CLOEXEC);
	return turn.always < 0 ? -errno : 0;
}

void turn_exit(void)
{
	stay_awake(false);
	close(turn.always);
}

void turn_wanted(void)
{
	turn.wanted = true;
	/* This turn's call may be over, and the server about to sleep. */
	if (!turn.called || turn.over)
		stay_awake(true);
	be_called(true);
}

void turn_wanted_often(void)
{
	turn.spare = SPARE;
	turn_wanted();
}
