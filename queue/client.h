/* SPDX-License-Identifier: MIT */
/*
 * A connection: reads lines and bodies of the protocol, and sends responses.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "beanstalk.h"
#include "buffer.h"
#include "queue.h"

struct client;
struct server;

TAILQ_HEAD(client_list, client);

/**
 * enum client_state - the expected input of a connection
 * @CLIENT_LINE: a line
 * @CLIENT_BODY: the body of a put
 * @CLIENT_SKIP: bytes that are discarded, followed by a response
 * @CLIENT_SKIP_LINE: the rest of a line that is too long
 * @CLIENT_HEADERS: the header lines of an HTTP request
 * @CLIENT_WAITS: nothing; it waits for a job
 * @CLIENT_QUITS: nothing; it is closed when all responses were sent
 */
enum client_state {
	CLIENT_LINE,
	CLIENT_BODY,
	CLIENT_SKIP,
	CLIENT_SKIP_LINE,
	CLIENT_HEADERS,
	CLIENT_WAITS,
	CLIENT_QUITS,
};

/**
 * struct client - a connection
 * @all: node in the list of connections
 * @busy: node in the list of connections to process at the end of the iteration
 * @server: its server
 * @fd: the socket
 * @is_busy: true if @busy is in one of the two lists
 * @state: the expected input
 * @put: the command whose body is expected
 * @key: the key of that job
 * @skip: number of bytes to discard in state CLIENT_SKIP
 * @reply: response after that, or after HTTP headers; NULL: the metrics
 * @in: unprocessed input
 * @out: unsent responses
 * @worker: its watched tubes and reserved jobs
 * @used: the tube of its puts
 * @timer: expires when it has waited for @give_up
 * @give_up: ms of the queue's clock, end of its wait; 0: do not wait
 * @has_run: true if a command has run in this iteration
 * @has_more: true if @in has further commands
 * @has_ended: true if the peer sends no more
 * @is_http: true if it may only send HTTP requests
 * @is_dead: true if it must be closed immediately
 * @is_producer: true if it has put a job
 * @is_worker: true if it has sent a reserve
 * @events: the events of epoll
 */
struct client {
	TAILQ_ENTRY(client) all;
	TAILQ_ENTRY(client) busy;
	struct server *server;
	int fd;
	bool is_busy;
	enum client_state state;
	struct command put;
	char key[JOB_KEY_MAX + 1];
	uint64_t skip;
	const char *reply;
	struct buffer in;
	struct buffer out;
	struct worker worker;
	struct tube *used;
	struct timer timer;
	uint64_t give_up;
	bool has_run;
	bool has_more;
	bool has_ended;
	bool is_http;
	bool is_dead;
	bool is_producer;
	bool is_worker;
	uint32_t events;
};

struct client *client_open(struct server *server, int fd);
void client_close(struct client *client);
/* Read the available input. */
void client_read(struct client *client);
/* End the wait of a peer that sends no more, but may still receive the response. */
void client_stop_waiting(struct client *client);
/* Close it at the end of the iteration; the peer is unreachable. */
void client_kill(struct client *client);
/* Run commands that have arrived, until the time @end of CLOCK_MONOTONIC_COARSE (ns). */
void client_work(struct client *client, uint64_t end);
/* Send as much as possible without blocking. */
void client_write(struct client *client);
/* Process the connection at the end of the iteration. */
void client_set_busy(struct client *client);
/* The store was lost. Return: true if the connection has reserved jobs or awaits a response. */
bool client_is_affected(const struct client *client);
/* Move the connection from a queue to the one of its server. */
void client_move(struct client *client, struct queue *from);
/* Return: true if it can be closed. */
bool client_is_done(const struct client *client);
/* Return: false if it waits, is closed, or has too many unread responses. */
bool client_can_run(const struct client *client);
/* Send a job to a waiting connection. If the job is damaged, it waits again. */
void client_send_waited(struct client *client, struct job *job);
/* No job is ready: wait for one, unless the command does not wait. */
void client_wait(struct client *client);

/* The body of client->put is rejected: skip it, then respond. */
void client_skip_body(struct client *client, const char *reply);
void client_reply(struct client *client, const char *text);
/* Send a job, or INTERNAL_ERROR if it is damaged. */
void client_send_job(struct client *client, const char *word,
		     const struct job_record *rec);
/* Send a job that was reserved. If it is damaged, bury it. Return: false if it is damaged. */
bool client_send_reserved(struct client *client, struct job *job);

#endif
