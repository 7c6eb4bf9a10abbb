/* SPDX-License-Identifier: MIT */
/*
 * Requests of clients: the commands of the protocol, and HTTP requests for metrics.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "server.h"

/* Run the command of a line, without its end. The line is modified. */
void command_run(struct client *client, char *line, size_t length);
/* The body of client->put has arrived. */
void command_put(struct client *client, const char *body);

/**
 * struct stats_clients - number of connections, by kind
 * @producers: have put a job
 * @workers: have sent a reserve
 * @waiting: wait for a job
 */
struct stats_clients {
	uint64_t producers;
	uint64_t workers;
	uint64_t waiting;
};

void stats_count_clients(const struct server *server,
			 struct stats_clients *clients);

/* Resident memory, in bytes. */
uint64_t stats_memory(void);

/* The stats and list commands. */
void stats_run(struct client *client, const struct command *command);

/* Metrics, in Prometheus's text format. */
void metrics_print(struct buffer *buffer, struct server *server);

#define HTTP_SERVING	"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n" \
			"Connection: close\r\n\r\nserving\n"
#define HTTP_NOT_FOUND	"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n" \
			"Connection: close\r\n\r\n"

/* The response with metrics. */
void http_print(struct buffer *out, const struct buffer *metrics);
/* Return: true if the line is the first one of an HTTP request. */
bool http_is_request(const char *line);
/* The same for the first bytes of a line that is too long. */
bool http_may_be_request(const char *bytes, size_t count);
/* An HTTP request was received. */
void http_begin(struct client *client, const char *line);
/* Process a header line. Return: false if it is incomplete. */
bool http_take(struct client *client);

#endif
