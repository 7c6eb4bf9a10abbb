// SPDX-License-Identifier: MIT
/*
 * A short exercise of the device: a trace made up for it, played by the player.
 */
#include "selftest.h"

#include <stdio.h>
#include <stdlib.h>

#include "counters.h"
#include "due.h"
#include "interrupt.h"
#include "json.h"
#include "bounds.h"
#include "memory.h"
#include "player.h"
#include "setup.h"
#include "text.h"

/* It waits for the end of a tick, and not for ever. */
#define LONGEST_TICK_NS	(60 * NSEC_PER_SEC)

/* The timers are spread over so much time, each at the golden section of it. */
#define SPREAD_NS	(200 * NSEC_PER_MSEC)
#define STEP_NS		123606797ULL

/* Of so many timers, one is cancelled. */
#define CANCEL_ONE_OF	4

static void make_trace(struct trace *t, u64 timers)
{
	u64 cancelled = timers / CANCEL_ONE_OF;
	u64 i;

	*t = (struct trace) {
		.path = "self-test",
		.count = timers + cancelled,
		.timers = (u32)timers,
	};
	t->record = memory_zeroed(t->count, sizeof(*t->record));
	for (i = 0; i < t->count; i++) {
		struct record *r = &t->record[i];

		r->line = (u32)i + 1;
		if (i < timers) {
			r->timer = (u32)i;
			r->delay = NSEC_PER_MSEC + i * STEP_NS % SPREAD_NS;
		} else {
			r->timer = (u32)(i - timers) * CANCEL_ONE_OF;
			r->delay = TRACE_CANCEL;
		}
	}
}

static const char *verdict(const struct player *p)
{
	if (breach_total(&p->ledger.breaches))
		return "PROMISE BROKEN";
	return p->status ? "interrupted; all promises kept, as far as it came" :
			   "all promises kept";
}

static void show(const struct player *p, const struct wheel_stats *stats)
{
	const struct breaches *breaches = &p->ledger.breaches;

	if (globals.json) {
		json_open(NULL, '{');
		setup_json(&globals.setup);
		counters_json(stats, true);
		json_bool("interrupted", p->status);
		breach_json(breaches);
		json_close('}');
		return;
	}
	setup_print(&globals.setup);
	putchar('\n');
	counters_print(stats, true);
	putchar('\n');
	breach_print(breaches);
	printf("self-test: %s\n", verdict(p));
}

static void set_up(struct device *device, u64 timers)
{
	bounds_timers(&globals.setup, "--self-test", timers);
	if (globals.setup.tick_ns > LONGEST_TICK_NS)
		fail(EXIT_ASKED,
		     "--tick %s: the self-test waits for a whole tick, and for no longer than a minute",
		     text_duration(globals.setup.tick_ns).s);
	device_open(device);
	globals.setup.timers = (u32)timers;
	device_setup(device, &globals.setup);
}

static void play(struct player *player)
{
	u64 longest = player_longest(player);

	bounds_delay(&globals.setup, longest,
		     "the self-test's longest delay of %s",
		     text_time(longest).s);
	player->linger = time_sum(player->linger, globals.setup.tick_ns);
	player->interrupt = interrupt_open();
	player_run(player);
}

/**
 * selftest_run - arm timers, cancel some, check the rest and show the counters
 * @timers: how many
 *
 * Return: exit status.
 */
int selftest_run(u64 timers)
{
	struct player *player = memory_zeroed(1, sizeof(*player));
	struct wheel_stats stats;
	struct device device;
	struct trace trace;
	int status;

	set_up(&device, timers);
	make_trace(&trace, timers);
	player_init(player, &trace, &device, globals.setup.tick_ns);
	play(player);
	device_stats(&device, &stats);
	show(player, &stats);

	status = player->status;
	if (breach_total(&player->ledger.breaches))
		status = EXIT_BROKEN;
	player_free(player);
	free(player);
	trace_free(&trace);
	device_close(&device);
	return status;
}
