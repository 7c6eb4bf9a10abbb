// SPDX-License-Identifier: MIT
/*
 * compare-libevent PORT IDLE_MS: an echo server that uses libevent. The read event of each
 * connection has a timeout, which each request restarts.
 */
#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_FDS	65536

static struct timeval idle;
static struct event_base *base;
static struct event *event_of[MAX_FDS];

static void farewell(int fd)
{
	event_free(event_of[fd]);
	close(fd);
}

/* The event is persistent: its timeout restarts whenever it is active. */
static void on_read(int fd, short what, void *arg)
{
	char buffer[4096];
	ssize_t bytes;

	(void)arg;
	if (what & EV_TIMEOUT) {
		farewell(fd);
		return;
	}
	bytes = read(fd, buffer, sizeof(buffer));
	if (bytes < 0 && errno == EAGAIN)
		return;
	if (bytes <= 0 || write(fd, buffer, bytes) != bytes)
		farewell(fd);
}

static void on_accept(int listener, short what, void *arg)
{
	int fd;

	(void)what;
	(void)arg;
	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		if (fd >= MAX_FDS)
			exit(1);
		event_of[fd] = event_new(base, fd, EV_READ | EV_PERSIST,
					 on_read, NULL);
		event_add(event_of[fd], &idle);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	struct rlimit limit;
	int listener;
	long ms;

	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	ms = atol(argv[2]);
	idle.tv_sec = ms / 1000;
	idle.tv_usec = ms % 1000 * 1000;
	base = event_base_new();
	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	address.sin_port = htons(atoi(argv[1]));
	if (bind(listener, (struct sockaddr *)&address, size) ||
	    listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	event_add(event_new(base, listener, EV_READ | EV_PERSIST, on_accept,
			    NULL), NULL);
	return event_base_dispatch(base);
}
