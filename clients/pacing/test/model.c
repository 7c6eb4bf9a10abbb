// SPDX-License-Identifier: GPL-2.0
/*
 * model COUNT [SEED]: random packets of random flows through the qdisc, compared with a model.
 *
 * - No packet leaves before its departure time, nor earlier than its flow's rate permits.
 * - Packets of one flow leave in the order of their departure times, then in that of sending.
 * - Each packet that the socket accepted leaves once. Each other one exceeded a limit, and is
 *   counted.
 *
 * The guest has one processor, so that no packet is sent while another one is on its way from the
 * qdisc to the packet socket.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pace.h"

#define FLOWS		600
#define FLOW_LIMIT	10
#define HORIZON		(200 * 1000000ULL)
#define NONE		UINT32_MAX

struct packet {
	uint64_t sent;		/* before the system call */
	uint64_t queued;	/* after it */
	uint64_t time;		/* departure time, or 0 */
	uint32_t flow;
	uint32_t size;
	bool accepted;
	bool left;
	uint32_t next;		/* packet that its flow accepted after this one, or NONE */
};

struct flow {
	int fd;
	uint64_t rate;
	unsigned int timed;	/* percentage of packets with a departure time */
	uint32_t first;		/* oldest accepted packet that has not left, or NONE */
	uint32_t last;
	uint32_t queued;
	uint64_t earliest;	/* by the rate, of the next packet */
	uint64_t left;		/* departure of the previous packet */
};

static struct packet *packets;
static struct flow flows[FLOWS];
static uint64_t state, sent, dropped_flow, dropped_horizon, departures;

static void flow_open(struct flow *flow, unsigned int i)
{
	uint64_t rate = NO_RATE;

	switch (i % 4) {
	case 1:
		rate = 1000 << random_next(&state) % 12;
		break;
	case 2:
		flow->timed = 100;
		break;
	case 3:
		flow->timed = 30;
		rate = 100000 + random_next(&state) % 10000000;
		break;
	}
	flow->rate = rate;
	flow->fd = sender_open(1000 + i, rate, flow->timed);
	flow->first = NONE;
}

/* Find the packet that must leave first, of those that were timed or of those that were not. */
static void check_order(const struct flow *flow, uint32_t number, uint64_t left)
{
	const struct packet *leaving = &packets[number];

	/* If only some packets have a time, the others leave in order. */
	if (flow->timed < 100 && leaving->time)
		return;
	for (uint32_t i = flow->first; i != number; i = packets[i].next) {
		const struct packet *other = &packets[i];

		if (i == NONE)
			die("packet %u left twice", number);
		if (!other->left && other->time <= leaving->time)
			die("flow %u: packet %u left before %u", leaving->flow, number, i);
	}
	if (flow->timed < 100)
		return;
	for (uint32_t i = leaving->next; i != NONE; i = packets[i].next)
		if (!packets[i].left && packets[i].time < leaving->time &&
		    packets[i].queued < left)
			die("flow %u: packet %u left before %u, whose time is earlier",
			    leaving->flow, number, i);
}

static uint64_t gap_after(const struct flow *flow, const struct packet *packet)
{
	uint64_t gap = (packet->size + HEADERS) * NS_PER_S / flow->rate;

	if (flow->rate == NO_RATE)
		return 0;
	return gap < HORIZON ? gap : HORIZON;
}

static void check_time(struct flow *flow, const struct packet *packet, uint64_t left)
{
	uint64_t earliest = flow->earliest;

	/* The flow was idle. A departure time in the past remains the planned departure. */
	if (!packet->time && flow->left < packet->sent && packet->sent > earliest)
		earliest = packet->sent;
	if (packet->time > earliest)
		earliest = packet->time;
	if (left < packet->sent || left < packet->time || left < earliest)
		die("flow %u left %ld ns early, %ld after it was sent",
		    packet->flow, earliest - left, left - packet->sent);
	flow->earliest = earliest + gap_after(flow, packet);
	flow->left = left;
}

