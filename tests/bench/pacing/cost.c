// SPDX-License-Identifier: GPL-2.0
/*
 * cost NAME rate|txtime|ordered FLOWS PACKETS NS: PACKETS packets from each of FLOWS UDP sockets
 * through the qdisc of dummy0, one departure per NS nanoseconds. Print samples per packet: the CPU
 * time from the first system call until the last packet has left, the part until the last system
 * call, and the interrupts of the local timer.
 *
 * The CPU time is the elapsed time without that of a thread of policy SCHED_IDLE, on one processor.
 *
 * rate: SO_MAX_PACING_RATE gives each socket its share of the departures, in the same order.
 * txtime: all departures are in random order and begin when all packets have been sent.
 * ordered: the same, but the departures are in the order of sending.
 *
 * The qdisc plug is released when all packets have been queued. It sends none before.
 */
#define _GNU_SOURCE
#include <linux/pkt_sched.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../clients/pacing/test/pace.h"

#define SIZE	100
/* More than the time to send a packet */
#define SENDING	12000ULL

static uint64_t spin_count;

static uint64_t spins_read(void)
{
	return __atomic_load_n(&spin_count, __ATOMIC_RELAXED);
}

static void *spin(void *unused)
{
	struct sched_param param = {};

	sched_setscheduler(0, SCHED_IDLE, &param);
	for (;;) {
		for (int i = 0; i < 100; i++)
			asm volatile("");
		__atomic_store_n(&spin_count, spin_count + 1, __ATOMIC_RELAXED);
	}
	return unused;
}

static uint64_t packets_left(void)
{
	FILE *file = fopen("/sys/class/net/" DEVICE "/statistics/tx_packets", "r");
	uint64_t value = 0;

	if (!file || fscanf(file, "%lu", &value) != 1)
		die("no statistics");
	fclose(file);
	return value;
}

/* The interrupts of the local timer */
static uint64_t timer_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	uint64_t value = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOC: %lu", &value) == 1)
			break;
	fclose(file);
	return value;
}

/* The time of one spin. The guest is quiet if two readings are equal. */
static double spin_time(void)
{
	double old = 0, per = 0;

	do {
		uint64_t start = now(), count = spins_read();

		old = per;
		nap(300000000);
		per = (double)(now() - start) / (spins_read() - count);
	} while (per > old * 1.002 || per < old * 0.998);
	return per;
}

static void shuffle(uint32_t *order, uint32_t count)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t j = random_next(&state) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

/* Let the qdisc plug send all packets, as tc qdisc change ... release_indefinite does. */
static void unplug(void)
{
	struct tc_plug_qopt option = { .action = TCQ_PLUG_RELEASE_INDEFINITE };
	struct request request;

	request_begin(&request, RTM_NEWQDISC, 0, "plug");
	request_add(&request, TCA_OPTIONS, &option, sizeof(option));
	if (request_send(&request))
		die("the qdisc was not released");
}

int main(int argc, char **argv)
{
	const char *name = argv[1];
	bool ordered = argc > 5 && !strcmp(argv[2], "ordered");
	bool timed = ordered || (argc > 5 && !strcmp(argv[2], "txtime"));
	uint32_t flows = argc > 5 ? strtoul(argv[3], NULL, 0) : 0;
	uint32_t packets = argc > 5 ? strtoul(argv[4], NULL, 0) : 0;
	uint64_t interval = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
	uint64_t rate = (SIZE + HEADERS) * NS_PER_S / (interval * flows ?: 1);
	uint64_t total = (uint64_t)flows * packets, before, start, sent, count, irqs, lost = 0;
	uint32_t *order = malloc(flows * sizeof(*order)), *slots;
	int *fds = malloc(flows * sizeof(*fds));
	double per, cpu_sending, cpu;
	pthread_t thread;

	if (!total || !interval)
		die("usage: cost NAME rate|txtime|ordered FLOWS PACKETS NS");
	slots = malloc(total * sizeof(*slots));
	allow_files(flows);
	shuffle(order, flows);
	shuffle(slots, total);
	for (uint32_t i = 0; i < flows; i++)
		fds[i] = sender_open(1000 + i % 60000, timed ? NO_RATE : rate, timed);
	pthread_create(&thread, NULL, spin, NULL);
	per = spin_time();
	before = packets_left();
	irqs = timer_interrupts();
	start = now();
	count = spins_read();
	for (uint32_t i = 0; i < total; i++) {
		uint32_t flow = order[i % flows];
		uint64_t slot = ordered ? i : slots[i];
		uint64_t time = start + total * SENDING + slot * interval;

		if (sender_send(fds[flow], (struct load) { flow, i }, SIZE, timed ? time : 0))
			lost++;
	}
	sent = now();
	cpu_sending = sent - start - (spins_read() - count) * per;
	if (!strcmp(name, "plug"))
		unplug();
	while (packets_left() - before < total - lost)
		nap(5000000);
	cpu = now() - start - (spins_read() - count) * per;
	irqs = timer_interrupts() - irqs;
	if (lost)
		die("%lu packets were dropped", lost);
	printf("pacing,%s,%u,%s,instructions,%.0f\n", argv[2], flows, name, cpu / total);
	printf("pacing,%s sending,%u,%s,instructions,%.0f\n", argv[2], flows, name,
	       cpu_sending / total);
	printf("pacing,%s,%u,%s,interrupts per 1000,%.0f\n", argv[2], flows, name,
	       1000.0 * irqs / total);
	return 0;
}
