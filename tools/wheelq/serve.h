/* SPDX-License-Identifier: MIT */
/*
 * The server: one loop, one writer. Each turn takes what all connections have sent,
 * makes one commit, and only then sends the answers.
 */
#ifndef SERVE_H
#define SERVE_H

#include "client.h"
#include "listen.h"

TAILQ_HEAD(client_list, client);

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
 * @busy: those with something to do at the end of the turn
 * @hold: what connections hold in memory
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
	struct client_list busy;
	struct quota quota;
	uint64_t connected;
	uint64_t connections;
	uint64_t verbs[VERB_COUNT];
	bool is_draining;
	bool is_ending;
	uint64_t started;
	char name[17];
};

/* Until a signal ends it. */
void serve(struct server *server, const struct server_options *options);
/* The client has something to do at the end of the turn. */
void server_add_busy(struct client *client);

#endif
