/* SPDX-License-Identifier: MIT */
/*
 * The tubes that a client of the proxy watches, and their shards.
 */
#ifndef WATCHED_H
#define WATCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "buffer.h"

struct watched {
	TAILQ_ENTRY(watched) all;
	uint32_t shard;
	char name[];
};

TAILQ_HEAD(watched_list, watched);

struct watched *watched_find(const struct watched_list *list, const char *name);
void watched_add(struct watched_list *list, const char *name);
void watched_remove(struct watched_list *list, struct watched *watched);
uint32_t watched_count(const struct watched_list *list);
/* Return: true if a tube of this shard is watched. */
bool watched_in(const struct watched_list *list, uint32_t shard);
bool watched_in_one_shard(const struct watched_list *list);
/* Print a list in YAML. */
void watched_print(const struct watched_list *list, struct buffer *to);

#endif
