// SPDX-License-Identifier: MIT
/*
 * server CONNECTIONS: replies to each request with the same bytes. It prints its port, and exits
 * at the end of its input.
 *
 * It behaves as a server that queries other servers before it replies. A request gets a deadline
 * of one second. The reply is sent after the loop has read all available requests. A connection
 * that is idle for ten minutes is closed.
 */
#include <err.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "timers.h"

#define IDLE_MS		600000
#define REQUEST_MS	1000
#define REQUEST_BYTES	64
/* Descriptors other than connections. */
#define OTHER_FDS	64

/* Timers by descriptor. */
#define IDLE_TIMER(fd)		(2 * (fd))
#define REQUEST_TIMER(fd)	(2 * (fd) + 1)

/**
 * struct connection - a connection, by its descriptor
 * @event: its requests
 * @bytes: length of the request that waits for a reply, or 0
 * @expired: number of timers for which on_expired() will be called although the connection is
 *	shut down. The last of these calls closes the descriptor, which can then be reused
 * @request: the last request
 */
static struct connection {
	struct event event;
	int bytes;
	unsigned char expired;
	char request[REQUEST_BYTES];
} *connections;

static int max_fds;
static struct event_base *base;

/* Descriptors whose requests await a reply. */
static int *waiting;
static int waiting_count;
static struct event *replying;

static void farewell(int fd)
{
	struct connection *connection = &connections[fd];

	event_del(&connection->event);
	connection->bytes = 0;
	connection->expired = !timers_cancel(IDLE_TIMER(fd)) + !timers_cancel(REQUEST_TIMER(fd));
	if (connection->expired)
		shutdown(fd, SHUT_RDWR);
	else
		close(fd);
}

static void on_expired(unsigned int nr)
{
	int fd = nr / 2;
	struct connection *connection = &connections[fd];

	if (!connection->expired)
		farewell(fd);
	else if (!--connection->expired)
		close(fd);
}

static void reply(int fd)
{
	struct connection *connection = &connections[fd];
	int bytes = connection->bytes;

	connection->bytes = 0;
	/* The connection was closed meanwhile, or on_expired() closes it. */
	if (!bytes || !timers_cancel(REQUEST_TIMER(fd)))
		return;
	if (write(fd, connection->request, bytes) != bytes)
		farewell(fd);
}

static void send_replies(int fd, short what, void *arg)
{
	int i;

	for (i = 0; i < waiting_count; i++)
		reply(waiting[i]);
	waiting_count = 0;
}

static void on_request(int fd, short what, void *arg)
{
	struct connection *connection = &connections[fd];

	connection->bytes = read(fd, connection->request, REQUEST_BYTES);
	if (connection->bytes <= 0) {
		farewell(fd);
		return;
	}
	timers_arm(IDLE_TIMER(fd));
	timers_arm(REQUEST_TIMER(fd));
	if (!waiting_count)
		event_active(replying, EV_TIMEOUT, 0);
	waiting[waiting_count++] = fd;
}

static void on_accept(int listener, short what, void *arg)
{
	struct event *event;
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		if (fd >= max_fds)
			errx(1, "more connections than %d", max_fds);
		event = &connections[fd].event;
		event_assign(event, base, fd, EV_READ | EV_PERSIST, on_request, NULL);
		event_add(event, NULL);
		timers_arm(IDLE_TIMER(fd));
	}
}

static void on_input(int fd, short what, void *arg)
{
	event_base_loopbreak(base);
}

/* Listen on all loopback addresses, because one has too few ports for that many clients. */
static int listen_somewhere(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&address, &size))
		err(1, "listen");
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	int listener;

	if (argc != 2 || atoi(argv[1]) <= 0)
		errx(2, "usage: server CONNECTIONS");
	max_fds = atoi(argv[1]) + OTHER_FDS;
	limit.rlim_cur = max_fds;
	limit.rlim_max = max_fds;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "%d files", max_fds);
	signal(SIGPIPE, SIG_IGN);
	connections = calloc(max_fds, sizeof(*connections));
	waiting = calloc(max_fds, sizeof(*waiting));
	base = event_base_new();
	if (!connections || !waiting || !base)
		err(1, "memory");
	timers_open(base, 2 * max_fds, IDLE_MS, REQUEST_MS, on_expired);
	replying = event_new(base, -1, 0, send_replies, NULL);
	listener = listen_somewhere();
	event_add(event_new(base, listener, EV_READ | EV_PERSIST, on_accept, NULL), NULL);
	event_add(event_new(base, STDIN_FILENO, EV_READ, on_input, NULL), NULL);
	return event_base_dispatch(base);
}
