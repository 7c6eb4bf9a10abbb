// SPDX-License-Identifier: MIT
#include "route.h"

#include <arpa/inet.h>
#include <string.h>

#include "clock.h"
#include "requests.h"
#include "step.h"

/* More unsent data than this makes the input wait. */
#define BUFFER_BYTES	65536

static bool is_put(enum verb verb)
{
	return verb <= VERB_PUT_KEY;
}

/* The shard that a command is forwarded to, or the number of shards if it is not only forwarded. */
static uint32_t shard_of_command(const struct session *s, const struct command *command)
{
	const char *tube;

	if (command_has_id(command))
		return command->id >> SHARDS_ID_BITS < links.shards ?
			command->id >> SHARDS_ID_BITS : links.shards;
	switch (command->verb) {
	case VERB_RESERVE:
	case VERB_RESERVE_WITH_TIMEOUT:
		if (!watched_in_one_shard(&s->watches))
			return links.shards;
		return TAILQ_FIRST(&s->watches)->shard;
	case VERB_USE:
	case VERB_WATCH:
		return links.shards;
	default:
		tube = command_tube(command, s->used);
		return tube ? links_shard_of(tube) : links.shards;
	}
}

static void list_watched(struct session *s)
{
	struct buffer list = { 0 };

	watched_print(&s->watches, &list);
	session_reply_yaml(s, &list);
	buffer_clear(&list);
}

/* Run a command that is not only forwarded. No response is pending. */
static void run(struct session *s, const struct command *command)
{
	switch (command->verb) {
	case VERB_USE:
		step_use(s, command->name);
		break;
	case VERB_WATCH:
		step_watch(s, command->name);
		break;
	case VERB_IGNORE:
		step_ignore(s, command->name);
		break;
	case VERB_RESERVE:
		step_reserve(s, UINT64_MAX);
		break;
	case VERB_RESERVE_WITH_TIMEOUT:
		/* The current time is rounded down. With 0, the worker does not wait. */
		step_reserve(s, command->delay ? clock_ms() + 1 + command->delay : 0);
		break;
	case VERB_STATS:
	case VERB_LIST_TUBES:
		step_gather(s, command->verb);
		break;
	case VERB_LIST_TUBE_USED:
		buffer_print(&s->end.out, "USING %s\r\n", s->used);
		break;
	case VERB_LIST_TUBES_WATCHED:
		list_watched(s);
		break;
	case VERB_QUIT:
		s->quits = true;
		break;
	default:
		session_reply(s, "NOT_FOUND\r\n");
	}
}

static void send_metrics(struct session *s)
{
	char address[INET6_ADDRSTRLEN];
	struct buffer text = { 0 };
	uint32_t i;

	buffer_print(&text, "# HELP wheelq_serving 1: serving.\n# TYPE wheelq_serving gauge\n"
		     "wheelq_serving 1\n# HELP wheelq_connections Open connections.\n"
		     "# TYPE wheelq_connections gauge\nwheelq_connections %u\n"
		     "# HELP wheelq_shard 1: the process that holds the shard has this address.\n"
		     "# TYPE wheelq_shard gauge\n", session_count());
	for (i = 0; i < links.shards; i++) {
		const struct sockaddr_in6 *to = &links.routes[i].address;

		if (to->sin6_family)
			buffer_print(&text, "wheelq_shard{shard=\"%u\",address=\"[%s]:%u\"} 1\n", i,
				     inet_ntop(AF_INET6, &to->sin6_addr, address, sizeof(address)),
				     ntohs(to->sin6_port));
	}
	http_print(&s->end.out, &text);
	buffer_clear(&text);
}

static void begin_http(struct session *s, const char *line)
{
	s->quits = strncmp(line, "GET ", 4);
	s->reply = HTTP_NOT_FOUND;
	if (!strncmp(line, "GET /health ", 12))
		s->reply = HTTP_SERVING;
	if (!strncmp(line, "GET /metrics ", 13))
		s->reply = "";
}

/* The rest of a request is ignored. */
static void end_http(struct session *s)
{
	s->quits = true;
	if (*s->reply)
		session_reply(s, s->reply);
	else
		send_metrics(s);
}

/* Process a line. Return: false if it must wait for responses. */
static bool take_command(struct session *s, char *line, size_t length)
{
	char copy[LINE_MAX_BYTES];
	struct command command;
	const char *error;
	uint32_t shard;

	if (s->reply || s->is_http || http_is_request(line)) {
		s->has_more = s->pending;
		if (s->has_more)
			return false;
		if (!s->reply)
			begin_http(s, line);
		else if (!*line)
			end_http(s);
		return true;
	}
	memcpy(copy, line, length + 1);
	error = beanstalk_parse(&command, copy, length);
	shard = error ? links.shards : shard_of_command(s, &command);
	s->has_more = s->pending && (shard == links.shards || s->active->shard != shard);
	if (s->has_more)
		return false;
	if (error) {
		session_reply(s, error);
	} else if (shard == links.shards) {
		run(s, &command);
	} else {
		session_forward(s, shard, line, "");
		if (is_put(command.verb))
			s->body = (uint64_t)command.bytes + BODY_END;
	}
	return true;
}

static void long_line(struct session *s, const char *end)
{
	struct buffer *in = &s->end.in;

	if (!s->skips && !s->reply &&
	    (s->is_http || http_may_be_request(buffer_bytes(in), buffer_count(in)))) {
		s->quits = true;
		return;
	}
	s->skips = !end;
	/* The last byte may be the first byte of the end. */
	buffer_take(in, end ? (size_t)(end + 2 - buffer_bytes(in)) : buffer_count(in) - 1);
	if (end && !s->reply)
		session_reply(s, "BAD_FORMAT\r\n");
}

/* Process one unit of input. Return: false if it is incomplete, or must wait. */
static bool take(struct session *s)
{
	struct buffer *in = &s->end.in;
	size_t count = buffer_count(in), length;
	char line[LINE_MAX_BYTES], *end;

	if (s->body) {
		if (count > s->body)
			count = s->body;
		buffer_add(&s->active->end.out, buffer_bytes(in), count);
		s->body -= count;
		buffer_take(in, count);
		return true;
	}
	end = memmem(buffer_bytes(in), count, "\r\n", 2);
	length = end ? (size_t)(end - buffer_bytes(in)) : count;
	if (s->skips || length + 2 > LINE_MAX_BYTES) {
		s->has_more = s->pending;
		if (s->has_more)
			return false;
		long_line(s, end);
		return end;
	}
	if (!end)
		return false;
	memcpy(line, buffer_bytes(in), length);
	line[length] = '\0';
	if (!take_command(s, line, length))
		return false;
	buffer_take(in, length + 2);
	return true;
}

bool route_is_full(const struct session *s)
{
	return buffer_count(&s->end.out) >= BUFFER_BYTES ||
	       (s->active && buffer_count(&s->active->end.out) >= BUFFER_BYTES);
}

void route_input(struct session *s)
{
	s->has_more = false;
	while (!s->quits && s->step == STEP_NONE && buffer_count(&s->end.in) && !route_is_full(s))
		if (!take(s))
			break;
}
