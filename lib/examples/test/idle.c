// SPDX-License-Identifier: MIT
/*
 * idle CONNECTIONS IDLE_MS SERVER [ARGUMENT...]: starts an echo server, whose first line of
 * output is its port, and opens CONNECTIONS connections. Sends requests on half of them for a
 * while. The server must close no connection earlier than IDLE_MS after its last completed
 * request, and must finally close all of them.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX	100000
#define ROUNDS	5

/**
 * struct connection - a connection to the server
 * @fd: socket
 * @asked: time just before the last request was sent
 * @answered: time just before the last completed request was sent
 * @open: the server has not closed it
 * @waits: a response is outstanding
 */
struct connection {
	int fd;
	uint64_t asked;
	uint64_t answered;
	bool open;
	bool waits;
};

static struct connection connections[MAX];
static int count;
static int left;
static int waiting;
static uint64_t idle;
static int early;
static int epfd;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int start_server(char **argv)
{
	char line[16] = "";
	int pipefd[2];

	if (pipe(pipefd))
		die("pipe");
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipefd[1], 1);
		execv(argv[0], argv);
		die(argv[0]);
	}
	close(pipefd[1]);
	if (read(pipefd[0], line, sizeof(line) - 1) <= 0)
		die("no port");
	return atoi(line);
}

static void open_connection(int i, int port)
{
	struct connection *c = &connections[i];
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	c->answered = now();
	if (c->fd < 0 ||
	    connect(c->fd, (struct sockaddr *)&address, sizeof(address)))
		die("connect");
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, c->fd, &event))
		die("epoll_ctl");
	c->open = true;
	left++;
}

static void closed(struct connection *c)
{
	early += now() < c->answered + idle;
	waiting -= c->waits;
	close(c->fd);
	c->open = false;
	left--;
}

static void answered(struct connection *c)
{
	c->answered = c->asked;
	c->waits = false;
	waiting--;
}

/* Handle responses and closed connections. */
static void listen_to_server(void)
{
	struct epoll_event events[256];
	int n = epoll_wait(epfd, events, 256, -1);
	int i;

	for (i = 0; i < n; i++) {
		struct connection *c = &connections[events[i].data.u32];
		char byte;

		if (read(c->fd, &byte, 1) == 1)
			answered(c);
		else
			closed(c);
	}
}

/* Send requests on half of the connections and await all responses. Returns the number open. */
static int ask(void)
{
	int i;

	for (i = 0; i < count; i += 2) {
		struct connection *c = &connections[i];

		c->asked = now();
		c->waits = c->open && send(c->fd, "?", 1, MSG_NOSIGNAL) == 1;
		waiting += c->waits;
	}
	while (waiting)
		listen_to_server();
	return left;
}

static void raise_limit(void)
{
	struct rlimit limit = { MAX + 100, MAX + 100 };

	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	int port, i;

	if (argc < 4) {
		fprintf(stderr, "usage: idle CONNECTIONS IDLE_MS SERVER...\n");
		return 2;
	}
	raise_limit();
	count = atoi(argv[1]);
	idle = strtoull(argv[2], NULL, 10) * 1000000;
	epfd = epoll_create1(EPOLL_CLOEXEC);
	port = start_server(argv + 3);
	for (i = 0; i < count; i++)
		open_connection(i, port);
	printf("%d connections\n", left);
	for (i = 0; i < ROUNDS; i++)
		printf("sent requests on half of them, %d are open\n", ask());
	while (left)
		listen_to_server();
	printf("all closed, %d early\n", early);
	return early > 0;
}
