/* SPDX-License-Identifier: MIT */
/*
 * Keys that expire beyond the horizon cost no memory here. They are found again
 * by walking through all keys: each is passed at least twice a horizon, so it is
 * seen while its time lies within the horizon and has not come.
 */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

void walk_init(void);
void walk_exit(void);
/* From the beginning, and as fast as the server's clients can bear. */
void walk_at_once(void);
/* Walks that came to the end. */
uint64_t walks_done(void);

#endif
