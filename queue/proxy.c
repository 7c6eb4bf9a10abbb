// SPDX-License-Identifier: MIT
/*
 * The event loop of the proxy, which forwards the commands of each connection to the processes that
 * hold the shards.
 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "route.h"
#include "step.h"

#define EVENTS		512
/* Interval of attempts to reach a shard, and to reserve a job in several shards. */
#define TICK_MS		50
/* A connection is closed if a shard cannot be reached in this time. */
#define PATIENCE_MS	10000

/* An end with more unsent data makes the other one wait. */
#define BUFFER_BYTES	65536

static struct {
	TAILQ_HEAD(, session) sessions;
	TAILQ_HEAD(, session) busy;
	TAILQ_HEAD(, session) waiting;
	const struct server_options *options;
	uint64_t next_tick;
	struct end listeners[2];
	struct listener *accepts[2];
	struct end routes_end;
} proxy;

static bool has_body(const char *line)
{
	return !strncmp(line, "RESERVED ", 9) || !strncmp(line, "FOUND ", 6) ||
	       !strncmp(line, "OK ", 3);
}

static void take_response(struct session *s, const char *line)
{
	const char *size = strrchr(line, ' ');

	if (has_body(line)) {
		s->rest = strtoull(size, NULL, 10) + BODY_END;
		if (s->step != STEP_GATHER)
			session_reply_line(s, line);
		return;
	}
	s->pending--;
	if (s->step == STEP_NONE)
		session_reply_line(s, line);
	else
		step_take_line(s, line);
}

/* Process one unit of a link's input. Return: false if it is incomplete. */
static bool take_input(struct link *link)
{
	struct session *s = link->end.session;
	struct buffer *in = &link->end.in;
	size_t count = buffer_count(in), length;
	char line[LINE_MAX_BYTES + 64], *end;

	if (s->rest) {
		if (count > s->rest)
			count = s->rest;
		buffer_add(s->step == STEP_GATHER ? &s->gathered : &s->end.out,
			   buffer_bytes(in), count);
		buffer_take(in, count);
		s->rest -= count;
		if (s->rest)
			return true;
		s->pending--;
		step_take_body(s);
		return true;
	}
	end = memmem(buffer_bytes(in), count, "\r\n", 2);
	length = end ? (size_t)(end - buffer_bytes(in)) : count;
	if (length >= sizeof(line) || (end && (link != s->active || !s->pending))) {
		s->quits = true;
		return false;
	}
	if (!end)
		return false;
	memcpy(line, buffer_bytes(in), length);
	line[length] = '\0';
	buffer_take(in, length + 2);
	take_response(s, line);
	return true;
}

/* Before a link is connected, nothing is sent through it. */
static void drop_link(struct link *link)
{
	link_disconnect(link);
	link->end.session->quits |= link->end.is_connected;
}

static void take_responses(struct link *link)
{
	struct session *s = link->end.session;
	bool is_good = end_read(&link->end);

	while (buffer_count(&link->end.in) && !s->quits)
		if (!take_input(link))
			break;
	if (!is_good || link->end.has_ended)
		drop_link(link);
}

static void take_link_event(struct link *link, uint32_t events)
{
	if (link->end.fd < 0)
		return;
	if (!link->end.is_connected)
		link_finish_connect(link, events);
	else if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		take_responses(link);
}

static void take_client_event(struct session *s, uint32_t events)
{
	if (events & EPOLLERR || (events & EPOLLHUP && s->end.has_ended))
		s->is_dead = true;
	else if (events & (EPOLLIN | EPOLLHUP) && !end_read(&s->end))
		s->is_dead = true;
}

/*
 * The client sends no more. A waiting reserve then ends. The links without a pending response must
 * remain open, because the session ends with its first link.
 */
static void shut_link(struct session *s)
{
	struct end *end = s->active ? &s->active->end : NULL;

	if (!s->end.has_ended || s->step != STEP_NONE || s->quits || s->has_more ||
	    route_is_full(s))
		return;
	if (!s->pending) {
		s->quits = true;
		return;
	}
	if (end->is_shut || end->fd < 0 || buffer_count(&end->out))
		return;
	shutdown(end->fd, SHUT_WR);
	end->is_shut = true;
}

static void set_events(struct session *s)
{
	bool has_room = buffer_count(&s->end.out) < BUFFER_BYTES;
	uint32_t i, events = 0;

	if (!s->end.has_ended && !s->quits && buffer_count(&s->end.in) < BUFFER_BYTES)
		events = EPOLLIN;
	end_watch(&s->end, events | (buffer_count(&s->end.out) ? EPOLLOUT : 0));
	for (i = 0; i < links.shards; i++) {
		struct link *link = s->links[i];

		if (!link)
			continue;
		events = has_room && link->end.is_connected ? EPOLLIN : 0;
		if (buffer_count(&link->end.out) || !link->end.is_connected)
			events |= EPOLLOUT;
		end_watch(&link->end, events);
	}
}

static void write_all(struct session *s)
{
	uint32_t i;

	if (!end_write(&s->end))
		s->is_dead = true;
	for (i = 0; i < links.shards; i++)
		if (s->links[i] && s->links[i]->end.fd >= 0 && !end_write(&s->links[i]->end))
			drop_link(s->links[i]);
}

