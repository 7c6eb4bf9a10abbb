// SPDX-License-Identifier: MIT
/*
 * The proxy: forwards the commands of each connection to the processes that hold the shards.
 *
 * A connection has at most one link to each shard, so a job is reserved and deleted through the
 * same link. Commands are forwarded without waiting as long as they are for the same shard.
 * Responses therefore arrive in the order of the commands. If a link ends, so does the connection:
 * the client cannot know which of its commands took effect, as if a server had failed.
 */
#include "shards.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "beanstalk.h"
#include "buffer.h"
#include "fail.h"
#include "requests.h"

#define EVENTS		512
#define READ_BYTES	65536
/* An end with more unsent data makes the other one wait. */
#define BUFFER_BYTES	65536
/* Interval of attempts to reach a shard, and to reserve a job in several shards. */
#define TICK_MS		50
/* A connection is closed if a shard cannot be reached in this time. */
#define PATIENCE_MS	10000
#define BODY_END	2

/**
 * struct end - a descriptor of epoll
 * @fd: the socket, or -1
 * @events: the events of epoll
 * @link: the link, or NULL for a session
 * @session: its session; NULL: a listener, or the pipe
 * @in: input that was not processed
 * @out: output that was not sent
 * @is_connected: false while a connection is established
 * @has_ended: true if the peer sends no more
 * @is_shut: true if the peer was told that no more is sent
 */
struct end {
	int fd;
	uint32_t events;
	struct link *link;
	struct session *session;
	struct buffer in;
	struct buffer out;
	bool is_connected;
	bool has_ended;
	bool is_shut;
};

/**
 * struct link - a connection to the process that holds a shard
 * @end: the socket
 * @shard: number of the shard
 * @since: ms, when it was wanted
 * @stale: a tube that it watches, but its session does not; or empty
 */
struct link {
	struct end end;
	uint32_t shard;
	uint64_t since;
	char stale[TUBE_NAME_MAX + 1];
};

/* A tube that a session watches. */
struct watched {
	TAILQ_ENTRY(watched) all;
	uint32_t shard;
	char name[];
};

/**
 * enum step - a command that is not only forwarded
 * @STEP_NONE: none
 * @STEP_USE: a use, until its response
 * @STEP_WATCH: a watch
 * @STEP_IGNORE: an ignore
 * @STEP_ROUND: a reserve in several shards, which are asked in turn
 * @STEP_PAUSE: the same, between two rounds
 * @STEP_GATHER: a command whose response is made of those of all shards
 */
enum step {
	STEP_NONE, STEP_USE, STEP_WATCH, STEP_IGNORE, STEP_ROUND, STEP_PAUSE, STEP_GATHER,
};

/**
 * struct session - a connection of a client
 * @all: node in the list of sessions
 * @busy: node in the list of those that were changed in this iteration
 * @waiting: node in the list of those that wait for time
 * @watches: the watched tubes
 * @end: the socket
 * @links: by shard
 * @active: the link that the last command was forwarded to
 * @pending: number of responses of @active that were not read
 * @rest: bytes of a response that were not read
 * @body: bytes of a put that were not forwarded
 * @used: the tube of its puts
 * @used_shard: its shard
 * @watching: number of @watches
 * @step: what it waits for
 * @verb: the command of STEP_GATHER
 * @name: the tube of the command
 * @at: the shard that was asked, in STEP_ROUND and STEP_GATHER
 * @first: the first one of the round
 * @asked: number of shards that were asked
 * @until: ms, end of a reserve
 * @gathered: responses of STEP_GATHER
 * @reply: response to an HTTP request, which follows its headers; or NULL
 * @is_http: true if it may only send HTTP requests
 * @skips: true if a line that is too long is discarded
 * @quits: true if it is closed when all responses were sent
 * @is_dead: true if it is closed at the end of the iteration
 * @has_more: true if its next command waits for responses
 * @is_busy: true if @busy is in its list
 * @is_waiting: the same for @waiting
 */
