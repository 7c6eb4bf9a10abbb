/* SPDX-License-Identifier: MIT */
/*
 * The server's state, for its commands.
 */
#ifndef SERVER_H
#define SERVER_H

#include "client.h"
#include "container.h"
#include "listen.h"

/**
 * struct server_options - how to serve
 * @address: to listen on
 * @port: to listen on
 * @path: of the store
 * @connections: at most so many
 * @body: bytes that a job's body has at most
 * @hold: bytes that all connections hold, at most
 * @queue: of the queue
 */
struct server_options {
	const char *address;
	const char *port;
	const char *path;
	uint32_t connections;
	uint32_t body;
	uint64_t quota;
	struct queue_options queue;
};

/**
 * struct server - a server
 * @options: in force
 * @queue: that it serves
 * @epoll: what it waits on
 * @listener: for connections
 * @clock_fd: readable when somebody has set the wall clock
 * @signal_fd: for the signals that end it, or drain it
 * @rings: alarms of this clock may be due
 * @clients: connections
 * @host: what connections share
 * @connected: how many connections there are
 * @connections: how many there were
 * @verbs: how often each command came
 * @is_draining: no more jobs are accepted
 * @is_ending: this turn is the last one
 * @started: ms of the queue's clock
 * @name: of this process, random
 */
struct server {
	struct server_options options;
	struct queue queue;
	int epoll;
	struct listener listener;
	int clock_fd;
	int signal_fd;
	bool has_expired[CLOCKS];
	struct client_list clients;
	struct client_host host;
	uint64_t connected;
	uint64_t connections;
	uint64_t verbs[VERB_COUNT];
	bool is_draining;
	bool is_ending;
	uint64_t started;
	char name[17];
};

static inline struct server *server_of(const struct client *client)
{
	return container_of(client->host, struct server, host);
}

#endif
