// SPDX-License-Identifier: GPL-2.0
/*
 * idle COMMAND: let the flows that are checked next have packets, after others that are idle, and
 * before as many. COMMAND lowers the limit to a number between those of the former and the latter.
 * The qdisc must then still create flows. All sockets remain open, because others would have their
 * memory, and thus their flows.
 */
#include <stdlib.h>
#include "pace.h"

/* More than one creation of a flow checks */
#define WAITING	100
#define IDLE	250
/* Two are checked per flow that is created, and freed because they are old. */
#define OLD	(2 * (WAITING + IDLE) + 100)

/* Send a packet from each of @n new sockets, which leaves at @time or at once. */
static void send_all(unsigned int n, uint64_t time)
{
	for (unsigned int i = 0; i < n; i++)
		if (sender_send(sender_open(1000 + i, 1000000, true), (struct load) { i, 0 }, 8,
				time))
			die("packet %u of %u was dropped", i, n);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: idle COMMAND");
	allow_files(OLD + 2 * WAITING + IDLE);
	send_all(OLD, 0);
	nap(4 * NS_PER_S);
	send_all(WAITING, now() + 9 * NS_PER_S);
	send_all(IDLE, 0);
	if (system(argv[1]))
		die("%s failed", argv[1]);
	send_all(WAITING, 0);
	return 0;
}