struct session {
	TAILQ_ENTRY(session) all;
	TAILQ_ENTRY(session) busy;
	TAILQ_ENTRY(session) waiting;
	TAILQ_HEAD(, watched) watches;
	struct end end;
	struct link *links[SHARDS_MOST];
	struct link *active;
	uint64_t pending;
	uint64_t rest;
	uint64_t body;
	char used[TUBE_NAME_MAX + 1];
	uint32_t used_shard;
	uint32_t watching;
	enum step step;
	enum verb verb;
	char name[TUBE_NAME_MAX + 1];
	uint32_t at;
	uint32_t first;
	uint32_t asked;
	uint64_t until;
	struct buffer gathered;
	const char *reply;
	bool is_http;
	bool skips;
	bool quits;
	bool is_dead;
	bool has_more;
	bool is_busy;
	bool is_waiting;
};

static struct {
	TAILQ_HEAD(, session) sessions;
	TAILQ_HEAD(, session) busy;
	TAILQ_HEAD(, session) waiting;
	const struct server_options *options;
	int epoll;
	uint32_t shards;
	uint32_t connected;
	uint64_t next_tick;
	struct end listeners[2];
	struct listener *accepts[2];
	struct end routes_end;
	struct shards_route routes[SHARDS_MOST];
} proxy;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static void set_name(char to[TUBE_NAME_MAX + 1], const char *name)
{
	memcpy(to, name, strlen(name) + 1);
}

/* All servers must agree on the shard of a tube: FNV-1a, and a step that mixes its bits. */
static uint32_t shard_of(const char *tube)
{
	uint32_t hash = 2166136261;

	for (; *tube; tube++)
		hash = (hash ^ (unsigned char)*tube) * 16777619;
	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	return (hash ^ hash >> 13) % proxy.shards;
}

static void end_open(struct end *end, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = end };

	end->fd = fd;
	end->events = events;
	if (epoll_ctl(proxy.epoll, EPOLL_CTL_ADD, fd, &event))
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

static void end_watch(struct end *end, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = end };

	if (end->fd < 0 || end->events == events)
		return;
	end->events = events;
	if (epoll_ctl(proxy.epoll, EPOLL_CTL_MOD, end->fd, &event))
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

static void end_close(struct end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	buffer_clear(&end->in);
	buffer_clear(&end->out);
}

/* Return: false if the peer is unreachable. */
static bool end_read(struct end *end)
{
	static char bytes[READ_BYTES];
	ssize_t got = read(end->fd, bytes, sizeof(bytes));

	if (got > 0)
		buffer_add(&end->in, bytes, got);
	else if (!got)
		end->has_ended = true;
	else
		return errno == EAGAIN || errno == EINTR;
	return true;
}

static bool end_write(struct end *end)
{
	ssize_t sent;

	while (end->is_connected && buffer_count(&end->out)) {
		sent = send(end->fd, buffer_bytes(&end->out), buffer_count(&end->out),
			    MSG_NOSIGNAL);
		if (sent < 0)
			return errno == EAGAIN || errno == EINTR;
		buffer_take(&end->out, sent);
	}
	return true;
}

/* Begin to connect to the process that holds the shard, if there is one. */
static void link_connect(struct link *link)
{
	const struct sockaddr_in6 *to = &proxy.routes[link->shard].address;
	int one = 1, none = 0, fd;

	if (!to->sin6_family)
		return;
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &none, sizeof(none));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) && errno != EINPROGRESS) {
		close(fd);
		return;
	}
	end_open(&link->end, fd, EPOLLOUT);
}

static bool watches(const struct session *s, const char *name)
{
	const struct watched *w;

	TAILQ_FOREACH(w, &s->watches, all)
		if (!strcmp(w->name, name))
			return true;
	return false;
}

/* A new connection to a server watches "default". */
static struct link *link_to(struct session *s, uint32_t shard)
{
	struct link *link = s->links[shard];

	if (link)
		return link;
	link = zeroed(1, sizeof(*link));
	link->end.fd = -1;
	link->end.link = link;
	link->end.session = s;
	link->shard = shard;
	link->since = now_ms();
	if (shard_of("default") != shard || !watches(s, "default"))
		set_name(link->stale, "default");
	s->links[shard] = link;
	link_connect(link);
	return link;
}

static void reply(struct session *s, const char *text)
{
	buffer_add(&s->end.out, text, strlen(text));
}

