// SPDX-License-Identifier: MIT
/*
 * echo PORT IDLE_MS: an echo server that closes a connection after IDLE_MS without data. If PORT
 * is 0, the system chooses a port. The server prints its port.
 *
 *	cc -O2 -D_GNU_SOURCE echo.c $(pkg-config --cflags --libs libwheel) -o echo
 *
 * Each connection has a timeout, whose slot is its file descriptor. Received data restarts the
 * timeout with one atomic exchange, without a system call. When the timeout expires, the server
 * closes the connection.
 */
#include <ctype.h>
#include <libwheel.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_FDS	65536
#define BATCH	256

/**
 * struct server - state of the server
 * @timeouts: one timeout per connection, in the slot of its file descriptor
 * @now: time at which the last wait ended
 * @idle: timeout in nanoseconds
 * @epfd: epoll instance of the event loop
 * @listener: listening socket
 */
struct server {
	struct libwheel_timeouts *timeouts;
	struct libwheel_time now;
	__u64 idle;
	int epfd;
	int listener;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "echo: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

static void watch(struct server *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(s->epfd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl", errno);
}

/* Accepting many connections takes time. This one may be younger than the last wait. */
static void welcome(struct server *s, int fd)
{
	int err = libwheel_timeout_start(s->timeouts, fd, s->idle);

	if (err)
		die("start", err);
	watch(s, fd);
}

static void accept_all(struct server *s)
{
	int fd;

	while ((fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		if (fd < MAX_FDS)
			welcome(s, fd);
		else
			close(fd);
	}
}

/* The peer has closed the connection. If the timeout has expired, its event closes it. */
static void farewell(struct server *s, int fd)
{
	if (libwheel_timeout_stop(s->timeouts, fd) != -EBUSY)
		close(fd);
}

/*
 * Restart the timeout and answer. The request arrived before the wait ended, so the time of its end
 * is late enough. A request that arrives after the timeout has expired is ignored.
 */
static void echo(struct server *s, int fd)
{
	struct libwheel_time deadline = libwheel_time_after(s->now, s->idle);
	char buffer[4096];
	ssize_t bytes;

	if (libwheel_timeout_start_at(s->timeouts, fd, deadline))
		return;
	bytes = read(fd, buffer, sizeof(buffer));
	if (bytes < 0 && errno == EAGAIN)
		return;
	if (bytes <= 0 || write(fd, buffer, bytes) != bytes)
		farewell(s, fd);
}

static void close_expired(struct server *s)
{
	struct wheel_event events[BATCH];
	int i, n;

	do {
		n = libwheel_timeout_wait(s->timeouts, events, BATCH, 0);
		for (i = 0; i < n; i++)
			close(events[i].cookie);
	} while (n == BATCH);
	if (n < 0)
		die("timeouts", n);
}

/* Requests come first: they may restart timeouts that are about to expire. */
static void serve(struct server *s)
{
	struct epoll_event events[BATCH];
	bool expired = false;
	int i, n = epoll_wait(s->epfd, events, BATCH, -1);

	if (n < 0 && errno != EINTR)
		die("wait", errno);
	s->now = libwheel_timeout_now(s->timeouts);
	for (i = 0; i < n; i++) {
		int fd = events[i].data.fd;

		if (fd == libwheel_timeout_fd(s->timeouts))
			expired = true;
		else if (fd == s->listener)
			accept_all(s);
		else
			echo(s, fd);
	}
	if (expired)
		close_expired(s);
}

static int listen_on(int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int yes = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&address, size) ||
	    listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&address, &size))
		die("listen", errno);
	printf("%d\n", ntohs(address.sin_port));
	if (fflush(stdout))
		die("stdout", errno);
	return fd;
}

/* Allow as many connections as the hard limit permits. */
static void raise_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void explain(void)
{
	fprintf(stderr,
		"usage: echo PORT IDLE_MS\n"
		"An echo server on the loopback address that closes a connection after IDLE_MS\n"
		"without data. Prints its port; with port 0 the system chooses one:\n"
		"	echo 7777 10000 & nc 127.0.0.1 7777\n");
	exit(2);
}

/* A number of at most @most, and nothing else. */
static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n > most)
		explain();
	return n;
}

int main(int argc, char **argv)
{
	static struct server s;
	int port, err;

	if (argc != 3)
		explain();
	port = number(argv[1], 65535);
	s.idle = number(argv[2], UINT_MAX) * 1000000ULL;
	signal(SIGPIPE, SIG_IGN);
	raise_limit();
	err = libwheel_timeout_open(&s.timeouts, MAX_FDS, NULL);
	if (err)
		die("open", err);
	s.epfd = epoll_create1(0);
	s.listener = listen_on(port);
	watch(&s, s.listener);
	watch(&s, libwheel_timeout_fd(s.timeouts));
	for (;;)
		serve(&s);
}
