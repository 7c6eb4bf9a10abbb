// SPDX-License-Identifier: MIT
/*
 * Memory, or the end.
 */
#define _GNU_SOURCE
#include "memory.h"

#include <stdlib.h>

#include "fail.h"
#include "wheelctl.h"

void *memory_zeroed(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		fail(EXIT_DEVICE, "no memory for %zu x %zu bytes", count, size);
	return memory;
}

void *memory_resized(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count, size);

	if (!memory)
		fail(EXIT_DEVICE, "no memory for %zu x %zu bytes", count, size);
	return memory;
}
