/* SPDX-License-Identifier: MIT */
/*
 * Keys that were deleted, or whose command was refused, are known until their time has come.
 * They may not be many more than there are keys: else those that we know are looked at.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>

struct RedisModuleCtx;

void sweep_init(void);
bool sweep_is_wanted(void);
/* Looks at some, if need be. True: more are to be looked at. */
bool sweep(struct RedisModuleCtx *ctx);

#endif
