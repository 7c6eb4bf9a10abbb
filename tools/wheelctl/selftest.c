// SPDX-License-Identifier: MIT
/*
 * A short exercise of the device: a trace made up for it, played by the player.
 */
#include "selftest.h"

#include <stdio.h>
#include <stdlib.h>

#include "counters.h"
#include "interrupt.h"
#include "json.h"
#include "memory.h"
#include "player.h"
#include "setup.h"

/* The timers are spread over so much time. */
#define SPREAD_NS	(200 * NSEC_PER_MSEC)

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
			r->delay = NSEC_PER_MSEC +
				   i * 61803398875ULL % SPREAD_NS;
		} else {
			r->timer = (u32)(i - timers) * CANCEL_ONE_OF;
			r->delay = TRACE_CANCEL;
		}
	}
}

static void show(const struct wheel_stats *stats,
		 const struct breaches *breaches)
{
	if (globals.json) {
		json_open(NULL, '{');
		setup_json(&globals.setup);
		counters_json(stats);
		breach_json(breaches);
		json_close('}');
		return;
	}
	setup_print(&globals.setup);
	putchar('\n');
	counters_print(stats);
	putchar('\n');
	breach_print(breaches);
	puts(breach_total(breaches) ? "self-test: PROMISE BROKEN" :
	     "self-test: all promises kept");
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

	device_open(&device);
	globals.setup.timers = (u32)timers;
	device_setup(&device, &globals.setup);
	make_trace(&trace, timers);
	player_init(player, &trace, &device, globals.setup.tick_ns);
	player->interrupt = interrupt_open();
	player_run(player);
	device_stats(&device, &stats);
	show(&stats, &player->ledger.breaches);

	status = player->status;
	if (breach_total(&player->ledger.breaches))
		status = EXIT_BROKEN;
	player_free(player);
	free(player);
	trace_free(&trace);
	device_close(&device);
	return status;
}
