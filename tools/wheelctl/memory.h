/* SPDX-License-Identifier: MIT */
/*
 * Memory, or the end.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *old, size_t count, size_t size);

#endif
