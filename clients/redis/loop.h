/* SPDX-License-Identifier: MIT */
/*
 * Calls from the server's event loop before it sleeps. Only there, the module has a context and
 * may open keys. The server creates two contexts per iteration for them, in 1,300 instructions.
 * The module therefore subscribes when it has work, and unsubscribes when it has none.
 */
#ifndef LOOP_H
#define LOOP_H

struct RedisModuleCtx;

/* Result of the callback. */
enum loop {
	/* There is no more work. */
	LOOP_DONE,
	/* Call at the end of each iteration. The server may sleep in between. */
	LOOP_EACH,
	/* Call again after other commands were served. The server must not sleep. */
	LOOP_AGAIN,
};

typedef enum loop loop_fn(struct RedisModuleCtx *ctx);

/* @ctx must remain valid until loop_exit(). Returns 0, or a negative errno. */
int loop_init(struct RedisModuleCtx *ctx, loop_fn *serve);
void loop_exit(void);
/* Requests a call before the server sleeps. */
void loop_wanted(void);
/* The same, and the next iterations are likely to request one, too. */
void loop_wanted_often(void);

#endif
