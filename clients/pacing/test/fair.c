// SPDX-License-Identifier: GPL-2.0
/*
 * fair FLOWS PACKETS COMMAND: each of FLOWS sockets sends PACKETS packets, then COMMAND lets the
 * device send them. Half of the flows send packets of 100 bytes, the others of 1000. From then on
 * until one of them has none left, each flow must have sent the same number of bytes, up to two
 * quanta of 1514 bytes. Print Jain's index.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pace.h"

#define QUANTUM	1514

int main(int argc, char **argv)
{
	unsigned int flows = argc > 3 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int packets = argc > 3 ? strtoul(argv[2], NULL, 0) : 0;
	unsigned long least = ~0UL, most = 0;
	struct departure departure;
	double sum = 0, squares = 0;
	unsigned long *bytes;
	bool finished = false;

	bytes = calloc(flows, sizeof(*bytes));
	if (!flows || !packets || !bytes)
		die("usage: fair FLOWS PACKETS COMMAND");
	allow_files(flows);
	capture_open();
	for (unsigned int i = 0; i < flows; i++) {
		int fd = sender_open(2000 + i, NO_RATE, false);
		unsigned int size = i % 2 ? 1000 - HEADERS : 100 - HEADERS;

		for (unsigned int n = 0; n < packets; n++)
			if (sender_send(fd, (struct load) { i, n }, size, 0))
				die("a packet was dropped");
	}
	while (capture_next(&departure))
		;
	if (system(argv[3]))
		die("%s failed", argv[3]);
	while (!finished) {
		if (!capture_next(&departure)) {
			nap(1000000);
			continue;
		}
		bytes[departure.load.flow] += departure.load.flow % 2 ? 1000 : 100;
		finished = departure.load.number == packets - 1;
	}
	for (unsigned int i = 0; i < flows; i++) {
		least = bytes[i] < least ? bytes[i] : least;
		most = bytes[i] > most ? bytes[i] : most;
		sum += bytes[i];
		squares += (double)bytes[i] * bytes[i];
	}
	printf("%lu to %lu bytes per flow; Jain's index %.4f\n", least, most,
	       sum * sum / squares / flows);
	return most - least > 2 * QUANTUM;
}
