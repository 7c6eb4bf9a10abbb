/* SPDX-License-Identifier: MIT */
/*
 * Calls before the server sleeps, with a context, without which no key may be touched. Redis
 * makes two contexts for each turn of its loop if it is asked for such calls, 1,300
 * instructions; so we ask when there is something to do, and end it when there is not.
 */
#ifndef TURN_H
#define TURN_H

struct RedisModuleCtx;

enum turn {
	TURN_DONE,
	/* At the end of each turn, but the server may sleep. */
	TURN_EACH,
	/* Others are served, and then we go on. */
	TURN_AGAIN,
};

typedef enum turn turn_fn(struct RedisModuleCtx *ctx);

/* @outlives: a context that does so until turn_exit(). 0 or a negative errno. */
int turn_init(struct RedisModuleCtx *outlives, turn_fn *serve);
void turn_exit(void);
/* Something is to be done before the server sleeps. */
void turn_wanted(void);
/* The same, and it is likely to be so at the next turn again. */
void turn_wanted_often(void);

#endif