/* Send a command, without its end, to a shard. */
static void forward(struct session *s, uint32_t shard, const char *line)
{
	s->active = link_to(s, shard);
	buffer_print(&s->active->end.out, "%s\r\n", line);
	s->pending++;
}

static void add_watch(struct session *s, const char *name)
{
	struct watched *w = zeroed(1, sizeof(*w) + strlen(name) + 1);

	memcpy(w->name, name, strlen(name) + 1);
	w->shard = shard_of(name);
	TAILQ_INSERT_TAIL(&s->watches, w, all);
	s->watching++;
}

static void remove_watch(struct session *s, struct watched *w)
{
	TAILQ_REMOVE(&s->watches, w, all);
	s->watching--;
	free(w);
}

static bool watches_in(const struct session *s, uint32_t shard)
{
	const struct watched *w;

	TAILQ_FOREACH(w, &s->watches, all)
		if (w->shard == shard)
			return true;
	return false;
}

/* Return: true if all watched tubes are in one shard. */
static bool is_of_one_shard(const struct session *s)
{
	const struct watched *w, *first = TAILQ_FIRST(&s->watches);

	TAILQ_FOREACH(w, &s->watches, all)
		if (w->shard != first->shard)
			return false;
	return true;
}

static void reply_watching(struct session *s)
{
	buffer_print(&s->end.out, "WATCHING %u\r\n", s->watching);
}

static void watch_tube(struct session *s, const char *name)
{
	char line[LINE_MAX_BYTES];
	struct link *link;

	if (watches(s, name)) {
		reply_watching(s);
		return;
	}
	set_name(s->name, name);
	s->step = STEP_WATCH;
	snprintf(line, sizeof(line), "watch %s", name);
	forward(s, shard_of(name), line);
	link = s->active;
	if (!strcmp(link->stale, name)) {
		link->stale[0] = '\0';
	} else if (link->stale[0]) {
		snprintf(line, sizeof(line), "ignore %s", link->stale);
		forward(s, link->shard, line);
	}
}

/* The last tube of a link cannot be ignored. */
static void ignore_tube(struct session *s, const char *name)
{
	uint32_t shard = shard_of(name);
	char line[LINE_MAX_BYTES];
	struct watched *w;

	TAILQ_FOREACH(w, &s->watches, all)
		if (!strcmp(w->name, name))
			break;
	if (w && s->watching == 1) {
		reply(s, "NOT_IGNORED\r\n");
		return;
	}
	if (w)
		remove_watch(s, w);
	if (w && s->links[shard] && watches_in(s, shard)) {
		s->step = STEP_IGNORE;
		snprintf(line, sizeof(line), "ignore %s", name);
		forward(s, shard, line);
		return;
	}
	if (w && s->links[shard])
		set_name(s->links[shard]->stale, name);
	reply_watching(s);
}

/* Ask the next shard with a watched tube. After all of them, pause or give up. */
static void next_of_round(struct session *s)
{
	while (s->asked < proxy.shards) {
		s->at = (s->first + s->asked++) % proxy.shards;
		if (watches_in(s, s->at)) {
			forward(s, s->at, "reserve-with-timeout 0");
			return;
		}
	}
	if (now_ms() >= s->until || s->end.has_ended) {
		reply(s, "TIMED_OUT\r\n");
		s->step = STEP_NONE;
		return;
	}
	s->step = STEP_PAUSE;
}

static void begin_round(struct session *s)
{
	s->step = STEP_ROUND;
	s->asked = 0;
	s->first = (s->first + 1) % proxy.shards;
	next_of_round(s);
}

static void next_to_gather(struct session *s)
{
	s->at = s->asked++;
	forward(s, s->at, verb_name(s->verb));
}

/* Names of values of which only those of the first shard are reported. */
static bool is_of_first(const char *name, size_t length)
{
	static const char *const names[] = {
		"pid", "id", "uptime", "max-job-size", "binlog-max-size", "store-epoch",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length))
			return true;
	return false;
}

/* The sum of a value in the responses of all shards. */
static void print_sum(struct buffer *to, const char *name, size_t length, const char *text)
{
	bool has_fraction = false;
	double sum = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, length) || strncmp(text + length, ": ", 2))
			continue;
		has_fraction |= strcspn(text, ".") < strcspn(text, "\n");
		sum += strtod(text + length + 2, NULL);
	}
	buffer_print(to, "%.*s: %.*f\n", (int)length, name, has_fraction ? 6 : 0, sum);
}

