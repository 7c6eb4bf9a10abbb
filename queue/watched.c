// SPDX-License-Identifier: MIT
#include "watched.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "link.h"

struct watched *watched_find(const struct watched_list *list, const char *name)
{
	struct watched *w;

	TAILQ_FOREACH(w, list, all)
		if (!strcmp(w->name, name))
			break;
	return w;
}

void watched_add(struct watched_list *list, const char *name)
{
	struct watched *w = zeroed(1, sizeof(*w) + strlen(name) + 1);

	memcpy(w->name, name, strlen(name) + 1);
	w->shard = links_shard_of(name);
	TAILQ_INSERT_TAIL(list, w, all);
}

void watched_remove(struct watched_list *list, struct watched *watched)
{
	TAILQ_REMOVE(list, watched, all);
	free(watched);
}

uint32_t watched_count(const struct watched_list *list)
{
	const struct watched *w;
	uint32_t count = 0;

	TAILQ_FOREACH(w, list, all)
		count++;
	return count;
}

bool watched_in(const struct watched_list *list, uint32_t shard)
{
	const struct watched *w;

	TAILQ_FOREACH(w, list, all)
		if (w->shard == shard)
			return true;
	return false;
}

bool watched_in_one_shard(const struct watched_list *list)
{
	const struct watched *w;

	TAILQ_FOREACH(w, list, all)
		if (w->shard != TAILQ_FIRST(list)->shard)
			return false;
	return true;
}

void watched_print(const struct watched_list *list, struct buffer *to)
{
	const struct watched *w;

	buffer_print(to, "---\n");
	TAILQ_FOREACH(w, list, all)
		buffer_print(to, "- %s\n", w->name);
}
