// SPDX-License-Identifier: MIT
/*
 * compare-load CONNECTIONS REQUESTS SERVER [ARGUMENT...]: starts an echo server and sends
 * requests, in turn on each connection, up to 64 at a time. Prints the requests per second, the
 * server's CPU time per request in microseconds, and its maximum resident set size in KiB. The
 * set-up of the connections is not measured.
 */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WINDOW	64

static int *connections;
static int epfd;
static pid_t server;

static void die(const char *what)
{
	perror(what);
	if (server > 0)
		kill(server, SIGKILL);
	exit(1);
}

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int start_server(char **argv)
{
	char line[16] = "";
	int pipefd[2];

	if (pipe(pipefd))
		die("pipe");
	server = fork();
	if (!server) {
		dup2(pipefd[1], 1);
		execv(argv[0], argv);
		die(argv[0]);
	}
	close(pipefd[1]);
	if (read(pipefd[0], line, sizeof(line) - 1) <= 0)
		die("no port");
	return atoi(line);
}

static int open_connection(int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event))
		die("connect");
	return fd;
}

static void ask(int fd)
{
	if (send(fd, "?", 1, MSG_NOSIGNAL) != 1)
		die("send");
}

static void load(int count, long requests)
{
	struct epoll_event events[WINDOW];
	long sent, done = 0;
	char byte;
	int i, n;

	for (sent = 0; sent < WINDOW && sent < requests; sent++)
		ask(connections[sent % count]);
	while (done < requests) {
		n = epoll_wait(epfd, events, WINDOW, -1);
		for (i = 0; i < n; i++) {
			if (read(events[i].data.fd, &byte, 1) != 1)
				die("read");
			done++;
			if (sent < requests)
				ask(connections[sent++ % count]);
		}
	}
}

static void raise_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* CPU time of the server. */
static double cpu_seconds(void)
{
	clockid_t clock;

	if (clock_getcpuclockid(server, &clock))
		die("clock_getcpuclockid");
	return seconds(clock);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double begun, took, cpu;
	long requests;
	int count, port, i;

	if (argc < 4)
		return 2;
	raise_limit();
	count = atoi(argv[1]);
	requests = atol(argv[2]);
	connections = calloc(count, sizeof(*connections));
	epfd = epoll_create1(EPOLL_CLOEXEC);
	port = start_server(argv + 3);
	for (i = 0; i < count; i++)
		connections[i] = open_connection(port);
	begun = seconds(CLOCK_MONOTONIC);
	cpu = cpu_seconds();
	load(count, requests);
	took = seconds(CLOCK_MONOTONIC) - begun;
	cpu = cpu_seconds() - cpu;
	kill(server, SIGKILL);
	wait4(server, NULL, 0, &usage);
	printf("%9.0f %9.2f %9ld\n", requests / took,
	       cpu * 1e6 / requests, usage.ru_maxrss);
	return 0;
}
