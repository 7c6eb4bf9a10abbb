// SPDX-License-Identifier: MIT
/*
 * restarts TIMERS RESTARTS: starts that many timers of a loop, restarts random ones, and prints
 * the CPU time per restart in nanoseconds. As in a server, each restart postpones a timeout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#define MIN_TIMEOUT_MS	30000
#define SPREAD_MS	30000

static void timed_out(uv_timer_t *timer)
{
	(void)timer;
	abort();
}

static unsigned long next_random(void)
{
	static unsigned long state = 88172645463325252UL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void start(uv_timer_t *timer)
{
	if (uv_timer_start(timer, timed_out, MIN_TIMEOUT_MS + next_random() % SPREAD_MS, 0))
		abort();
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long restarts = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
	uv_timer_t *timers = calloc(count, sizeof(*timers));
	uv_loop_t *loop = uv_default_loop();
	double begun;

	if (!count || !timers)
		return EXIT_FAILURE;
	for (i = 0; i < count; i++) {
		uv_timer_init(loop, &timers[i]);
		start(&timers[i]);
	}
	begun = cpu_ns();
	for (i = 0; i < restarts; i++)
		start(&timers[next_random() % count]);
	if (restarts)
		printf("%.0f\n", (cpu_ns() - begun) / restarts);
	return EXIT_SUCCESS;
}
