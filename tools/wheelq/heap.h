/* SPDX-License-Identifier: MIT */
/*
 * A binary heap of embedded nodes: finds the first one in O(log n).
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
