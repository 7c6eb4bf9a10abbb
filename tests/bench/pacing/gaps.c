// SPDX-License-Identifier: GPL-2.0
/*
 * gaps NAME OPERATION DEVICE PORT COMMAND: run a command, and print the distances between the UDP
 * packets of more than 1000 bytes that left PORT through DEVICE meanwhile: percentiles in
 * nanoseconds, and the largest number of packets with distances of at most 20 us, a burst.
 */
#include <stdio.h>
#include <stdlib.h>
#include "../../../clients/pacing/test/pace.h"

#define PACKETS_MAX	1000000
#define BURST_GAP	20000

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static const int percentiles[] = { 10, 50, 90, 99 };
	static uint64_t gaps[PACKETS_MAX];
	unsigned long port = argc == 6 ? strtoul(argv[4], NULL, 0) : 0;
	unsigned long count = 0, burst = 1, longest = 1;
	struct departure departure;
	uint64_t last = 0;

	if (!port)
		die("usage: gaps NAME OPERATION DEVICE PORT COMMAND");
	capture_open(argv[3]);
	if (system(argv[5]))
		die("%s failed", argv[5]);
	while (count < PACKETS_MAX && capture_next(&departure)) {
		if (departure.port != port || departure.size <= 1000)
			continue;
		if (last)
			gaps[count++] = departure.time - last;
		burst = last && departure.time - last <= BURST_GAP ? burst + 1 : 1;
		longest = burst > longest ? burst : longest;
		last = departure.time;
	}
	qsort(gaps, count, sizeof(*gaps), compare);
	for (unsigned int i = 0; count && i < 4; i++)
		printf("pacing,%s distance p%d,1,%s,ns,%lu\n", argv[2], percentiles[i], argv[1],
		       gaps[(count - 1) * percentiles[i] / 100]);
	printf("pacing,%s longest burst,1,%s,packets,%lu\n", argv[2], argv[1], longest);
	return 0;
}
