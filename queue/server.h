/* SPDX-License-Identifier: MIT */
/*
 * The server: its state, which commands use, and its event loop.
 */
#ifndef SERVER_H
#define SERVER_H

#include "client.h"
#include "listen.h"
#include "options.h"

/**
 * struct server - a server
 * @options: the configuration
 * @queue: the queue
 * @store: its store
 * @reopen_fd: readable when a store was opened in place of a lost one
 * @reopened: that store
 * @is_reopened: true if @reopen_fd was read
 * @is_reopening: true while the store is lost
 * @has_more: true if the next iteration must not wait
 * @epoll: descriptor of epoll
 * @listener: accepts connections
 * @http: accepts connections for HTTP alone; its descriptor is -1 without one
 * @clock_fd: readable when the wall clock was set
 * @signal_fd: readable when a signal is pending
 * @has_expired: by clock, true if timers may have expired
 * @clients: connections
 * @busy: connections to process at the end of the iteration
 * @served: those that have run commands in this iteration and have more; they run after the others
 * @connected: number of connections
 * @connections: number of connections since the start
 * @verbs: number of commands, by kind
 * @is_draining: true if puts are rejected
 * @is_ending: true in the last iteration
 * @started: ms of the queue's clock
 * @id: a random number
 */
struct server {
	struct server_options options;
	struct queue *queue;
	struct store *store;
	int reopen_fd;
	struct store *reopened;
	bool is_reopened;
	bool is_reopening;
	bool has_more;
	int epoll;
	struct listener listener;
	struct listener http;
	int clock_fd;
	int signal_fd;
	bool has_expired[CLOCKS];
	struct client_list clients;
	struct client_list busy;
	struct client_list served;
	uint64_t connected;
	uint64_t connections;
	uint64_t verbs[VERB_COUNT];
	bool is_draining;
	bool is_ending;
	uint64_t started;
	uint64_t id;
};

/* Run the commands of clients until a signal ends it. */
void serve(const struct server_options *options);

#endif