static void print_line(struct buffer *to, const char *line, size_t length, const char *text)
{
	size_t name = strcspn(line, ":\n");
	size_t digits = name < length ? strspn(line + name + 2, "0123456789.") : 0;

	if (digits && name + 2 + digits == length && !is_of_first(line, name))
		print_sum(to, line, name, text);
	else
		buffer_print(to, "%.*s\n", (int)length, line);
}

static bool is_line(const char *line, const char *text)
{
	return !strncmp(line, text, strlen(text)) && line[strlen(text)] == '\n';
}

/* Combine the responses of all shards: tubes are listed once, and numbers are added up. */
static void finish_gathering(struct session *s)
{
	struct buffer all = { 0 };
	const char *text, *line, *first_end;
	size_t length;

	buffer_add(&s->gathered, "", 1);
	text = buffer_bytes(&s->gathered);
	first_end = strstr(text, "\n---\n") ?: text + strlen(text);
	for (line = text; *line; line += length + 1) {
		length = strcspn(line, "\n");
		if (s->verb == VERB_STATS && line > first_end)
			break;
		if (s->verb == VERB_STATS)
			print_line(&all, line, length, text);
		else if (line == text || (!is_line(line, "---") &&
					  (!is_line(line, "- default") || line < first_end)))
			buffer_print(&all, "%.*s\n", (int)length, line);
	}
	buffer_print(&s->end.out, "OK %zu\r\n", buffer_count(&all));
	buffer_add(&s->end.out, buffer_bytes(&all), buffer_count(&all));
	reply(s, "\r\n");
	buffer_clear(&all);
	buffer_clear(&s->gathered);
	s->step = STEP_NONE;
}

static void list_watched(struct session *s)
{
	struct buffer list = { 0 };
	const struct watched *w;

	buffer_print(&list, "---\n");
	TAILQ_FOREACH(w, &s->watches, all)
		buffer_print(&list, "- %s\n", w->name);
	buffer_print(&s->end.out, "OK %zu\r\n", buffer_count(&list));
	buffer_add(&s->end.out, buffer_bytes(&list), buffer_count(&list));
	reply(s, "\r\n");
	buffer_clear(&list);
}

static bool is_put(enum verb verb)
{
	return verb <= VERB_PUT_KEY;
}

static bool has_id(enum verb verb)
{
	switch (verb) {
	case VERB_PEEK:
	case VERB_RESERVE_JOB:
	case VERB_DELETE:
	case VERB_RELEASE:
	case VERB_BURY:
	case VERB_TOUCH:
	case VERB_KICK_JOB:
	case VERB_STATS_JOB:
		return true;
	default:
		return false;
	}
}

/* The shard that a command is forwarded to, or the number of shards if it is not only forwarded. */
static uint32_t shard_of_command(const struct session *s, const struct command *command)
{
	if (has_id(command->verb))
		return command->id >> SHARDS_ID_BITS < proxy.shards ?
			command->id >> SHARDS_ID_BITS : proxy.shards;
	switch (command->verb) {
	case VERB_RESERVE:
	case VERB_RESERVE_WITH_TIMEOUT:
		return is_of_one_shard(s) ? TAILQ_FIRST(&s->watches)->shard : proxy.shards;
	case VERB_STATS_TUBE:
	case VERB_PAUSE_TUBE:
	case VERB_LIMIT_TUBE:
		return shard_of(command->name);
	case VERB_USE:
	case VERB_WATCH:
	case VERB_IGNORE:
	case VERB_STATS:
	case VERB_LIST_TUBES:
	case VERB_LIST_TUBE_USED:
	case VERB_LIST_TUBES_WATCHED:
	case VERB_QUIT:
		return proxy.shards;
	default:
		return s->used_shard;
	}
}

