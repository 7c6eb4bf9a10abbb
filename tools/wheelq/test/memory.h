/* SPDX-License-Identifier: MIT */
/*
 * A store for tests: what was committed is kept when the store is closed.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "store.h"
#include "tube.h"

struct memory;

/* *@keep: NULL at first. */
struct store *memory_open(struct memory **keep);
void memory_forget(struct memory **keep);

#endif
