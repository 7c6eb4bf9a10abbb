/* SPDX-License-Identifier: MIT */
/*
 * A hash table of embedded nodes, by number.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
	struct table_entry *next;
	uint64_t key;
};

/**
 * struct table - entries by key
 * @heads: chains; their number is a power of two
 * @bits: log2 of their number
 * @count: number of entries
 */
struct table {
	struct table_entry **heads;
	unsigned int bits;
	size_t count;
};

void table_add(struct table *table, struct table_entry *entry, uint64_t key);
void table_remove(struct table *table, struct table_entry *entry);
struct table_entry *table_find(const struct table *table, uint64_t key);
/* The entry after @entry; NULL: the first one. The table must not change between calls. */
struct table_entry *table_next(const struct table *table,
			       const struct table_entry *entry);
void table_clear(struct table *table);

#endif
