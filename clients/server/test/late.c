// SPDX-License-Identifier: MIT
/*
 * Timers that expire, and whose events are delivered, when a test requests it. Descriptor 3 is a
 * socket for datagrams, each of which is a command and gets a response:
 *
 *	armed		the numbers of the armed timers
 *	expired		the number of timers that have expired, and whose events are not delivered
 *	expire NR	an armed timer expires. Its event is not delivered
 *	deliver		deliver the oldest event
 *	next NR		the timer expires when it is armed next. Its event is not delivered
 *	instant NR	the same, but its event is delivered before the handlers that the server
 *			activates afterwards. A new socket then gets the lowest free descriptor
 *	written		the number of bytes that the server has written to that socket
 */
#include <err.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../timers.h"

#define CONTROL	3

static enum { OFF, ARMED, EXPIRED } *states;
static unsigned int count;
/* Expired timers in their order. */
static unsigned int *expired;
static unsigned int expired_count;
/* The timer that expires when it is armed next, or @count, and whether it is delivered at once. */
static unsigned int next;
static bool instant;
static struct event *delivery;
static timers_fn *on_expired;
/* The other end of the socket that uses a free descriptor. */
static int other_end;

static void expire(unsigned int nr)
{
	if (nr >= count || states[nr] != ARMED)
		errx(1, "late: %u is not armed", nr);
	states[nr] = EXPIRED;
	expired[expired_count++] = nr;
}

static void deliver(void)
{
	unsigned int nr = expired[0];

	if (!expired_count)
		errx(1, "late: no timer has expired");
	memmove(expired, expired + 1, --expired_count * sizeof(*expired));
	states[nr] = OFF;
	on_expired(nr);
}

static void on_delivery(int fd, short what, void *arg)
{
	int ends[2];

	deliver();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		err(1, "socketpair");
	other_end = ends[1];
}

static void print_armed(char *text, size_t size)
{
	unsigned int nr;
	size_t length = 0;

	text[0] = '\0';
	for (nr = 0; nr < count; nr++)
		if (states[nr] == ARMED)
			length += snprintf(text + length, size - length, "%u ", nr);
}

static void on_command(int fd, short what, void *arg)
{
	char command[64] = "", answer[4096] = "done";
	unsigned int nr;
	int written;

	if (recv(fd, command, sizeof(command) - 1, 0) <= 0)
		errx(1, "late: no command");
	if (sscanf(command, "expire %u", &nr) == 1)
		expire(nr);
	else if (sscanf(command, "next %u", &next) == 1)
		instant = false;
	else if (sscanf(command, "instant %u", &next) == 1)
		instant = true;
	else if (!strcmp(command, "deliver"))
		deliver();
	else if (!strcmp(command, "armed"))
		print_armed(answer, sizeof(answer));
	else if (!strcmp(command, "expired"))
		snprintf(answer, sizeof(answer), "%u", expired_count);
	else if (!strcmp(command, "written") && !ioctl(other_end, FIONREAD, &written))
		snprintf(answer, sizeof(answer), "%d", written);
	else
		errx(1, "late: %s: not a command", command);
	send(fd, answer, strlen(answer) + 1, 0);
}

void timers_open(struct event_base *base, unsigned int timers, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired_fn)
{
	count = timers;
	next = count;
	states = calloc(count, sizeof(*states));
	expired = calloc(count, sizeof(*expired));
	on_expired = expired_fn;
	delivery = event_new(base, -1, 0, on_delivery, NULL);
	if (!states || !expired || !delivery)
		err(1, "timers");
	event_add(event_new(base, CONTROL, EV_READ | EV_PERSIST, on_command, NULL), NULL);
}

void timers_arm(unsigned int nr)
{
	if (states[nr] == EXPIRED)
		return;
	states[nr] = ARMED;
	if (nr != next)
		return;
	next = count;
	expire(nr);
	if (instant)
		event_active(delivery, EV_TIMEOUT, 0);
}

bool timers_cancel(unsigned int nr)
{
	if (states[nr] == EXPIRED)
		return false;
	states[nr] = OFF;
	return true;
}
