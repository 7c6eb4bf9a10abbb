// SPDX-License-Identifier: MIT
/* No deadlines. This measures the cost of the rest of the server. */
#include "timers.h"

void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired)
{
}

void timers_arm(unsigned int nr)
{
}

bool timers_cancel(unsigned int nr)
{
	return true;
}
