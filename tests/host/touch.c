// SPDX-License-Identifier: GPL-2.0
#include "touch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS	4
/* A power of two, and more than the lines of one measurement. */
#define LINES	16384

/**
 * struct region - memory whose accesses are recorded
 * @begin: first address
 * @end: address after the last one
 */
struct region {
	uintptr_t begin;
	uintptr_t end;
};

static struct region regions[REGIONS];
static unsigned int nr_regions;

/* A hash table of lines, and their number. */
static uintptr_t table[LINES];
static unsigned int count;

void touch_record(const void *memory, size_t size)
{
	if (nr_regions == REGIONS)
		abort();
	regions[nr_regions++] = (struct region){ (uintptr_t)memory, (uintptr_t)memory + size };
}

void touch_reset(void)
{
	memset(table, 0, sizeof(table));
	count = 0;
}

unsigned int touch_lines(void)
{
	return count;
}

static bool is_recorded(uintptr_t at)
{
	unsigned int i;

	for (i = 0; i < nr_regions; i++)
		if (at >= regions[i].begin && at < regions[i].end)
			return true;
	return false;
}

static void add_line(uintptr_t line)
{
	unsigned int i = line % LINES;

	while (table[i] && table[i] != line)
		i = (i + 1) % LINES;
	if (table[i])
		return;
	table[i] = line;
	if (++count == LINES / 2)
		abort();
}

void touch(const void *at, size_t size)
{
	uintptr_t first = (uintptr_t)at, last = first + size - 1, line;

	if (!is_recorded(first))
		return;
	for (line = first / TOUCH_LINE; line <= last / TOUCH_LINE; line++)
		add_line(line);
}

/* The functions that the compiler calls for each access. */

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *at, long size)
{
	touch(at, size);
}

void __tsan_write_range(void *at, long size)
{
	touch(at, size);
}

#define ACCESS(name, size) \
	void name(void *at) { touch(at, size); }

ACCESS(__tsan_read1, 1)
ACCESS(__tsan_read2, 2)
ACCESS(__tsan_read4, 4)
ACCESS(__tsan_read8, 8)
ACCESS(__tsan_read16, 16)
ACCESS(__tsan_write1, 1)
ACCESS(__tsan_write2, 2)
ACCESS(__tsan_write4, 4)
ACCESS(__tsan_write8, 8)
ACCESS(__tsan_write16, 16)

uint32_t __tsan_atomic32_load(const void *at, int order)
{
	(void)order;
	touch(at, sizeof(uint32_t));
	return *(const uint32_t *)at;
}

uint64_t __tsan_atomic64_load(const void *at, int order)
{
	(void)order;
	touch(at, sizeof(uint64_t));
	return *(const uint64_t *)at;
}

void __tsan_atomic32_store(void *at, uint32_t value, int order)
{
	(void)order;
	touch(at, sizeof(value));
	*(uint32_t *)at = value;
}

void __tsan_atomic64_store(void *at, uint64_t value, int order)
{
	(void)order;
	touch(at, sizeof(value));
	*(uint64_t *)at = value;
}
