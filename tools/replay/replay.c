// SPDX-License-Identifier: MIT
/*
 * replay: replays a recorded trace on the device, and checks all guarantees.
 */
#include <stdio.h>
#include <stdlib.h>

#include "player.h"
#include "setup.h"
#include "text.h"

#define RING_ENTRIES	PLAYER_BATCH

const char *const program = "replay";

static struct {
	u64 speed;
	u64 tamper;
	u64 timers;
	bool print_crc;
	bool words;
	bool ring;
} requested = {
	.speed = SPEED_UNIT,
};

static const struct option_spec options[] = {
	{ "speed", "N", "replay at N times the recorded speed; default: 1", parse_speed,
	  &requested.speed },
	{ "words", NULL, "arm, move and cancel timers by their words", parse_flag,
	  &requested.words },
	{ "ring", NULL, "read the events from the completion ring", parse_flag,
	  &requested.ring },
	{ "self-test", "N", "replay a generated trace of N timers", parse_count,
	  &requested.timers },
	{ "tamper", "K", "test the checks: change a deadline from arm K on", parse_count,
	  &requested.tamper },
	{ "print-crc", NULL, "print the checksum of the trace and exit", parse_flag,
	  &requested.print_crc },
	{ NULL }
};

static int print_crc(const struct trace *trace)
{
	char text[16];

	snprintf(text, sizeof(text), "%08x", trace->crc);
	if (globals.json) {
		json_open(NULL, '{');
		json_string("crc32", text);
		json_close('}');
	} else {
		printf("crc32=%s\n", text);
	}
	return 0;
}

static u64 count_arms(const struct trace *trace)
{
	u64 arms = 0;
	size_t i;

	for (i = 0; i < trace->count; i++)
		arms += trace->record[i].delay != TRACE_CANCEL;
	return arms;
}

static void set_up(struct device *device, const struct trace *trace)
{
	struct wheel_setup *setup = &globals.setup;

	bounds_timers(setup, trace->path, trace->timers);
	device_open(device);
	setup->timers = trace->timers;
	if (requested.words)
		setup->flags |= WHEEL_SETUP_WORDS;
	if (requested.ring)
		setup->events = RING_ENTRIES;
	device_setup(device, setup);
}

static int status_of(const struct player *player)
{
	if (breach_total(&player->model.breaches))
		return EXIT_BROKEN;
	if (requested.tamper && !player->status)
		fail(EXIT_USAGE,
		     "--tamper %llu: the changed deadline was not detected, or no arm remained",
		     requested.tamper);
	return player->status;
}

static int play(const struct trace *trace)
{
	struct player *player = xcalloc(1, sizeof(*player));
	struct device device;
	struct words words;
	int status;

	set_up(&device, trace);
	player_init(player, trace, &device, globals.setup.tick_ns);
	player->speed = requested.speed;
	bounds_delay(&globals.setup, player_longest(player), "%s's longest delay of %s",
		     trace->path, text_time(player_longest(player)).s);
	if (requested.words) {
		words_map(&words, device.fd, globals.setup.timers);
		player->words = &words;
		player->model.words = true;
	}
	/* All timers of a generated trace are due soon, with a long tick at its end. */
	if (requested.timers)
		player->linger = time_sum(player->linger, globals.setup.tick_ns);
	player->interrupt = interrupt_open();
	player->tamper = requested.tamper;
	player->progress = true;
	player_run(player);
	if (globals.json)
		report_json(player);
	else
		report_print(player);

	status = status_of(player);
	player_free(player);
	free(player);
	if (requested.words)
		words_unmap(&words);
	device_close(&device);
	return status;
}

/* The longest delay of the trace that the wheel can hold at the selected speed. */
static u64 longest_delay(void)
{
	double longest = (double)bounds_at_most(&globals.setup) * (double)requested.speed /
			 SPEED_UNIT;

	if (globals.setup.scheme != WHEEL_BOUNDED || requested.print_crc ||
	    longest >= (double)WHEEL_MAX_TIME)
		return WHEEL_MAX_TIME;
	return (u64)longest;
}

/* The rest of a trace with an invalid delay is not read. */
static void __noreturn refuse(const struct trace *trace)
{
	u64 delay = trace->too_long / requested.speed * SPEED_UNIT + SPEED_UNIT;
	char what[200];

	snprintf(what, sizeof(what), "%s:%u: a delay of %s", trace->path, trace->too_long_line,
		 text_time(delay).s);
	bounds_refuse(&globals.setup, delay, what);
}

static void load(struct trace *trace, const char *path)
{
	if (requested.timers) {
		bounds_timers(&globals.setup, "--self-test", requested.timers);
		trace_make(trace, (u32)requested.timers);
		return;
	}
	trace_load(trace, path, longest_delay());
	if (trace->too_long)
		refuse(trace);
	if (!requested.print_crc)
		trace_verify(trace);
}

static int run(const char *path)
{
	struct trace trace;
	int status;

	if (!path == !requested.timers)
		fail(EXIT_USAGE, "requires either FILE or --self-test; see replay --help");
	load(&trace, path);
	if (requested.tamper > count_arms(&trace))
		fail(EXIT_USAGE, "--tamper %llu: %s contains %llu arms", requested.tamper,
		     trace.path, count_arms(&trace));
	status = requested.print_crc ? print_crc(&trace) : play(&trace);
	trace_free(&trace);
	return status;
}

static const struct command command = {
	.name = "",
	.operand = "[FILE]",
	.details =
	"Arms, re-arms and cancels timers as recorded in FILE, and predicts the results,\n"
	"events and counters with a model. No event may be early, lost, duplicated or out\n"
	"of order, and all counters must be exact.\n"
	"\n"
	"After comments that begin with '#', FILE contains lines in time order:\n"
	"\n"
	"  t_ns,A,timer,delay_ns    arm the timer, or re-arm it if it is pending\n"
	"  t_ns,C,timer             cancel the timer\n"
	"\n"
	"If the first line is a comment with crc32=XXXXXXXX, as printed by --print-crc,\n"
	"the checksum is verified. FILE may be compressed with gzip.\n"
	"\n"
	"Ctrl-C cancels the pending timers and prints the report; the exit status is 130,\n"
	"or 3 if a guarantee was broken.",
	.options = options,
	.sets_up = true,
	.run = run,
};

int main(int argc, char **argv)
{
	int status;

	open_standard_files();
	status = run(options_take(&command, argc, argv));
	flush_or_fail();
	return status;
}
