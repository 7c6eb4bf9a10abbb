/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests and benchmarks of the qdisc have in common: UDP sockets that send through a dummy
 * device, and a packet socket that records when each packet left.
 */
#ifndef _PACE_H
#define _PACE_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S	1000000000ULL
#define DEVICE		"dummy0"
#define NO_RATE		(~0ULL)

/* Length of the headers of Ethernet, IPv4 and UDP */
#define HEADERS		42

/* The payload of each packet */
struct load {
	uint32_t flow;
	uint32_t number;
};

/*
 * A UDP packet that left: the size and the beginning of its payload, its port, and the time by
 * CLOCK_MONOTONIC, at most capture_error too late.
 */
struct departure {
	struct load load;
	size_t size;
	uint16_t port;
	uint64_t time;
};

uint64_t now(void);
void nap(uint64_t ns);
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
uint64_t random_next(uint64_t *state);
void allow_files(unsigned int n);

int sender_open(unsigned short port, uint64_t rate, bool txtime);
int sender_send(int fd, struct load load, size_t size, uint64_t time);

void capture_open(const char *device);
bool capture_next(struct departure *departure);
extern uint64_t capture_error;

uint64_t statistic(const char *key);

/* A message about the root qdisc of the device, with netlink attributes */
struct request {
	struct nlmsghdr	header;
	struct tcmsg	body;
	char		attributes[256];
};

void request_begin(struct request *request, int type, int flags, const char *kind);
void request_add(struct request *request, int type, const void *data, size_t size);
int request_send(struct request *request);

#endif
