/* SPDX-License-Identifier: MIT */
/*
 * DEBUG SET-ACTIVE-EXPIRE 0 is how tests ask that nothing expires unless it is
 * looked at. The server tells no module, so we watch for the command.
 */
#ifndef DEBUG_H
#define DEBUG_H

#include <stdbool.h>

struct RedisModuleCommandFilterCtx;

/* A command of three words is going to run. True: it may be that one. */
bool debug_read(struct RedisModuleCommandFilterCtx *command);
bool debug_lets_expire(void);

#endif
