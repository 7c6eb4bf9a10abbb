// SPDX-License-Identifier: GPL-2.0
/*
 * Senders, and the packet socket that records departures.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "pace.h"

static int capture = -1;
static uint64_t offset;
uint64_t capture_error;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void nap(uint64_t ns)
{
	struct timespec t = { ns / NS_PER_S, ns % NS_PER_S };

	nanosleep(&t, NULL);
}

void die(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	exit(1);
}

/* splitmix64 */
uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void allow_files(unsigned int n)
{
	struct rlimit limit = { n + 100, n + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit: %s", strerror(errno));
}

static void option(int fd, int level, int name, const void *value, socklen_t size)
{
	if (setsockopt(fd, level, name, value, size))
		die("setsockopt %d: %s", name, strerror(errno));
}

/* Open a connected UDP socket, whose sends fail with ENOBUFS if the qdisc drops the packet. */
int sender_open(unsigned short port, uint64_t rate, bool txtime)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sock_txtime clock = { .clockid = CLOCK_MONOTONIC };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), yes = 1, room = 1 << 20;

	to.sin_addr.s_addr = inet_addr("10.0.0.2");
	/* There are fewer local ports than sockets. */
	option(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)))
		die("socket: %s", strerror(errno));
	option(fd, IPPROTO_IP, IP_RECVERR, &yes, sizeof(yes));
	option(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	if (rate != NO_RATE)
		option(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	if (txtime)
		option(fd, SOL_SOCKET, SO_TXTIME, &clock, sizeof(clock));
	return fd;
}

/* Send a packet, with a departure time unless that is 0. Returns 0 or an errno. */
int sender_send(int fd, struct load load, size_t size, uint64_t time)
{
	char payload[1472] = {}, control[CMSG_SPACE(sizeof(time))] = {};
	struct iovec iov = { payload, size };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *header;

	memcpy(payload, &load, sizeof(load));
	if (time) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_TXTIME;
		header->cmsg_len = CMSG_LEN(sizeof(time));
		memcpy(CMSG_DATA(header), &time, sizeof(time));
	}
	return sendmsg(fd, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

/* The kernel's timestamps are those of CLOCK_REALTIME, at a constant offset. */
static void find_offset(void)
{
	capture_error = UINT64_MAX;
	for (int i = 0; i < 1000; i++) {
		uint64_t before = now(), real = read_clock(CLOCK_REALTIME), after = now();

		if (after - before < capture_error) {
			capture_error = after - before;
			offset = real - after;
		}
	}
}

void capture_open(const char *device)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(device),
	};
	int room = 256 << 20, yes = 1;

	capture = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
	if (capture < 0 || bind(capture, (void *)&address, sizeof(address)))
		die("packet socket: %s", strerror(errno));
	option(capture, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	option(capture, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
	find_offset();
}

/* Get the next packet that left. Returns false if there is none. */
bool capture_next(struct departure *departure)
{
	char control[CMSG_SPACE(sizeof(struct timespec))];
	unsigned char packet[64];
	struct iovec iov = { packet, sizeof(packet) };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct timespec *t;
	ssize_t size;

	do {
		message.msg_controllen = sizeof(control);
		size = recvmsg(capture, &message, MSG_DONTWAIT | MSG_TRUNC);
		if (size < 0)
			return false;
	} while (size < 28 + (ssize_t)sizeof(departure->load) || packet[9] != IPPROTO_UDP);
	memcpy(&departure->load, packet + 28, sizeof(departure->load));
	departure->size = size - 28;
	departure->port = packet[20] << 8 | packet[21];
	t = (void *)CMSG_DATA(CMSG_FIRSTHDR(&message));
	departure->time = t->tv_sec * NS_PER_S + t->tv_nsec - offset;
	return true;
}

/* Read a statistic of the root qdisc from tc's output in JSON. */
uint64_t statistic(const char *key)
{
	char text[8192], name[64];
	FILE *file = popen("/usr/sbin/tc -s -j qdisc show dev " DEVICE, "r");
	const char *at;
	size_t size;

	size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[size] = '\0';
	if (!file || pclose(file))
		die("tc failed");
	snprintf(name, sizeof(name), "\"%s\":", key);
	at = strstr(text, name);
	if (!at)
		die("tc does not print %s: %s", key, text);
	return strtoull(at + strlen(name), NULL, 10);
}

/* Add an attribute. The request must have room for it. */
void request_add(struct request *request, int type, const void *data, size_t size)
{
	struct rtattr *attr = (void *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(size);
	memcpy(RTA_DATA(attr), data, size);
	request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) +
				    RTA_ALIGN(attr->rta_len);
}

/* Begin a request of @type with additional @flags, for a qdisc of a kind. */
void request_begin(struct request *request, int type, int flags, const char *kind)
{
	*request = (struct request){
		.header.nlmsg_len	= NLMSG_LENGTH(sizeof(struct tcmsg)),
		.header.nlmsg_type	= type,
		.header.nlmsg_flags	= NLM_F_REQUEST | NLM_F_ACK | flags,
		.body.tcm_ifindex	= if_nametoindex(DEVICE),
		.body.tcm_parent	= TC_H_ROOT,
	};
	request_add(request, TCA_KIND, kind, strlen(kind) + 1);
}

/* Returns 0, an errno, or ENOBUFS if the kernel had no memory for a reply. */
int request_send(struct request *request)
{
	struct {
		struct nlmsghdr	header;
		struct nlmsgerr	error;
		char		rest[1024];
	} reply;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), err = 0;

	if (fd < 0)
		return errno;
	if (send(fd, request, request->header.nlmsg_len, 0) < 0)
		err = errno;
	else if (recv(fd, &reply, sizeof(reply), MSG_DONTWAIT) < 0)
		err = ENOBUFS;
	else
		err = -reply.error.error;
	close(fd);
	return err;
}
