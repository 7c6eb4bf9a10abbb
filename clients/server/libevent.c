// SPDX-License-Identifier: MIT
/*
 * Timers of libevent: in its heap, or, if COMMON is 1, in its faster queues for timeouts of equal
 * length.
 */
#include <err.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>

#include "timers.h"

static struct event *timers;
static const struct timeval *lengths[2];
static timers_fn *on_expired;

static void on_timeout(int fd, short what, void *timer)
{
	on_expired((struct event *)timer - timers);
}

static const struct timeval *length(struct event_base *base, unsigned int ms)
{
	struct timeval *length = malloc(sizeof(*length));

	if (!length)
		err(1, "timers");
	length->tv_sec = ms / 1000;
	length->tv_usec = ms % 1000 * 1000;
	return COMMON ? event_base_init_common_timeout(base, length) : length;
}

void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired)
{
	unsigned int nr;

	timers = calloc(count, sizeof(*timers));
	if (!timers)
		err(1, "%u timers", count);
	lengths[0] = length(base, even_ms);
	lengths[1] = length(base, odd_ms);
	on_expired = expired;
	for (nr = 0; nr < count; nr++)
		evtimer_assign(&timers[nr], base, on_timeout, &timers[nr]);
}

void timers_arm(unsigned int nr)
{
	evtimer_add(&timers[nr], lengths[nr % 2]);
}

/* A deleted event is not delivered, even if it has expired. */
bool timers_cancel(unsigned int nr)
{
	evtimer_del(&timers[nr]);
	return true;
}
