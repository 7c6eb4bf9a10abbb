// SPDX-License-Identifier: MIT
/*
 * echo PORT IDLE_MS: an echo server that closes connections which say nothing for
 * IDLE_MS. With port 0 it takes any; it prints the one that it has.
 *
 *	cc -O2 -D_GNU_SOURCE echo.c $(pkg-config --cflags --libs libwheel) -o echo
 *
 * Each connection has a kept timer in the slot of its file descriptor. Each byte from it
 * pushes its deadline: one exchange of a word, no system call. A timer that fires
 * closes its connection.
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
 * struct server - all of it
 * @wheel: a timer for each connection, by file descriptor
 * @idle: nanoseconds
 * @epfd: the event loop
 * @listener: where connections come from
 * @kept: the file descriptors whose slots we have
 */
struct server {
	struct libwheel *wheel;
	__u64 idle;
	int epfd;
	int listener;
	bool kept[MAX_FDS];
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

/* A new connection: its timer starts. The slot is taken once, and stays ours. */
static void welcome(struct server *s, int fd)
{
	uint64_t id = WHEEL_ID(fd, 1);
	int err = 0;

	if (!s->kept[fd])
		err = libwheel_keep(s->wheel, &id, fd);
	s->kept[fd] = true;
	if (!err)
		err = libwheel_keep_arm(s->wheel, id, libwheel_now(s->wheel) + s->idle);
	if (err)
		die("arm", err);
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

/*
 * The peer is gone. If the timer cannot be parked it has fired, and its event,
 * which is on its way, closes the connection.
 */
static void farewell(struct server *s, int fd)
{
	if (!libwheel_park(s->wheel, fd))
		close(fd);
}

/* A request that comes when the timer has fired already is too late. */
static void echo(struct server *s, int fd, __u64 now)
{
	char buffer[4096];
	ssize_t bytes;

	if (libwheel_keep_move(s->wheel, fd, now + s->idle))
		return;
	bytes = read(fd, buffer, sizeof(buffer));
	if (bytes < 0 && errno == EAGAIN)
		return;
	if (bytes <= 0 || write(fd, buffer, bytes) != bytes)
		farewell(s, fd);
}

/* Closes the connections that have been silent for too long. */
static void close_idle(struct server *s)
{
	struct wheel_event events[BATCH];
	int i, n;

	do {
		n = libwheel_expirations(s->wheel, events, BATCH);
		for (i = 0; i < n; i++) {
			libwheel_keep_rest(s->wheel, events[i].id);
			close(WHEEL_ID_SLOT(events[i].id));
		}
	} while (n == BATCH);
}

/* Timers last: what was read in this round has touched its own. */
static void serve(struct server *s)
{
	struct epoll_event events[BATCH];
	bool expired = false;
	int i, n;
	__u64 now;

	n = epoll_wait(s->epfd, events, BATCH, -1);
	now = libwheel_now(s->wheel);
	for (i = 0; i < n; i++) {
		int fd = events[i].data.fd;

		if (fd == libwheel_fd(s->wheel))
			expired = true;
		else if (fd == s->listener)
			accept_all(s);
		else
			echo(s, fd, now);
	}
	if (expired)
		close_idle(s);
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

/* As many connections as we may have. */
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
		"An echo server on the loopback address that closes connections which say\n"
		"nothing for IDLE_MS. With port 0 it takes any, and prints the one it has:\n"
		"	echo 7777 10000 & nc 127.0.0.1 7777\n");
	exit(2);
}

/* A number, at most so large, and nothing else. */
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
	struct libwheel_options options = {
		.size = sizeof(options),
		.scheme = WHEEL_HIERARCHICAL, .flags = WHEEL_SETUP_TOUCH,
		.timers = MAX_FDS,
	};
	int port, err;

	if (argc != 3)
		explain();
	port = number(argv[1], 65535);
	s.idle = number(argv[2], UINT_MAX) * 1000000ULL;
	signal(SIGPIPE, SIG_IGN);
	raise_limit();
	err = libwheel_open(&s.wheel, &options);
	if (err)
		die("open", err);
	s.epfd = epoll_create1(0);
	s.listener = listen_on(port);
	watch(&s, s.listener);
	watch(&s, libwheel_fd(s.wheel));
	for (;;)
		serve(&s);
}
