// SPDX-License-Identifier: MIT
#include "standby.h"

#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char metrics[] =
	"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\n\r\n"
	"# HELP wheelq_serving 0: on standby.\n# TYPE wheelq_serving gauge\nwheelq_serving 0\n";
static const char other[] =
	"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\non standby\n";

static bool is_readable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, ms) > 0;
}

void standby_wait(int fd, int ms)
{
	static const char get[] = "GET /metrics ";
	char request[4096] = "";
	const char *reply;
	int client;

	if (!is_readable(fd, ms))
		return;
	client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	/* The wait is short, because the store may become free. */
	if (is_readable(client, ms) && recv(client, request, sizeof(request) - 1, 0) > 0) {
		reply = strncmp(request, get, strlen(get)) ? other : metrics;
		send(client, reply, strlen(reply), MSG_NOSIGNAL);
	}
	close(client);
}
