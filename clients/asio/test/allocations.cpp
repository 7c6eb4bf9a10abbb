// SPDX-License-Identifier: MIT
/* Counts allocations. In a separate file, so that the compiler does not inline only half of a pair. */
#include <atomic>
#include <cstdlib>
#include <new>

std::atomic<unsigned long> allocations;

void *operator new(std::size_t size)
{
	void *memory = std::malloc(size);

	allocations++;
	if (!memory)
		throw std::bad_alloc();
	return memory;
}

void operator delete(void *memory) noexcept
{
	std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
	std::free(memory);
}
