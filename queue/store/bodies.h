/* SPDX-License-Identifier: MIT */
/*
 * Bodies of jobs in memory, by the id of the job. A body never changes.
 */
#ifndef BODIES_H
#define BODIES_H

#include <sys/queue.h>

#include "collections.h"

struct body;

TAILQ_HEAD(body_list, body);

/**
 * struct bodies - bodies, up to a limit on their size
 * @by_id: table
 * @list: in the order in which they were added
 * @bytes: their size
 */
struct bodies {
	struct table by_id;
	struct body_list list;
	size_t bytes;
};

void bodies_open(struct bodies *bodies);
void bodies_clear(struct bodies *bodies);
/* Return: true if a body of this size can be added without the removal of another one. */
bool bodies_have_room(const struct bodies *bodies, size_t size);
/* Add a body that is not there. Remove the oldest ones if there is no room. */
void bodies_add(struct bodies *bodies, uint64_t id, const void *bytes, size_t size);
bool bodies_have(const struct bodies *bodies, uint64_t id);
/* Remove a body, and copy it to @bytes if that is not NULL. Return: false if it is not there. */
bool bodies_take(struct bodies *bodies, uint64_t id, void *bytes);

#endif
