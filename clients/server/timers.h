/* SPDX-License-Identifier: MIT */
/*
 * The numbered deadlines of a server in libevent's loop. The server is linked with one of the
 * files that implement these functions.
 */
#ifndef TIMERS_H
#define TIMERS_H

#include <stdbool.h>

struct event_base;

typedef void timers_fn(unsigned int nr);

/*
 * Open @count timers. Even ones always expire after @even_ms, odd ones after @odd_ms. @expired is
 * called for each expired timer. A failure ends the program.
 */
void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired);
/* Arm or restart a timer. No effect if it has expired, and @expired will be called. */
void timers_arm(unsigned int nr);
/*
 * Cancel a timer. Returns false if it has expired, and @expired will be called. Until then, its
 * number is in use.
 */
bool timers_cancel(unsigned int nr);

#endif
