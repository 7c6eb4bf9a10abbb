// SPDX-License-Identifier: MIT
#include "bodies.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

#define BYTES_MOST	(8 << 20)

/**
 * struct body - a body
 * @list: node in the list of all
 * @entry: node in the table
 * @size: its size
 * @bytes: its bytes
 */
struct body {
	TAILQ_ENTRY(body) list;
	struct table_entry entry;
	size_t size;
	char bytes[];
};

static struct body *find(const struct bodies *bodies, uint64_t id)
{
	struct table_entry *entry = table_find(&bodies->by_id, id);

	return entry ? container_of(entry, struct body, entry) : NULL;
}

static size_t memory_of(size_t size)
{
	return sizeof(struct body) + size;
}

static void drop(struct bodies *bodies, struct body *body)
{
	bodies->bytes -= memory_of(body->size);
	TAILQ_REMOVE(&bodies->list, body, list);
	table_remove(&bodies->by_id, &body->entry);
	free(body);
}

void bodies_open(struct bodies *bodies)
{
	TAILQ_INIT(&bodies->list);
}

void bodies_clear(struct bodies *bodies)
{
	while (!TAILQ_EMPTY(&bodies->list))
		drop(bodies, TAILQ_FIRST(&bodies->list));
	table_clear(&bodies->by_id);
}

bool bodies_have_room(const struct bodies *bodies, size_t size)
{
	return bodies->bytes + memory_of(size) <= BYTES_MOST;
}

void bodies_add(struct bodies *bodies, uint64_t id, const void *bytes, size_t size)
{
	struct body *body = zeroed(1, memory_of(size));

	while (!bodies_have_room(bodies, size) && !TAILQ_EMPTY(&bodies->list))
		drop(bodies, TAILQ_FIRST(&bodies->list));
	body->size = size;
	memcpy(body->bytes, bytes, size);
	bodies->bytes += memory_of(size);
	TAILQ_INSERT_TAIL(&bodies->list, body, list);
	table_add(&bodies->by_id, &body->entry, id);
}

bool bodies_have(const struct bodies *bodies, uint64_t id)
{
	return find(bodies, id);
}

bool bodies_take(struct bodies *bodies, uint64_t id, void *bytes)
{
	struct body *body = find(bodies, id);

	if (!body)
		return false;
	if (bytes)
		memcpy(bytes, body->bytes, body->size);
	drop(bodies, body);
	return true;
}
