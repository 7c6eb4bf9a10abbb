// SPDX-License-Identifier: MIT
/*
 * Two timers are due. The first one that is delivered cancels the other one, which is delivered if
 * and only if timers_cancel() returns false.
 */
#include <err.h>
#include <event2/event.h>
#include <time.h>

#include "../timers.h"

#define LENGTH_MS	1

static unsigned int calls, expected;

static void on_expired(unsigned int nr)
{
	if (!calls++)
		expected = timers_cancel(!nr) ? 1 : 2;
}

int main(void)
{
	const struct timespec both = { .tv_nsec = 4 * LENGTH_MS * 1000000 };
	struct event_base *base = event_base_new();

	if (!base)
		err(1, "event_base_new");
	timers_open(base, 2, LENGTH_MS, LENGTH_MS, on_expired);
	timers_arm(0);
	timers_arm(1);
	nanosleep(&both, NULL);
	while (!calls)
		event_base_loop(base, EVLOOP_ONCE);
	event_base_loop(base, EVLOOP_NONBLOCK);
	if (calls != expected)
		errx(1, "%u timers were delivered instead of %u", calls, expected);
	return 0;
}
