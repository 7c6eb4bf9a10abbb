// SPDX-License-Identifier: MIT
/*
 * compare-timerfd PORT IDLE_MS: the server of ../echo.c with one timerfd per connection, which
 * each request restarts.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define MAX_FDS	65536
#define BATCH	256

static struct itimerspec idle;
static int epfd;
static int listener;
/* The timerfd of a connection, and the connection of a timerfd; 0: none. */
static int timer_of[MAX_FDS];
static int connection_of[MAX_FDS];

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
}

static void accept_all(void)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

		if (timer < 0 || timer >= MAX_FDS || fd >= MAX_FDS)
			exit(1);
		timer_of[fd] = timer;
		connection_of[timer] = fd;
		timerfd_settime(timer, 0, &idle, NULL);
		watch(fd);
		watch(timer);
	}
}

static void farewell(int fd)
{
	connection_of[timer_of[fd]] = 0;
	close(timer_of[fd]);
	close(fd);
}

static void echo(int fd)
{
	char buffer[4096];
	ssize_t bytes = read(fd, buffer, sizeof(buffer));

	if (bytes < 0 && errno == EAGAIN)
		return;
	if (bytes <= 0 || write(fd, buffer, bytes) != bytes)
		farewell(fd);
	else
		timerfd_settime(timer_of[fd], 0, &idle, NULL);
}

static void serve(void)
{
	struct epoll_event events[BATCH];
	int n = epoll_wait(epfd, events, BATCH, -1);
	uint64_t ticks;
	int i;

	for (i = 0; i < n; i++) {
		int fd = events[i].data.fd;

		if (fd == listener)
			accept_all();
		else if (!connection_of[fd])
			echo(fd);
		else if (read(fd, &ticks, sizeof(ticks)) == sizeof(ticks))
			farewell(connection_of[fd]);
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
	long ms;

	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	ms = atol(argv[2]);
	idle.it_value.tv_sec = ms / 1000;
	idle.it_value.tv_nsec = ms % 1000 * 1000000;
	epfd = epoll_create1(0);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	address.sin_port = htons(atoi(argv[1]));
	if (bind(listener, (struct sockaddr *)&address, size) ||
	    listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	watch(listener);
	for (;;)
		serve();
}
