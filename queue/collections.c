// SPDX-License-Identifier: MIT
#include "collections.h"

#include <stdlib.h>

#include "fail.h"

#define FIRST_BITS	8

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

static struct table_entry **chain_of(const struct table *table, uint64_t key)
{
	/* Fibonacci hashing distributes consecutive numbers over all chains. */
	return &table->heads[key * 0x9e3779b97f4a7c15 >> (64 - table->bits)];
}

static void table_resize(struct table *table, unsigned int bits)
{
	struct table old = *table;
	size_t i;

	table->bits = bits;
	table->heads = zeroed((size_t)1 << bits, sizeof(*table->heads));
	for (i = 0; old.heads && i < (size_t)1 << old.bits; i++) {
		struct table_entry *entry = old.heads[i];

		while (entry) {
			struct table_entry *next = entry->next;
			struct table_entry **chain = chain_of(table, entry->key);

			entry->next = *chain;
			*chain = entry;
			entry = next;
		}
	}
	free(old.heads);
}

void table_add(struct table *table, struct table_entry *entry, uint64_t key)
{
	struct table_entry **chain;

	if (!table->heads)
		table_resize(table, FIRST_BITS);
	else if (table->count >> table->bits)
		table_resize(table, table->bits + 1);
	entry->key = key;
	chain = chain_of(table, key);
	entry->next = *chain;
	*chain = entry;
	table->count++;
}

void table_remove(struct table *table, struct table_entry *entry)
{
	struct table_entry **chain = chain_of(table, entry->key);

	while (*chain != entry)
		chain = &(*chain)->next;
	*chain = entry->next;
	table->count--;
}

struct table_entry *table_find(const struct table *table, uint64_t key)
{
	struct table_entry *entry;

	if (!table->heads)
		return NULL;
	for (entry = *chain_of(table, key); entry; entry = entry->next)
		if (entry->key == key)
			return entry;
	return NULL;
}

struct table_entry *table_next(const struct table *table,
			       const struct table_entry *entry)
{
	struct table_entry **chain;

	if (entry && entry->next)
		return entry->next;
	if (!table->heads)
		return NULL;
	chain = entry ? chain_of(table, entry->key) + 1 : table->heads;
	for (; chain < table->heads + ((size_t)1 << table->bits); chain++)
		if (*chain)
			return *chain;
	return NULL;
}

void table_clear(struct table *table)
{
	free(table->heads);
	*table = (struct table){ 0 };
}
