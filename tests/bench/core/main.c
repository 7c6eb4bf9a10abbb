// SPDX-License-Identifier: GPL-2.0
/*
 * bench-core load|TIMERS|POSTPONEMENTS:TIMERS...: measure the CPU time of the wheel's core, of the
 * implementations that programs use today, and of the minimum of any data structure: one store into
 * each timer. With load, of a server, and with POSTPONEMENTS, of all that is necessary per
 * postponement if each timeout expires after that many. Under callgrind, count instructions
 * instead: the counters are dumped after each operation.
 * Prints CSV: bench, operation, timers, implementation, unit, sample. A dump has the same name,
 * with the number of operations instead of the sample.
 *
 * Not included: locks, system calls, interrupts, other CPUs. Time is virtual; the libraries'
 * loops neither read a clock nor poll. The callback only counts. The objects are in one array.
 * contestant.h is the only interface, so the program can be built with the core of any commit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../splitmix64.h"
#include "harness.h"

/* An entry is NULL if it is not linked, or its library is not installed. */
static const struct contestant *const contestants[] = {
	&hierarchical, &hashed_default, &hashed_large, &word_timers,
	&quaternary_heap, &lazy_heap, &lazy_ring, &red_black_tree, &libevent_heap, &wahern_wheel,
	&timeout_queue, &plain_field, &floor_of_all,
};

u64 bench_now = 1000000;
u32 bench_fired;
bool counting;

void die(const char *why)
{
	fprintf(stderr, "bench-core: %s\n", why);
	exit(EXIT_FAILURE);
}

u32 random_below(u32 limit)
{
	static u64 state = 1;

	return (u32)(((splitmix64(&state) >> 32) * limit) >> 32);
}

void fire_at(const struct contestant *c, u64 now)
{
	bench_now = now;
	if (c->advance)
		c->advance();
}

/*
 * The load uses no rearm(). Timers with words gain most there. The field would be scanned at each
 * tick of the postponements.
 */
static bool takes_part(const struct contestant *c, u32 count, u32 postponements)
{
	if (postponements)
		return c && c->rearm && c != &plain_field;
	return c && (!count || (c->rearm && c != &word_timers));
}

/* Measure in a child process, so that each implementation starts with fresh memory. */
static void measure_alone(const struct contestant *c, u32 count, u32 postponements)
{
	int status = 0;
	pid_t pid = 0;

	fflush(stdout);
	if (!counting)
		pid = fork();
	if (!pid) {
		if (postponements)
			measure_idle(c, count, postponements);
		else if (count)
			measure_operations(c, count);
		else
			measure_loads(c);
		if (!counting)
			exit(EXIT_SUCCESS);
	}
	if (pid < 0 || (pid && waitpid(pid, &status, 0) != pid) || status)
		die("a child process failed");
}

int main(int argc, char **argv)
{
	u32 count, postponements;
	const char *colon;
	size_t i;
	int arg;

	counting = RUNNING_ON_VALGRIND;
	for (arg = 1; arg < argc; arg++) {
		colon = strchr(argv[arg], ':');
		postponements = colon ? (u32)strtoul(argv[arg], NULL, 10) : 0;
		count = (u32)strtoul(colon ? colon + 1 : argv[arg], NULL, 10);
		for (i = 0; i < sizeof(contestants) / sizeof(*contestants); i++)
			if (takes_part(contestants[i], count, postponements))
				measure_alone(contestants[i], count, postponements);
	}
	return 0;
}
