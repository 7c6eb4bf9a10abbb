/* SPDX-License-Identifier: MIT */
/*
 * Links of the proxy to the processes that hold the shards. The sockets of links and of clients are
 * ends, which one epoll watches.
 */
#ifndef LINK_H
#define LINK_H

#include "buffer.h"
#include "shards.h"
#include "tube.h"

struct session;

/**
 * struct end - a descriptor of epoll
 * @fd: the socket, or -1
 * @events: the events of epoll
 * @link: the link, or NULL for a client
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

/**
 * struct links - what all links share
 * @epoll: descriptor of epoll
 * @shards: number of shards
 * @routes: by shard, the process that holds it
 */
struct links {
	int epoll;
	uint32_t shards;
	struct shards_route routes[SHARDS_MOST];
};

extern struct links links;

void links_open(uint32_t shards);
/* The shard of a tube, on which all servers must agree. */
uint32_t shard_of_tube(const char *tube, uint32_t shards);
uint32_t links_shard_of(const char *tube);
/* Copy the name of a tube. */
void name_copy(char to[TUBE_NAME_MAX + 1], const char *name);

void end_open(struct end *end, int fd, uint32_t events);
void end_watch(struct end *end, uint32_t events);
/* Read once, or write what the peer takes. Return: false if the peer is unreachable. */
bool end_read(struct end *end);
bool end_write(struct end *end);
void end_close(struct end *end);

/* Begin to connect to the process that holds the shard, if there is one. */
struct link *link_open(struct session *session, uint32_t shard);
void link_connect(struct link *link);
/* The link is connected, or its attempt has failed. */
void link_finish_connect(struct link *link, uint32_t events);
void link_disconnect(struct link *link);
void link_close(struct link *link);

#endif
