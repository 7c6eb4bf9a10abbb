// SPDX-License-Identifier: GPL-2.0
/* libevent's binary heap of pointers, with one event per timer. */
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>

#include "contestant.h"

static struct event_base *base;
static struct event *events;

static void fire(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	bench_fire();
}

static bool create(u32 count)
{
	u32 i;

	base = event_base_new();
	events = calloc(count, sizeof(*events));
	if (!base || !events)
		return false;
	for (i = 0; i < count; i++)
		evtimer_assign(&events[i], base, fire, NULL);
	return true;
}

static void arm(u32 i, u64 deadline)
{
	u64 delay = deadline - bench_now;
	struct timeval tv = {
		.tv_sec		= (time_t)(delay / 1000),
		.tv_usec	= (suseconds_t)(delay % 1000) * 1000,
	};

	evtimer_add(&events[i], &tv);
}

static void cancel(u32 i)
{
	evtimer_del(&events[i]);
}

static void advance(void)
{
	event_base_loop(base, EVLOOP_NONBLOCK);
}

const struct contestant libevent_heap = {
	"libevent", create, arm, arm, cancel, advance,
};
