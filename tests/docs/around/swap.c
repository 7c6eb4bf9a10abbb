// SPDX-License-Identifier: GPL-2.0
/* Documentation/explanation/words.rst: old = atomic_load_explicit(word, memory_order_acquire); */
#include <stdatomic.h>

void swap(atomic_ullong *word, unsigned long long new)
{
	unsigned long long old;

#include BLOCK
}