/* Run a command that is not only forwarded. No response is pending. */
static void run(struct session *s, const struct command *command, const char *line)
{
	switch (command->verb) {
	case VERB_USE:
		set_name(s->name, command->name);
		s->step = STEP_USE;
		forward(s, shard_of(s->name), line);
		break;
	case VERB_WATCH:
		watch_tube(s, command->name);
		break;
	case VERB_IGNORE:
		ignore_tube(s, command->name);
		break;
	case VERB_RESERVE:
	case VERB_RESERVE_WITH_TIMEOUT:
		s->until = command->verb == VERB_RESERVE ? UINT64_MAX :
			now_ms() + command->delay;
		begin_round(s);
		break;
	case VERB_STATS:
	case VERB_LIST_TUBES:
		s->step = STEP_GATHER;
		s->verb = command->verb;
		s->asked = 0;
		next_to_gather(s);
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
		reply(s, "NOT_FOUND\r\n");
	}
}

static void metrics(struct buffer *out)
{
	char address[INET6_ADDRSTRLEN];
	struct buffer text = { 0 };
	uint32_t i;

	buffer_print(&text, "# HELP wheelq_serving 1: serving.\n# TYPE wheelq_serving gauge\n"
		     "wheelq_serving 1\n# HELP wheelq_connections Open connections.\n"
		     "# TYPE wheelq_connections gauge\nwheelq_connections %u\n"
		     "# HELP wheelq_shard 1: the process that holds the shard has this address.\n"
		     "# TYPE wheelq_shard gauge\n", proxy.connected);
	for (i = 0; i < proxy.shards; i++) {
		const struct sockaddr_in6 *to = &proxy.routes[i].address;

		if (to->sin6_family)
			buffer_print(&text, "wheelq_shard{shard=\"%u\",address=\"[%s]:%u\"} 1\n", i,
				     inet_ntop(AF_INET6, &to->sin6_addr, address, sizeof(address)),
				     ntohs(to->sin6_port));
	}
	buffer_print(out, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		     "Content-Length: %zu\r\nConnection: close\r\n\r\n", buffer_count(&text));
	buffer_add(out, buffer_bytes(&text), buffer_count(&text));
	buffer_clear(&text);
}

/* As http.c: the rest of a request that is not known is ignored. */
static void http_line(struct session *s, const char *line)
{
	if (s->reply) {
		if (*line)
			return;
		if (*s->reply)
			reply(s, s->reply);
		else
			metrics(&s->end.out);
		s->quits = true;
		return;
	}
	if (!strncmp(line, "GET /health ", 12))
		s->reply = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n"
			"Connection: close\r\n\r\nserving\n";
	else if (!strncmp(line, "GET /metrics ", 13))
		s->reply = "";
	else if (!strncmp(line, "GET ", 4))
		s->reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
			"Connection: close\r\n\r\n";
	else
		s->quits = true;
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
		http_line(s, line);
		return true;
	}
	memcpy(copy, line, length + 1);
	error = beanstalk_parse(&command, copy, length);
	shard = error ? proxy.shards : shard_of_command(s, &command);
	s->has_more = s->pending && (shard == proxy.shards || s->active->shard != shard);
	if (s->has_more)
		return false;
	if (error) {
		reply(s, error);
	} else if (shard == proxy.shards) {
		run(s, &command, line);
	} else {
		forward(s, shard, line);
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
		reply(s, "BAD_FORMAT\r\n");
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

/* Return: true if the client, or the last shard, has to read first. */
static bool is_full(const struct session *s)
{
	return buffer_count(&s->end.out) >= BUFFER_BYTES ||
	       (s->active && buffer_count(&s->active->end.out) >= BUFFER_BYTES);
}

static void work(struct session *s)
{
	s->has_more = false;
	while (!s->quits && s->step == STEP_NONE && buffer_count(&s->end.in) && !is_full(s))
		if (!take(s))
			break;
}

/* A response without a body, or the end of one with a body, has arrived during a step. */
static void end_step(struct session *s, const char *line)
{
	switch (s->step) {
	case STEP_USE:
		if (!strncmp(line, "USING ", 6)) {
			set_name(s->used, s->name);
			s->used_shard = s->active->shard;
		}
		buffer_print(&s->end.out, "%s\r\n", line);
		break;
	case STEP_WATCH:
		/* The response to the ignore of a stale tube follows. */
		if (!s->name[0])
			break;
		if (!strncmp(line, "WATCHING ", 9)) {
			add_watch(s, s->name);
			reply_watching(s);
			if (s->pending)
				s->active->stale[0] = '\0';
		} else {
			buffer_print(&s->end.out, "%s\r\n", line);
		}
		s->name[0] = '\0';
		break;
	case STEP_IGNORE:
		reply_watching(s);
		break;
	case STEP_ROUND:
		if (!strcmp(line, "TIMED_OUT")) {
			next_of_round(s);
			return;
		}
		buffer_print(&s->end.out, "%s\r\n", line);
		break;
	case STEP_GATHER:
		buffer_clear(&s->gathered);
		buffer_print(&s->end.out, "%s\r\n", line);
		break;
	default:
		break;
	}
	if (!s->pending)
		s->step = STEP_NONE;
}

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
			buffer_print(&s->end.out, "%s\r\n", line);
		return;
	}
	s->pending--;
	if (s->step == STEP_NONE)
		buffer_print(&s->end.out, "%s\r\n", line);
	else
		end_step(s, line);
}

