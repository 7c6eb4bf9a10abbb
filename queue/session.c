// SPDX-License-Identifier: MIT
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "fail.h"

static uint32_t count;

uint32_t session_count(void)
{
	return count;
}

struct session *session_open(int fd, bool is_http)
{
	struct session *s = zeroed(1, sizeof(*s));

	count++;
	TAILQ_INIT(&s->watches);
	name_copy(s->used, "default");
	watched_add(&s->watches, s->used);
	s->is_http = is_http;
	s->end.session = s;
	s->end.is_connected = true;
	end_open(&s->end, fd, EPOLLIN);
	return s;
}

void session_close(struct session *s)
{
	uint32_t i;

	count--;
	for (i = 0; i < links.shards; i++)
		if (s->links[i])
			link_close(s->links[i]);
	while (!TAILQ_EMPTY(&s->watches))
		watched_remove(&s->watches, TAILQ_FIRST(&s->watches));
	buffer_clear(&s->gathered);
	end_close(&s->end);
	free(s);
}

void session_reply(struct session *s, const char *text)
{
	buffer_add(&s->end.out, text, strlen(text));
}

void session_reply_line(struct session *s, const char *line)
{
	buffer_print(&s->end.out, "%s\r\n", line);
}

void session_reply_yaml(struct session *s, const struct buffer *yaml)
{
	buffer_print(&s->end.out, "OK %zu\r\n", buffer_count(yaml));
	buffer_add(&s->end.out, buffer_bytes(yaml), buffer_count(yaml));
	session_reply(s, "\r\n");
}

/* A new connection to a server watches "default". */
static struct link *link_to(struct session *s, uint32_t shard)
{
	if (s->links[shard])
		return s->links[shard];
	s->links[shard] = link_open(s, shard);
	if (links_shard_of("default") != shard || !watched_find(&s->watches, "default"))
		name_copy(s->links[shard]->stale, "default");
	return s->links[shard];
}

void session_forward(struct session *s, uint32_t shard, const char *line, const char *rest)
{
	s->active = link_to(s, shard);
	buffer_print(&s->active->end.out, "%s%s\r\n", line, rest);
	s->pending++;
}
