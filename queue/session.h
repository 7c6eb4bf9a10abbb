/* SPDX-License-Identifier: MIT */
/*
 * The connection of a client to the proxy, and its links.
 *
 * A session has at most one link to each shard, so a job is reserved and deleted through the
 * same link. Commands are forwarded without waiting as long as they are for the same shard.
 * Responses therefore arrive in the order of the commands. If a link ends, so does the session:
 * the client cannot know which of its commands took effect, as if a server had failed.
 */
#ifndef SESSION_H
#define SESSION_H

#include "beanstalk.h"
#include "link.h"
#include "watched.h"

/* The end of a body. */
#define BODY_END	2

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
 * @step: what it waits for
 * @verb: the command of STEP_GATHER
 * @name: the tube of STEP_USE or STEP_WATCH
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
	struct watched_list watches;
	struct end end;
	struct link *links[SHARDS_MOST];
	struct link *active;
	uint64_t pending;
	uint64_t rest;
	uint64_t body;
	char used[TUBE_NAME_MAX + 1];
	enum step step;
	enum verb verb;
	char name[TUBE_NAME_MAX + 1];
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

struct session *session_open(int fd, bool is_http);
void session_close(struct session *session);
/* The number of open sessions. */
uint32_t session_count(void);

void session_reply(struct session *session, const char *text);
/* The same, without the end of the line. */
void session_reply_line(struct session *session, const char *line);
/* Send the body of a response in YAML, with its size. */
void session_reply_yaml(struct session *session, const struct buffer *yaml);
/* Send a command to a shard: its two parts make a line, without its end. */
void session_forward(struct session *session, uint32_t shard, const char *line,
		     const char *rest);

#endif