/* The body of a response is complete. */
static void end_body(struct session *s)
{
	s->pending--;
	if (s->step != STEP_GATHER) {
		s->step = STEP_NONE;
		return;
	}
	/* Without the end of its last line. */
	s->gathered.to -= BODY_END;
	if (s->asked < proxy.shards)
		next_to_gather(s);
	else
		finish_gathering(s);
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
		if (!s->rest)
			end_body(s);
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

static void link_failed(struct link *link)
{
	struct session *s = link->end.session;

	if (link->end.fd >= 0)
		close(link->end.fd);
	link->end.fd = -1;
	/* Before it is connected, nothing was sent. */
	s->quits |= link->end.is_connected;
}

static void link_event(struct link *link, uint32_t events)
{
	struct session *s = link->end.session;
	socklen_t size = sizeof(int);
	int error = 0;

	if (link->end.fd < 0)
		return;
	if (!link->end.is_connected) {
		getsockopt(link->end.fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error || events & (EPOLLERR | EPOLLHUP))
			link_failed(link);
		else
			link->end.is_connected = true;
		return;
	}
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
		bool is_good = end_read(&link->end);

		while (buffer_count(&link->end.in) && !s->quits)
			if (!take_input(link))
				break;
		if (!is_good || link->end.has_ended)
			link_failed(link);
	}
}

static void session_event(struct session *s, uint32_t events)
{
	if (events & EPOLLERR || (events & EPOLLHUP && s->end.has_ended))
		s->is_dead = true;
	else if (events & (EPOLLIN | EPOLLHUP) && !end_read(&s->end))
		s->is_dead = true;
}

/* The client sends no more. A waiting reserve then ends. */
static void shut_links(struct session *s)
{
	uint32_t i;

	if (!s->end.has_ended || s->step != STEP_NONE || s->quits || s->has_more || is_full(s))
		return;
	if (!s->pending) {
		s->quits = true;
		return;
	}
	for (i = 0; i < proxy.shards; i++) {
		struct link *link = s->links[i];

		if (!link || link->end.is_shut || link->end.fd < 0 ||
		    buffer_count(&link->end.out))
			continue;
		shutdown(link->end.fd, SHUT_WR);
		link->end.is_shut = true;
	}
}

static void set_events(struct session *s)
{
	bool has_room = buffer_count(&s->end.out) < BUFFER_BYTES;
	uint32_t i, events = 0;

	if (!s->end.has_ended && !s->quits && buffer_count(&s->end.in) < BUFFER_BYTES)
		events = EPOLLIN;
	end_watch(&s->end, events | (buffer_count(&s->end.out) ? EPOLLOUT : 0));
	for (i = 0; i < proxy.shards; i++) {
		struct link *link = s->links[i];

		if (!link)
			continue;
		events = has_room && link->end.is_connected ? EPOLLIN : 0;
		if (buffer_count(&link->end.out) || !link->end.is_connected)
			events |= EPOLLOUT;
		end_watch(&link->end, events);
	}
}

/* Run what can run, and send what can be sent. */
static void session_run(struct session *s)
{
	uint32_t i;

	work(s);
	if (!end_write(&s->end))
		s->is_dead = true;
	for (i = 0; i < proxy.shards; i++)
		if (s->links[i] && s->links[i]->end.fd >= 0 && !end_write(&s->links[i]->end))
			link_failed(s->links[i]);
	shut_links(s);
	if (s->quits && !buffer_count(&s->end.out))
		s->is_dead = true;
	set_events(s);
}

