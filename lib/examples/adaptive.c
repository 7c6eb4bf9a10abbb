// SPDX-License-Identifier: MIT
/*
 * adaptive PORT IDLE_MS CONNECTIONS: an echo server whose idle timeout shrinks under load.
 * While it has at most half of CONNECTIONS, it closes a connection that is silent for IDLE_MS.
 * With all of them, the timeout is one tenth of that.
 *
 *	cc -O2 -D_GNU_SOURCE adaptive.c $(pkg-config --cflags --libs libwheel) -o adaptive
 *
 * The timeouts are timers with words, on a clock with a rate, see pace.h. A new rate changes all of
 * them with one assignment. Requests postpone their timer as in echo.c.
 */
#include <ctype.h>
#include <libwheel.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "pace.h"

#define MAX_FDS		65536
#define BATCH		256
#define MAX_RATE	10

/* Upper limit of the time until a new rate takes effect, in nanoseconds. */
#define REACTION	100000000ULL

/**
 * struct server - state of the server
 * @wheel: one timer per connection, in the slot of its file descriptor
 * @pace: the wheel's clock
 * @idle: timeout in nanoseconds of that clock
 * @capacity: number of connections at which the rate is MAX_RATE
 * @open: number of connections
 * @epfd: epoll instance of the event loop
 * @listener: listening socket
 * @owned: true for file descriptors whose slot has a timer with a word
 */
struct server {
	struct libwheel *wheel;
	struct pace pace;
	__u64 idle;
	__u32 capacity;
	__u32 open;
	int epfd;
	int listener;
	bool owned[MAX_FDS];
};

static void die(const char *what, int err)
{
	fprintf(stderr, "adaptive: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

static __u64 real_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static __u64 deadline(const struct server *s)
{
	return pace_now(&s->pace, real_now()) + s->idle;
}

static void watch(struct server *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(s->epfd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl", errno);
}

/* Arm the timer of a new connection. Its slot is taken once. */
static void welcome(struct server *s, int fd)
{
	uint64_t id = WHEEL_ID(fd, 1);
	int err = 0;

	if (!s->owned[fd])
		err = libwheel_word(s->wheel, id, fd);
	s->owned[fd] = true;
	if (!err)
		err = libwheel_word_arm(s->wheel, id, deadline(s));
	if (err)
		die("arm", err);
	s->open++;
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

static void drop(struct server *s, int fd)
{
	s->open--;
	close(fd);
}

/* If the timer cannot be moved or parked, it has expired, and its event closes the connection. */
static void echo(struct server *s, int fd)
{
	char buffer[4096];
	ssize_t bytes;

	if (libwheel_word_arm(s->wheel, fd, deadline(s)))
		return;
	bytes = read(fd, buffer, sizeof(buffer));
	if (bytes < 0 && errno == EAGAIN)
		return;
	if ((bytes <= 0 || write(fd, buffer, bytes) != bytes) && !libwheel_word_park(s->wheel, fd))
		drop(s, fd);
}

static void close_idle(struct server *s)
{
	struct wheel_event events[BATCH];
	int i, n;

	do {
		n = libwheel_expirations(s->wheel, events, BATCH);
		for (i = 0; i < n; i++) {
			libwheel_word_reset(s->wheel, events[i].id);
			drop(s, WHEEL_ID_SLOT(events[i].id));
		}
	} while (n == BATCH);
}

/* The rate is 1 up to half of the capacity, and rises to MAX_RATE. */
static __u32 rate_of_load(const struct server *s)
{
	__u64 half = s->capacity / 2;
	__u64 excess = s->open > half ? s->open - half : 0;

	if (excess >= s->capacity - half)
		return MAX_RATE;
	return 1 + (MAX_RATE - 1) * excess / (s->capacity - half);
}

/* Expire the due timers. Returns the milliseconds to wait for requests; -1: indefinitely. */
static int expire(struct server *s)
{
	__u64 real = real_now(), wait;
	uint64_t next;
	int err = libwheel_advance(s->wheel, pace_now(&s->pace, real), &next);

	if (err)
		die("advance", err);
	close_idle(s);
	pace_set_rate(&s->pace, real, rate_of_load(s));
	wait = pace_until(&s->pace, real, next);
	if (wait == ~0ULL)
		return -1;
	return ((wait < REACTION ? wait : REACTION) + 999999) / 1000000;
}

static void serve(struct server *s)
{
	struct epoll_event events[BATCH];
	int i, n;

	n = epoll_wait(s->epfd, events, BATCH, expire(s));
	for (i = 0; i < n; i++) {
		if (events[i].data.fd == s->listener)
			accept_all(s);
		else
			echo(s, events[i].data.fd);
	}
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
		"usage: adaptive PORT IDLE_MS CONNECTIONS\n"
		"An echo server on the loopback address that closes idle connections after\n"
		"IDLE_MS, and after a tenth of that when it has CONNECTIONS. Port 0 is any:\n"
		"	adaptive 7777 60000 1000 & nc 127.0.0.1 7777\n");
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
	struct libwheel_options options = {
		.size = sizeof(options), .clock = WHEEL_CLOCK_VIRTUAL,
		.flags = WHEEL_SETUP_WORDS,
		.timers = MAX_FDS,
	};
	int port, err;

	if (argc != 4)
		explain();
	port = number(argv[1], 65535);
	s.idle = number(argv[2], 1000000000) * 1000000ULL;
	s.capacity = number(argv[3], MAX_FDS);
	s.pace = (struct pace){ .now = 1, .real = real_now(), .rate = 1 };
	signal(SIGPIPE, SIG_IGN);
	raise_limit();
	err = libwheel_open(&s.wheel, &options);
	if (err)
		die("open", err);
	s.epfd = epoll_create1(0);
	s.listener = listen_on(port);
	watch(&s, s.listener);
	for (;;)
		serve(&s);
}
