// SPDX-License-Identifier: GPL-2.0
/*
 * fair FLOWS BYTES COMMAND: each of FLOWS sockets sends packets of BYTES bytes together, then
 * COMMAND lets the device send them. Half of the flows send packets of 100 bytes, the others of
 * 1000. When half of all bytes have left, each flow must have sent the same number, up to two
 * quanta of 1514 bytes. Print Jain's index. Some flows of an unfair qdisc have no packets left by
 * then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pace.h"

#define QUANTUM	1514

/* The size of a flow's packets */
static unsigned int flow_size(unsigned int flow)
{
	return flow % 2 ? 1000 : 100;
}

static void send_all(unsigned int flows, unsigned int bytes)
{
	for (unsigned int i = 0; i < flows; i++) {
		int fd = sender_open(2000 + i, NO_RATE, false);
		unsigned int size = flow_size(i);

		for (unsigned int n = 0; n < bytes / size; n++)
			if (sender_send(fd, (struct load) { i, n }, size - HEADERS, 0))
				die("a packet was dropped");
	}
}

int main(int argc, char **argv)
{
	unsigned int flows = argc > 3 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int bytes = argc > 3 ? strtoul(argv[2], NULL, 0) : 0;
	unsigned long least = ~0UL, most = 0, total = 0;
	struct departure departure;
	double squares = 0;
	unsigned long *left;

	left = calloc(flows, sizeof(*left));
	if (!flows || bytes < 1000 || !left)
		die("usage: fair FLOWS BYTES COMMAND");
	allow_files(flows);
	capture_open(DEVICE);
	send_all(flows, bytes);
	while (capture_next(&departure))
		;
	if (system(argv[3]))
		die("%s failed", argv[3]);
	while (total < (unsigned long)flows * bytes / 2) {
		if (!capture_next(&departure)) {
			nap(1000000);
			continue;
		}
		left[departure.load.flow] += flow_size(departure.load.flow);
		total += flow_size(departure.load.flow);
	}
	for (unsigned int i = 0; i < flows; i++) {
		least = left[i] < least ? left[i] : least;
		most = left[i] > most ? left[i] : most;
		squares += (double)left[i] * left[i];
	}
	printf("%lu to %lu bytes per flow; Jain's index %.4f\n", least, most,
	       (double)total * total / squares / flows);
	return most - least > 2 * QUANTUM;
}
