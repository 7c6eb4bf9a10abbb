/* SPDX-License-Identifier: MIT */
/*
 * A connection: bytes in, lines and bodies of the protocol, bytes out.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "beanstalk.h"
#include "buffer.h"
#include "quota.h"
#include "queue.h"

struct client;

TAILQ_HEAD(client_list, client);

/**
 * struct client_ops - what the commands of a connection do
 * @line: run the command of a line, without its end; the line may be modified
 * @body: the body of client->put has arrived
 * @headers: state CLIENT_HEADERS: take one line; return false if it is incomplete
 * @closes: return true if a line that is too long closes the connection
 */
struct client_ops {
	void (*line)(struct client *client, char *line, size_t length);
	void (*body)(struct client *client, const char *body);
	bool (*headers)(struct client *client);
	bool (*closes)(const char *bytes, size_t count);
};

/**
 * struct client_host - what all connections share
 * @ops: the commands
 * @queue: the queue
 * @quota: limit on their buffers
 * @busy: connections with something to do at the end of the iteration
 */
struct client_host {
	const struct client_ops *ops;
	struct queue *queue;
	struct quota quota;
	struct client_list busy;
};

/**
 * enum client_state - what comes next from a connection
 * @CLIENT_LINE: a line
 * @CLIENT_BODY: the body of a put
 * @CLIENT_SKIP: so many bytes that nobody wants, then an answer
 * @CLIENT_SKIP_LINE: the rest of a line that is too long
 * @CLIENT_HEADERS: the lines after the first one of a request by HTTP
 * @CLIENT_WAITS: nothing, it waits for a job
 * @CLIENT_QUITS: nothing, it is closed when it has its answers
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
 * @all: its place among all
 * @busy: its place among those with something to do at the end of the turn
 * @buffers: the size of @in and @out
 * @host: what all connections share
 * @fd: the socket
 * @is_busy: it is there
 * @state: what comes next
 * @put: of which the body comes
 * @key: of that job
 * @skip: bytes to go, with CLIENT_SKIP
 * @reply: after that, or after the headers; there NULL: metrics
 * @in: what came and was not used yet
 * @out: what is to be sent
 * @worker: watches, leases
 * @used: the tube that it puts into
 * @alarm: rings when it has waited long enough
 * @give_up: ms of the queue's clock, when it has; 0: at once
 * @has_more: in @in there is more than was used
 * @has_ended: no more will come
 * @is_dead: it is to be closed at once
 * @is_producer: it has put
 * @is_worker: it has reserved
 * @events: that epoll watches for
 */
struct client {
	TAILQ_ENTRY(client) all;
	TAILQ_ENTRY(client) busy;
	struct quota_entry buffers;
	struct client_host *host;
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
	bool has_more;
	bool has_ended;
	bool is_dead;
	bool is_producer;
	bool is_worker;
	uint32_t events;
};

void client_host_open(struct client_host *host, const struct client_ops *ops,
		      struct queue *queue, size_t limit);
struct client *client_open(struct client_host *host, int fd);
void client_close(struct client *client);
/* Bytes have come, or the end. */
void client_read(struct client *client);
/* It waits, and has closed its half: the other half may still want an answer. */
void client_stop_waiting(struct client *client);
/* It is to be closed: nothing that it waits for can reach it. */
void client_kill(struct client *client);
/* Run at most @budget commands that have arrived. */
void client_work(struct client *client, unsigned int budget);
/* Send what can be sent. */
void client_write(struct client *client);
/* Update the quota. */
void client_count_buffers(struct client *client);
/* Process the connection at the end of the iteration. */
void client_set_busy(struct client *client);
/* Is it to be closed? */
bool client_is_done(const struct client *client);
/* Is it there, and neither waiting nor behind with reading its answers? */
bool client_can_run(const struct client *client);
/* It waited, and gets this job, or waits again if the job is damaged. */
void client_send_waited(struct client *client, struct job *job);
/* There is no job for it now: it waits for one, if it may. */
void client_wait(struct client *client);

/* The body of client->put is too long, or there is no memory for it: skip it, then respond. */
void client_skip_body(struct client *client, const char *reply);
void client_reply(struct client *client, const char *text);
/* Send a job, or INTERNAL_ERROR if it is damaged. */
void client_send_job(struct client *client, const char *word,
		     const struct job_record *rec);
/* Send a job that was reserved. If it is damaged, bury it. Return: false if it is damaged. */
bool client_send_reserved(struct client *client, struct job *job);

#endif
