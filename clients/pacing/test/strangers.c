// SPDX-License-Identifier: GPL-2.0
/*
 * strangers: send to 1,000 ports from a socket that is not connected and has a rate of 1 byte/s,
 * then to as many from one without a rate.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "pace.h"

#define PORTS	1000

static void send_to_all(const uint64_t *rate)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr("10.0.0.2") };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = 1 << 24;
	int i;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    (rate && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, rate, sizeof(*rate))))
		die("socket: %s", strerror(errno));
	for (i = 0; i < PORTS; i++) {
		to.sin_port = htons(1000 + i);
		if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
			die("sendto: %s", strerror(errno));
	}
	close(fd);
}

int main(void)
{
	const uint64_t rate = 1;

	send_to_all(&rate);
	send_to_all(NULL);
	return 0;
}
