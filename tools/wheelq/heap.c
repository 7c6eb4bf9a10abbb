// SPDX-License-Identifier: MIT
#include "heap.h"

#include <stdlib.h>

#include "fail.h"

static void set(struct heap *heap, size_t at, struct heap_node *node)
{
	heap->nodes[at] = node;
	node->at = at;
}

static void rise(struct heap *heap, size_t at, struct heap_node *node)
{
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!heap->before(node, heap->nodes[parent]))
			break;
		set(heap, at, heap->nodes[parent]);
		at = parent;
	}
	set(heap, at, node);
}

static void sink(struct heap *heap, size_t at, struct heap_node *node)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    heap->before(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!heap->before(heap->nodes[child], node))
			break;
		set(heap, at, heap->nodes[child]);
		at = child;
	}
	set(heap, at, node);
}

void heap_add(struct heap *heap, struct heap_node *node)
{
	if (heap->count == heap->room) {
		heap->room = heap->room ? 2 * heap->room : 16;
		heap->nodes = grow(heap->nodes,
				   heap->room * sizeof(*heap->nodes));
	}
	rise(heap, heap->count++, node);
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
	struct heap_node *last = heap->nodes[--heap->count];
	size_t at = node->at;

	if (last == node)
		return;
	if (at && heap->before(last, heap->nodes[(at - 1) / 2]))
		rise(heap, at, last);
	else
		sink(heap, at, last);
}

void heap_clear(struct heap *heap)
{
	free(heap->nodes);
	heap->nodes = NULL;
	heap->count = 0;
	heap->room = 0;
}
