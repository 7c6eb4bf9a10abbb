// SPDX-License-Identifier: MIT
/*
 * The store of a queue whose own store was lost. Only changes that no client waits for reach it:
 * jobs become due, and reservations end.
 */
#include "store.h"

static void absent_close(struct store *store)
{
	(void)store;
}

static void absent_set_numbers(struct store *store,
			       const struct store_numbers *numbers)
{
	(void)store;
	(void)numbers;
}

static void absent_set_tube(struct store *store, struct store_tube *tube)
{
	(void)store;
	(void)tube;
}

static void absent_change(struct store *store, const struct job_record *rec)
{
	(void)store;
	(void)rec;
}

static uint64_t absent_bytes(struct store *store)
{
	(void)store;
	return 0;
}

static bool absent_has_room(struct store *store, size_t bytes)
{
	(void)store;
	(void)bytes;
	return false;
}

static const struct store_ops absent_ops = {
	.close = absent_close,
	.set_numbers = absent_set_numbers,
	.set_tube = absent_set_tube,
	.change = absent_change,
	.commit = absent_close,
	.bytes = absent_bytes,
	.has_room = absent_has_room,
};

struct store store_absent = { .ops = &absent_ops, .is_lost = true };
