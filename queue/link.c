// SPDX-License-Identifier: MIT
#include "link.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"

struct links links;

void links_open(uint32_t shards)
{
	links.shards = shards;
	links.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (links.epoll < 0)
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

/* FNV-1a, and a step that mixes its bits. */
uint32_t shard_of_tube(const char *tube, uint32_t shards)
{
	uint32_t hash = 2166136261;

	for (; *tube; tube++)
		hash = (hash ^ (unsigned char)*tube) * 16777619;
	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	return (hash ^ hash >> 13) % shards;
}

uint32_t links_shard_of(const char *tube)
{
	return shard_of_tube(tube, links.shards);
}

void name_copy(char to[TUBE_NAME_MAX + 1], const char *name)
{
	memcpy(to, name, strlen(name) + 1);
}

static void set_epoll(struct end *end, int operation, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = end };

	end->events = events;
	if (epoll_ctl(links.epoll, operation, end->fd, &event))
		fail(EXIT_FAILED, "epoll: %s", strerror(errno));
}

void end_open(struct end *end, int fd, uint32_t events)
{
	end->fd = fd;
	set_epoll(end, EPOLL_CTL_ADD, events);
}

void end_watch(struct end *end, uint32_t events)
{
	if (end->fd >= 0 && end->events != events)
		set_epoll(end, EPOLL_CTL_MOD, events);
}

bool end_read(struct end *end)
{
	return buffer_read(&end->in, end->fd, &end->has_ended);
}

bool end_write(struct end *end)
{
	return !end->is_connected || buffer_send(&end->out, end->fd);
}

void end_close(struct end *end)
{
	if (end->fd >= 0)
		close(end->fd);
	buffer_clear(&end->in);
	buffer_clear(&end->out);
}

void link_connect(struct link *link)
{
	const struct sockaddr_in6 *to = &links.routes[link->shard].address;
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

struct link *link_open(struct session *session, uint32_t shard)
{
	struct link *link = zeroed(1, sizeof(*link));

	link->end.fd = -1;
	link->end.link = link;
	link->end.session = session;
	link->shard = shard;
	link->since = clock_ms();
	link_connect(link);
	return link;
}

void link_finish_connect(struct link *link, uint32_t events)
{
	socklen_t size = sizeof(int);
	int error = 0;

	getsockopt(link->end.fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error || events & (EPOLLERR | EPOLLHUP))
		link_disconnect(link);
	else
		link->end.is_connected = true;
}

void link_disconnect(struct link *link)
{
	if (link->end.fd >= 0)
		close(link->end.fd);
	link->end.fd = -1;
}

void link_close(struct link *link)
{
	end_close(&link->end);
	free(link);
}
