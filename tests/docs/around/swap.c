// SPDX-License-Identifier: GPL-2.0
/* Documentation/touch.rst: old = atomic_load_explicit(word, memory_order_acquire); */
#include <stdatomic.h>
#include <stdint.h>

void swap(_Atomic uint64_t *word, uint64_t new);

void swap(_Atomic uint64_t *word, uint64_t new)
{
	uint64_t old;

#include BLOCK
}
