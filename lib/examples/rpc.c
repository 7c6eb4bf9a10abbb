// SPDX-License-Identifier: MIT
/*
 * rpc CALLS LOSS_PERCENT: a client of remote calls over unreliable datagrams. A request without
 * a response in time is sent again, each time after a longer timeout. After TRIES requests the
 * call fails.
 *
 *	cc -O2 rpc.c $(pkg-config --cflags --libs libwheel) -o rpc
 *
 * Up to WINDOW calls are in progress at a time, each in a separate slot with a timeout. Most
 * calls receive a response in time. Their timeout is started when the request is sent and stopped
 * when the response arrives: two atomic exchanges and no system call.
 */
#include <ctype.h>
#include <libwheel.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WINDOW		64
#define TRIES		12
#define TIMEOUT_NS	2000000ULL

/**
 * struct message - a request or a response
 * @slot: slot of the call
 * @serial: serial number of the call
 * @value: argument; in the response the result
 */
struct message {
	__u32 slot;
	__u32 serial;
	__u64 value;
};

/**
 * struct call - a call in progress
 * @serial: serial number; 0: the slot is free
 * @tries: number of requests sent
 */
struct call {
	__u32 serial;
	__u32 tries;
};

/**
 * struct client - state of the client
 * @timeouts: one timeout per slot
 * @socket: connection to the server
 * @calls: the slots
 * @next: serial number of the next call
 * @last: serial number of the last call
 * @answered: calls that received a response
 * @failed: calls that failed
 * @resent: requests sent again
 */
struct client {
	struct libwheel_timeouts *timeouts;
	int socket;
	struct call calls[WINDOW];
	__u32 next;
	__u32 last;
	__u32 answered;
	__u32 failed;
	__u32 resent;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "rpc: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

static void send_request(struct client *c, __u32 slot)
{
	struct call *call = &c->calls[slot];
	struct message request = {
		.slot = slot, .serial = call->serial, .value = call->serial,
	};
	int err = libwheel_timeout_start(c->timeouts, slot, TIMEOUT_NS << call->tries);

	if (err)
		die("start", err);
	call->tries++;
	/* If the socket buffer is full, treat the request as lost. */
	if (send(c->socket, &request, sizeof(request), MSG_DONTWAIT) < 0 &&
	    errno != EAGAIN)
		die("send", errno);
}

/* The slot is free: start the next call in it. */
static void next_call(struct client *c, __u32 slot)
{
	struct call *call = &c->calls[slot];

	call->serial = 0;
	call->tries = 0;
	if (c->next > c->last)
		return;
	call->serial = c->next++;
	send_request(c, slot);
}

/*
 * Handle a response. A response to a call that has completed is stale. If the timeout cannot be
 * stopped, it has expired, and its event decides about the call.
 */
static void take_answer(struct client *c, const struct message *answer)
{
	struct call *call = &c->calls[answer->slot];

	if (call->serial != answer->serial || !call->serial)
		return;
	if (answer->value != 2ULL * answer->serial)
		die("wrong response", -EPROTO);
	if (libwheel_timeout_stop(c->timeouts, answer->slot))
		return;
	c->answered++;
	next_call(c, answer->slot);
}

/* Handle a timeout. Its event was taken, so the slot belongs to the program again. */
static void time_out(struct client *c, __u32 slot)
{
	if (c->calls[slot].tries < TRIES) {
		c->resent++;
		send_request(c, slot);
	} else {
		c->failed++;
		next_call(c, slot);
	}
}

static void take_answers(struct client *c)
{
	struct message answer;

	while (recv(c->socket, &answer, sizeof(answer), MSG_DONTWAIT) ==
	       sizeof(answer))
		take_answer(c, &answer);
}

static void take_timeouts(struct client *c)
{
	struct wheel_event event;

	while (libwheel_timeout_wait(c->timeouts, &event, 1, 0) == 1)
		time_out(c, event.cookie);
}

static void run_client(struct client *c)
{
	struct pollfd polled[] = {
		{ .fd = c->socket, .events = POLLIN },
		{ .fd = libwheel_timeout_fd(c->timeouts), .events = POLLIN },
	};
	__u32 slot;

	for (slot = 0; slot < WINDOW; slot++)
		next_call(c, slot);
	while (c->answered + c->failed < c->last) {
		poll(polled, 2, -1);
		take_answers(c);
		take_timeouts(c);
	}
}

/* A server that doubles numbers, behind a network that loses @loss percent of the requests. */
static void run_server(int fd, int loss)
{
	struct message message;
	unsigned int seed = 1;

	while (recv(fd, &message, sizeof(message), 0) == sizeof(message)) {
		if (rand_r(&seed) % 100 < loss)
			continue;
		message.value *= 2;
		send(fd, &message, sizeof(message), 0);
	}
}

static void explain(void)
{
	fprintf(stderr,
		"usage: rpc CALLS LOSS_PERCENT\n"
		"Makes CALLS remote calls over a network that loses LOSS_PERCENT of requests.\n"
		"A request without a response in time is sent again, until the call fails:\n"
		"	rpc 10000 20\n");
	exit(2);
}

/* A number of at most @most, and nothing else. */
static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n > most)
		explain();
	return n;
}

int main(int argc, char **argv)
{
	static struct client c = { .next = 1 };
	pid_t server;
	int loss;
	int pair[2];
	int err;

	if (argc != 3)
		explain();
	c.last = number(argv[1], INT_MAX);
	loss = number(argv[2], 100);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		die("socketpair", errno);
	server = fork();
	if (server < 0)
		die("fork", errno);
	if (!server) {
		close(pair[0]);
		run_server(pair[1], loss);
		_exit(0);
	}
	close(pair[1]);
	err = libwheel_timeout_open(&c.timeouts, WINDOW, NULL);
	if (err)
		die("open", err);
	c.socket = pair[0];
	run_client(&c);
	printf("calls %u succeeded %u failed %u resent %u\n", c.last, c.answered,
	       c.failed, c.resent);
	if (fflush(stdout))
		die("stdout", errno);
	libwheel_timeout_close(c.timeouts);
	return 0;
}
