/* SPDX-License-Identifier: MIT */
/*
 * Collections of embedded nodes: a binary heap and a hash table.
 */
#ifndef COLLECTIONS_H
#define COLLECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The structure of this type whose @member @pointer points to. */
#define container_of(pointer, type, member)				\
	((type *)((char *)(pointer) - offsetof(type, member)))

/* A node of a binary heap, whose operations take O(log n). */
struct heap_node {
	size_t at;
};

/**
 * struct heap - a heap; no node is before its parent
 * @nodes: array; the first node is at index 0
 * @count: number of nodes
 * @room: size of the array
 * @before: the order
 */
struct heap {
	struct heap_node **nodes;
	size_t count;
	size_t room;
	bool (*before)(const struct heap_node *a, const struct heap_node *b);
};

void heap_add(struct heap *heap, struct heap_node *node);
void heap_remove(struct heap *heap, struct heap_node *node);
/* Remove all nodes, and free the array. */
void heap_clear(struct heap *heap);

static inline struct heap_node *heap_first(const struct heap *heap)
{
	return heap->count ? heap->nodes[0] : NULL;
}

/* An entry of a hash table, by number. */
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
