// SPDX-License-Identifier: GPL-2.0
/*
 * spacing NAME rate|txtime|random FLOWS PACKETS NS: PACKETS packets from each of FLOWS UDP sockets
 * through the qdisc of dummy0, one departure per NS nanoseconds. Print percentiles, in nanoseconds,
 * of the error of the distance between packets of a flow, and with txtime also of the lateness.
 * With random, all departures are in random order, and only the lateness is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../clients/pacing/test/pace.h"

#define SIZE	100
/* More than the time to send a packet */
#define SENDING	20000ULL

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t value = *a;

	*a = *b;
	*b = value;
}

static void print(char **argv, const char *what, uint64_t *values, uint64_t count)
{
	static const double percentiles[] = { 50, 90, 99, 100 };

	qsort(values, count, sizeof(*values), compare);
	for (unsigned int i = 0; i < 4; i++)
		printf("pacing,%s %s p%.0f,%s,%s,ns,%lu\n", argv[2], what, percentiles[i], argv[3],
		       argv[1], values[(uint64_t)((count - 1) * percentiles[i] / 100)]);
}

int main(int argc, char **argv)
{
	bool shuffled = argc > 5 && !strcmp(argv[2], "random");
	bool timed = shuffled || (argc > 5 && !strcmp(argv[2], "txtime"));
	uint32_t flows = argc > 5 ? strtoul(argv[3], NULL, 0) : 0;
	uint32_t packets = argc > 5 ? strtoul(argv[4], NULL, 0) : 0;
	uint64_t interval = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
	uint64_t gap = interval * flows, total = (uint64_t)flows * packets, start, count = 0, n = 0;
	uint64_t *left, *times, *errors, *late, state = 1;
	struct departure departure;
	int *fds;

	if (packets < 2 || !gap)
		die("usage: spacing NAME rate|txtime|random FLOWS PACKETS NS");
	fds = malloc(flows * sizeof(*fds));
	left = calloc(total, sizeof(*left));
	times = calloc(total, sizeof(*times));
	errors = calloc(total, sizeof(*errors));
	late = calloc(total, sizeof(*late));
	allow_files(flows);
	for (uint32_t i = 0; i < flows; i++)
		fds[i] = sender_open(1000 + i % 60000,
				     timed ? NO_RATE : (SIZE + HEADERS) * NS_PER_S / gap, timed);
	capture_open(DEVICE);
	start = now() + total * SENDING;
	for (uint32_t k = 0; k < packets; k++)
		for (uint32_t i = 0; i < flows; i++)
			times[i * packets + k] = start + k * gap + i * interval;
	for (uint64_t i = 0; shuffled && i < total; i++)
		swap(&times[i], &times[random_next(&state) % (i + 1)]);
	for (uint32_t k = 0; k < packets; k++)
		for (uint32_t i = 0; i < flows; i++)
			if (sender_send(fds[i], (struct load) { i, k }, SIZE,
					timed ? times[i * packets + k] : 0))
				die("a packet was dropped");
	/* Reading would delay the departures. */
	while (statistic("qlen"))
		nap(100000000);
	while (capture_next(&departure)) {
		left[departure.load.flow * packets + departure.load.number] = departure.time;
		count++;
	}
	if (count != total)
		die("%lu of %lu packets left", count, total);
	for (uint64_t i = 0; i < total; i++) {
		if (timed && left[i] < times[i])
			die("a packet left %lu ns early", times[i] - left[i]);
		late[i] = left[i] - times[i];
		if (i % packets)
			errors[n++] = llabs((long long)(left[i] - left[i - 1] - gap));
	}
	if (!shuffled)
		print(argv, "spacing", errors, n);
	if (timed)
		print(argv, "late", late, total);
	return 0;
}
