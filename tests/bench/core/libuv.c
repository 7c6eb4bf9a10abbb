// SPDX-License-Identifier: GPL-2.0
/* libuv's binary heap of linked nodes, with one handle per timer. */
#include <stdlib.h>
#include <uv.h>

#include "contestant.h"

static uv_timer_t *timers;
static uv_loop_t loop;

static void fire(uv_timer_t *timer)
{
	(void)timer;
	bench_fire();
}

static bool create(u32 count)
{
	u32 i;

	timers = calloc(count, sizeof(*timers));
	if (!timers || uv_loop_init(&loop))
		return false;
	for (i = 0; i < count; i++)
		uv_timer_init(&loop, &timers[i]);
	return true;
}

/* The timeout is relative to the time that the loop read last. */
static void arm(u32 i, u64 deadline)
{
	uv_timer_start(&timers[i], fire, deadline - uv_now(&loop), 0);
}

static void cancel(u32 i)
{
	uv_timer_stop(&timers[i]);
}

static void advance(void)
{
	uv_run(&loop, UV_RUN_NOWAIT);
}

const struct contestant libuv_heap = {
	"libuv", create, arm, arm, cancel, advance,
};
