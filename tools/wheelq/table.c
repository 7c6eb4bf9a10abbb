// SPDX-License-Identifier: MIT
#include "table.h"

#include <stdlib.h>

#include "fail.h"

#define FIRST_BITS	8

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
