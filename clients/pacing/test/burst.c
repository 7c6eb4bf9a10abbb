// SPDX-License-Identifier: GPL-2.0
/*
 * burst FLOWS PACKETS [MS [RATE [SOCKETS]]]: send PACKETS packets from each of FLOWS sockets, to
 * leave MS milliseconds from now, or at RATE bytes per second. With SOCKETS, each socket is closed
 * after its packets and another one is opened, SOCKETS times. Print the numbers of accepted and of
 * dropped packets.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pace.h"

static unsigned long accepted, dropped;

static void send_packets(int fd, unsigned int flow, unsigned int count, uint64_t time)
{
	int err;

	for (unsigned int i = 0; i < count; i++) {
		err = sender_send(fd, (struct load) { flow, i }, sizeof(struct load), time);
		if (err && err != ENOBUFS)
			die("send: %s", strerror(err));
		if (err)
			dropped++;
		else
			accepted++;
	}
}

int main(int argc, char **argv)
{
	unsigned int flows = argc > 2 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int count = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	uint64_t delay = argc > 3 ? strtoull(argv[3], NULL, 0) * 1000000 : 0;
	uint64_t rate = argc > 4 ? strtoull(argv[4], NULL, 0) : NO_RATE;
	unsigned int sockets = argc > 5 ? strtoul(argv[5], NULL, 0) : 1;
	uint64_t time = delay ? now() + delay : 0;

	if (!flows || !count)
		die("usage: burst FLOWS PACKETS [MS [RATE [SOCKETS]]]");
	allow_files(flows);
	for (unsigned int i = 0; i < sockets; i++) {
		for (unsigned int flow = 0; flow < flows; flow++) {
			int fd = sender_open(2000 + flow % 60000, rate, delay);

			send_packets(fd, flow, count, time);
			if (sockets > 1) {
				close(fd);
				nap(5000000);
			}
		}
	}
	printf("%lu %lu\n", accepted, dropped);
	return 0;
}
