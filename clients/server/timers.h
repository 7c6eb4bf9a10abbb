/* SPDX-License-Identifier: MIT */
/*
 * The deadlines of a server in libevent's loop, by number. The server is linked with one
 * of the files that have these functions.
 */
#ifndef TIMERS_H
#define TIMERS_H

struct event_base;

typedef void timers_fn(unsigned int nr);

/*
 * So many timers, of which the even ones are armed for @even_ms always, the odd ones for
 * @odd_ms. @expired is called for each whose time has come. It ends the program if it fails.
 */
void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired);
/* From now on; armed or not. */
void timers_arm(unsigned int nr);
void timers_cancel(unsigned int nr);

#endif
