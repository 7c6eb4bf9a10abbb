// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api.h"
#include "loop.h"

/* Unnecessary calls until unsubscription: subscribing again costs as much as some calls. */
#define SPARE	64

static struct {
	struct RedisModuleCtx *ctx;
	loop_fn *serve;
	bool subscribed;
	/* The call of this iteration has been made. */
	bool called;
	bool wanted;
	int spare;
	/* An eventfd. It is always writable, so the event loop that contains it does not sleep. */
	int always;
	bool awake;
} loop;

static void on_loop(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data);
static void on_always(int fd, void *data, int mask);

static void subscribe(bool wanted)
{
	if (wanted == loop.subscribed)
		return;
	RedisModule_SubscribeToServerEvent(loop.ctx, REDIS_EVENT_LOOP, wanted ? on_loop : NULL);
	loop.subscribed = wanted;
	loop.called = false;
}

static void stay_awake(bool wanted)
{
	if (wanted == loop.awake)
		return;
	if (wanted)
		RedisModule_EventLoopAdd(loop.always, REDIS_WRITABLE, on_always, NULL);
	else
		RedisModule_EventLoopDel(loop.always, REDIS_WRITABLE);
	loop.awake = wanted;
}

/* Unsubscribing is not safe within the call itself. */
static void on_always(int fd, void *data, int mask)
{
	if (loop.wanted)
		return;
	subscribe(false);
	stay_awake(false);
}

static void on_loop(struct RedisModuleCtx *ctx, struct redis_event event,
		    uint64_t subevent, void *data)
{
	enum loop next = LOOP_DONE;

	loop.called = subevent == REDIS_BEFORE_SLEEP;
	if (!loop.called)
		return;
	if (loop.wanted) {
		loop.wanted = false;
		next = loop.serve(ctx);
	} else if (loop.spare) {
		loop.spare--;
	}
	stay_awake(next == LOOP_AGAIN || loop.wanted || (next == LOOP_DONE && !loop.spare));
	loop.wanted |= next != LOOP_DONE;
}

int loop_init(struct RedisModuleCtx *ctx, loop_fn *serve)
{
	memset(&loop, 0, sizeof(loop));
	loop.ctx = ctx;
	loop.serve = serve;
	loop.always = eventfd(0, EFD_CLOEXEC);
	return loop.always < 0 ? -errno : 0;
}

void loop_exit(void)
{
	stay_awake(false);
	close(loop.always);
}

void loop_wanted(void)
{
	loop.wanted = true;
	/* If the call of this iteration has been made, the server is about to sleep. */
	if (!loop.subscribed || loop.called)
		stay_awake(true);
	subscribe(true);
}

void loop_wanted_often(void)
{
	loop.spare = SPARE;
	loop_wanted();
}