/* Run what can run, and send what can be sent. No event follows if all of it can be sent. */
static void run_session(struct session *s)
{
	bool was_full;

	do {
		route_input(s);
		was_full = route_is_full(s);
		write_all(s);
	} while (was_full && !route_is_full(s) && !s->is_dead);
	shut_link(s);
	if (s->quits && !buffer_count(&s->end.out))
		s->is_dead = true;
	set_events(s);
}

static void accept_one(struct listener *listener, bool is_http)
{
	int fd = listener_accept(listener);
	struct session *s;

	if (fd < 0)
		return;
	if (session_count() >= proxy.options->connections) {
		listener_refuse(fd, "OUT_OF_MEMORY\r\n");
		return;
	}
	s = session_open(fd, is_http);
	TAILQ_INSERT_TAIL(&proxy.sessions, s, all);
}

/* Return: true if a shard cannot be reached yet, or if no job was found in several shards. */
static bool waits_for_time(const struct session *s)
{
	uint32_t i;

	for (i = 0; i < links.shards; i++)
		if (s->links[i] && !s->links[i]->end.is_connected)
			return true;
	return s->step == STEP_PAUSE;
}

static void set_busy(struct session *s)
{
	if (!s->is_busy)
		TAILQ_INSERT_TAIL(&proxy.busy, s, busy);
	s->is_busy = true;
}

static void tick(struct session *s, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < links.shards; i++) {
		struct link *link = s->links[i];

		if (!link || link->end.is_connected)
			continue;
		if (link->end.fd < 0)
			link_connect(link);
		if (now - link->since > PATIENCE_MS)
			s->quits = true;
	}
	if (s->step == STEP_PAUSE)
		step_reserve_again(s);
}

/* Return: ms until the next tick, or -1 if nothing waits for it. */
static int run_ticks(void)
{
	struct session *s, *next;
	uint64_t now = clock_ms();

	if (TAILQ_EMPTY(&proxy.waiting))
		return -1;
	if (now < proxy.next_tick)
		return proxy.next_tick - now;
	proxy.next_tick = now + TICK_MS;
	for (s = TAILQ_FIRST(&proxy.waiting); s; s = next) {
		next = TAILQ_NEXT(s, waiting);
		if (waits_for_time(s)) {
			tick(s, now);
			set_busy(s);
		} else {
			TAILQ_REMOVE(&proxy.waiting, s, waiting);
			s->is_waiting = false;
		}
	}
	return TICK_MS;
}

/* Another process holds a shard: links to the previous one have no use. */
static void take_route(void)
{
	struct shards_route route;
	struct session *s;

	if (read(proxy.routes_end.fd, &route, sizeof(route)) != sizeof(route))
		exit(EXIT_FAILED);
	links.routes[route.shard] = route;
	TAILQ_FOREACH(s, &proxy.sessions, all) {
		if (!s->links[route.shard])
			continue;
		drop_link(s->links[route.shard]);
		set_busy(s);
	}
}

static void take_event(struct end *end, uint32_t events)
{
	if (end == &proxy.routes_end)
		take_route();
	else if (end == &proxy.listeners[0])
		accept_one(proxy.accepts[0], false);
	else if (end == &proxy.listeners[1])
		accept_one(proxy.accepts[1], true);
	else if (end->link)
		take_link_event(end->link, events);
	else
		take_client_event(end->session, events);
	if (end->session)
		set_busy(end->session);
}

static void end_session(struct session *s)
{
	TAILQ_REMOVE(&proxy.sessions, s, all);
	if (s->is_waiting)
		TAILQ_REMOVE(&proxy.waiting, s, waiting);
	session_close(s);
}

static void run_busy(void)
{
	struct session *s;

	while ((s = TAILQ_FIRST(&proxy.busy))) {
		TAILQ_REMOVE(&proxy.busy, s, busy);
		s->is_busy = false;
		run_session(s);
		if (!s->is_waiting && waits_for_time(s)) {
			TAILQ_INSERT_TAIL(&proxy.waiting, s, waiting);
			s->is_waiting = true;
		}
		if (s->is_dead)
			end_session(s);
	}
}

void proxy_serve(const struct server_options *options, struct listener *listener,
		 struct listener *http, int routes_fd)
{
	struct epoll_event events[EVENTS];
	int count, i;

	proxy.options = options;
	links_open(options->shards);
	TAILQ_INIT(&proxy.sessions);
	TAILQ_INIT(&proxy.busy);
	TAILQ_INIT(&proxy.waiting);
	/* A connection may need a link to each shard. */
	listener_room(options->connections * (1 + options->shards));
	proxy.accepts[0] = listener;
	proxy.accepts[1] = http;
	end_open(&proxy.routes_end, routes_fd, EPOLLIN);
	end_open(&proxy.listeners[0], listener->fd, EPOLLIN);
	if (http->fd >= 0)
		end_open(&proxy.listeners[1], http->fd, EPOLLIN);
	while (true) {
		count = epoll_wait(links.epoll, events, EVENTS, run_ticks());
		for (i = 0; i < count; i++)
			take_event(events[i].data.ptr, events[i].events);
		run_busy();
	}
}