static void check_departure(const struct departure *departure)
{
	uint32_t number = departure->load.number;
	struct packet *packet = &packets[number];
	struct flow *flow = &flows[packet->flow];

	if (!packet->accepted || packet->left)
		die("packet %u left, but was dropped or had already left", number);
	check_order(flow, number, departure->time);
	check_time(flow, packet, departure->time);
	packet->left = true;
	departures++;
	flow->queued--;
	while (flow->first != NONE && packets[flow->first].left)
		flow->first = packets[flow->first].next;
}

static void collect(void)
{
	struct departure departure;

	while (capture_next(&departure))
		check_departure(&departure);
}

/* Mostly in the near future; sometimes in the past, or beyond the horizon. */
static uint64_t random_time(uint64_t time)
{
	uint64_t r = random_next(&state);

	switch (r % 64) {
	case 0:
		return time - r / 64 % 1000000;
	case 1:
		return time + HORIZON + 100000000 + r / 64 % HORIZON;
	case 2:
		return time + HORIZON / 2 + r / 64 % (HORIZON / 4);
	default:
		return time + r / 64 % 20000000;
	}
}

static void accept(struct flow *flow, uint32_t number)
{
	packets[number].accepted = true;
	packets[number].next = NONE;
	if (flow->first == NONE)
		flow->first = number;
	else
		packets[flow->last].next = number;
	flow->last = number;
	flow->queued++;
	if (flow->queued > FLOW_LIMIT) {
		collect();
		if (flow->queued > FLOW_LIMIT)
			die("flow %u has %u packets", packets[number].flow, flow->queued);
	}
}

static void refuse(const struct flow *flow, const struct packet *packet)
{
	if (packet->time > packet->sent + HORIZON)
		dropped_horizon++;
	else if (flow->queued >= FLOW_LIMIT)
		dropped_flow++;
	else
		die("flow %u: a packet was dropped with %u in the queue", packet->flow,
		    flow->queued);
}

static void send_one(uint32_t number)
{
	struct packet *packet = &packets[number];
	struct flow *flow = &flows[random_next(&state) % FLOWS];
	int err;

	packet->flow = flow - flows;
	packet->size = 8 + random_next(&state) % 400;
	packet->sent = now();
	if (random_next(&state) % 100 < flow->timed)
		packet->time = random_time(packet->sent);
	err = sender_send(flow->fd, (struct load) { packet->flow, number }, packet->size,
			  packet->time);
	packet->queued = now();
	if (!err)
		accept(flow, number);
	else if (err == ENOBUFS)
		refuse(flow, packet);
	else
		die("send: %s", strerror(err));
	sent++;
}

static void check_counters(void)
{
	uint64_t drops = statistic("drops");

	if (statistic("flow_limit_drops") != dropped_flow ||
	    statistic("horizon_drops") != dropped_horizon ||
	    drops != dropped_flow + dropped_horizon)
		die("%lu drops, not %lu by flow_limit and %lu by the horizon", drops,
		    dropped_flow, dropped_horizon);
	if (statistic("qlen") || statistic("backlog") || statistic("waiting") ||
	    statistic("packets") != departures)
		die("the qdisc has counted %lu departures instead of %lu",
		    statistic("packets"), departures);
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	state = argc > 2 ? strtoull(argv[2], NULL, 0) : now();
	printf("%u packets, seed %lu\n", count, state);
	packets = calloc(count, sizeof(*packets));
	if (!count || !packets)
		die("usage: model COUNT [SEED]");
	allow_files(FLOWS);
	for (unsigned int i = 0; i < FLOWS; i++)
		flow_open(&flows[i], i);
	capture_open(DEVICE);
	for (uint32_t i = 0; i < count; i++) {
		collect();
		send_one(i);
	}
	while (departures < sent - dropped_flow - dropped_horizon) {
		nap(1000000);
		collect();
	}
	check_counters();
	printf("%lu left, %lu dropped by flow_limit, %lu by horizon; exact to %lu ns\n",
	       departures, dropped_flow, dropped_horizon, capture_error);
	return 0;
}