static void session_close(struct session *s)
{
	uint32_t i;

	TAILQ_REMOVE(&proxy.sessions, s, all);
	if (s->is_waiting)
		TAILQ_REMOVE(&proxy.waiting, s, waiting);
	proxy.connected--;
	for (i = 0; i < proxy.shards; i++) {
		if (s->links[i])
			end_close(&s->links[i]->end);
		free(s->links[i]);
	}
	while (!TAILQ_EMPTY(&s->watches))
		remove_watch(s, TAILQ_FIRST(&s->watches));
	buffer_clear(&s->gathered);
	end_close(&s->end);
	free(s);
}

static void session_open(int fd, bool is_http)
{
	struct session *s = zeroed(1, sizeof(*s));

	TAILQ_INSERT_TAIL(&proxy.sessions, s, all);
	proxy.connected++;
	TAILQ_INIT(&s->watches);
	set_name(s->used, "default");
	s->used_shard = shard_of("default");
	add_watch(s, "default");
	s->is_http = is_http;
	s->end.session = s;
	s->end.is_connected = true;
	end_open(&s->end, fd, EPOLLIN);
}

static void accept_one(struct listener *listener, bool is_http)
{
	int fd = listener_accept(listener);

	if (fd < 0)
		return;
	if (proxy.connected >= proxy.options->connections)
		listener_refuse(fd, "OUT_OF_MEMORY\r\n");
	else
		session_open(fd, is_http);
}

/* Return: true if a shard cannot be reached yet, or if no job was found in several shards. */
static bool waits_for_time(const struct session *s)
{
	uint32_t i;

	for (i = 0; i < proxy.shards; i++)
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

	for (i = 0; i < proxy.shards; i++) {
		struct link *link = s->links[i];

		if (!link || link->end.is_connected)
			continue;
		if (link->end.fd < 0)
			link_connect(link);
		if (now - link->since > PATIENCE_MS)
			s->quits = true;
	}
	if (s->step == STEP_PAUSE)
		begin_round(s);
}

/* Return: ms until the next tick, or -1 if nothing waits for it. */
static int run_ticks(void)
{
	struct session *s, *next;
	uint64_t now = now_ms();

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
	proxy.routes[route.shard] = route;
	TAILQ_FOREACH(s, &proxy.sessions, all) {
		if (!s->links[route.shard])
			continue;
		link_failed(s->links[route.shard]);
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
		link_event(end->link, events);
	else
		session_event(end->session, events);
	if (end->session)
		set_busy(end->session);
}

static void run_busy(void)
{
	struct session *s;

	while ((s = TAILQ_FIRST(&proxy.busy))) {
		TAILQ_REMOVE(&proxy.busy, s, busy);
		s->is_busy = false;
		session_run(s);
		if (!s->is_waiting && waits_for_time(s)) {
			TAILQ_INSERT_TAIL(&proxy.waiting, s, waiting);
			s->is_waiting = true;
		}
		if (s->is_dead)
			session_close(s);
	}
}

void proxy_serve(const struct server_options *options, struct listener *listener,
		 struct listener *http, int routes_fd)
{
	struct epoll_event events[EVENTS];
	int count, i;

	proxy.options = options;
	proxy.shards = options->shards;
	TAILQ_INIT(&proxy.sessions);
	TAILQ_INIT(&proxy.busy);
	TAILQ_INIT(&proxy.waiting);
	/* A connection may need a link to each shard. */
	listener_room(options->connections * (1 + options->shards));
	proxy.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (proxy.epoll < 0)
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
	proxy.accepts[0] = listener;
	proxy.accepts[1] = http;
	end_open(&proxy.routes_end, routes_fd, EPOLLIN);
	end_open(&proxy.listeners[0], listener->fd, EPOLLIN);
	if (http->fd >= 0)
		end_open(&proxy.listeners[1], http->fd, EPOLLIN);
	while (true) {
		count = epoll_wait(proxy.epoll, events, EVENTS, run_ticks());
		for (i = 0; i < count; i++)
			take_event(events[i].data.ptr, events[i].events);
		run_busy();
	}
}
