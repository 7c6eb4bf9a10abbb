/* SPDX-License-Identifier: MIT */
/*
 * A store in memory, for tests. Committed changes are kept when the store is closed.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "store.h"
#include "tube.h"

struct memory;

/* @keep: the committed state; NULL: create it. */
struct store *memory_open(struct memory **keep);
void memory_forget(struct memory **keep);

#endif
