/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of flows that grows by one bucket at a time, so that no packet waits until many
 * flows have been moved. See Litwin, "Linear Hashing: A New Tool for File and Table Addressing",
 * 1980.
 *
 * With 2^n buckets, n bits of the hash select a bucket. From then on, each new flow splits one
 * bucket by the next bit of the hash, in order, until there are 2^(n + 1):
 *
 *	 0        split                2^n        2^n + split
 *	 | n + 1 bits |     n bits      | n + 1 bits |
 *
 * The table never shrinks. If there is no memory for more buckets, chains become longer.
 */
#ifndef _SCH_WHEEL_TABLE_H
#define _SCH_WHEEL_TABLE_H

#include <linux/random.h>
#include <linux/slab.h>
#include "pacing.h"

/* Number of buckets at first */
#define TABLE_MIN	256

static inline struct flow **table_segment(gfp_t flags)
{
	return kcalloc(SEGMENT_SIZE, sizeof(struct flow *), flags | __GFP_NOWARN);
}

/* Initialize an empty table. Returns false if no memory is available. */
static inline bool table_init(struct table *table)
{
	table->multiplier = get_random_u64() | 1;
	table->buckets = TABLE_MIN;
	table->mask = 2 * TABLE_MIN - 1;
	table->segment[0] = table_segment(GFP_KERNEL);
	return table->segment[0];
}

/* Free the buckets, but no flow. */
static inline void table_destroy(struct table *table)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(table->segment); i++)
		kfree(table->segment[i]);
}

static inline struct flow **table_bucket(struct table *table, u32 at)
{
	return &table->segment[at / SEGMENT_SIZE][at % SEGMENT_SIZE];
}

/*
 * Multiply by a random odd number. The bits from 32 on are a universal hash of keys that differ by
 * less than 2^32.
 */
static inline u32 table_hash(const struct table *table, unsigned long key)
{
	return (key * table->multiplier) >> 32;
}

/* Return the bucket of a key. */
static inline struct flow **table_at(struct table *table, unsigned long key)
{
	u32 at = table_hash(table, key) & table->mask;

	/* This bucket does not exist yet: it will be split from the one without the highest bit. */
	if (at >= table->buckets)
		at &= table->mask >> 1;
	return table_bucket(table, at);
}

static inline struct flow *table_find(struct table *table, unsigned long key)
{
	struct flow *flow = *table_at(table, key);

	while (flow && flow->key != key)
		flow = flow->chain;
	return flow;
}

/* Split the next bucket. */
static inline void table_split(struct table *table)
{
	u32 to = table->buckets, from = to & (table->mask >> 1);
	struct flow **old = table_bucket(table, from), **new, *flow;
	struct flow ***segment = &table->segment[to / SEGMENT_SIZE];

	if (!*segment)
		*segment = table_segment(GFP_ATOMIC);
	if (unlikely(!*segment))
		return;
	new = table_bucket(table, to);
	while ((flow = *old)) {
		if ((table_hash(table, flow->key) & table->mask) == to) {
			*old = flow->chain;
			flow->chain = *new;
			*new = flow;
		} else {
			old = &flow->chain;
		}
	}
	table->buckets++;
	if (table->buckets > table->mask)
		table->mask = 2 * table->mask + 1;
}

/* Insert a flow whose key is not in the table. @count is the number of flows including this one. */
static inline void table_insert(struct table *table, struct flow *flow, u32 count)
{
	struct flow **bucket;

	if (count > table->buckets && table->buckets < TABLE_MAX)
		table_split(table);
	bucket = table_at(table, flow->key);
	flow->chain = *bucket;
	*bucket = flow;
}

static inline void table_remove(struct table *table, const struct flow *flow)
{
	struct flow **link = table_at(table, flow->key);

	while (*link != flow)
		link = &(*link)->chain;
	*link = flow->chain;
}

#endif
