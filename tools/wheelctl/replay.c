// SPDX-License-Identifier: MIT
/*
 * wheelctl replay: a recorded trace through the device, every promise checked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "interrupt.h"
#include "json.h"
#include "bounds.h"
#include "memory.h"
#include "options.h"
#include "parse.h"
#include "report.h"
#include "text.h"

/* As many as operations in a batch. */
#define RING_ENTRIES	1024

static struct {
	u64 speed;
	u64 tamper;
	bool print_crc;
	bool touch;
	bool ring;
} asked = {
	.speed = SPEED_UNIT,
};

static const struct option_spec options[] = {
	{ "speed", "N", "so many times as fast as recorded; 1", parse_speed,
	  &asked.speed },
	{ "touch", NULL, "move, cancel and revive by touch words", parse_flag,
	  &asked.touch },
	{ "ring", NULL, "take the events from the completion ring", parse_flag,
	  &asked.ring },
	{ "tamper", "K", "test the checks: spoil a deadline from arm K on",
	  parse_count, &asked.tamper },
	{ "print-crc", NULL, "only print the trace's checksum", parse_flag,
	  &asked.print_crc },
	{ NULL }
};

static void print_crc(const struct trace *trace)
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
}

static u64 count_arms(const struct trace *trace)
{
	u64 arms = 0;
	size_t i;

	for (i = 0; i < trace->count; i++)
		arms += trace->record[i].delay != TRACE_CANCEL;
	return arms;
}

static int play(const struct trace *trace)
{
	struct player *player = memory_zeroed(1, sizeof(*player));
	struct device device;
	struct words words;
	int status;

	bounds_timers(&globals.setup, trace->path, trace->timers);
	device_open(&device);
	globals.setup.timers = trace->timers;
	if (asked.touch)
		globals.setup.flags |= WHEEL_SETUP_TOUCH;
	if (asked.ring)
		globals.setup.events = RING_ENTRIES;
	device_setup(&device, &globals.setup);

	player_init(player, trace, &device, globals.setup.tick_ns);
	player->speed = asked.speed;
	bounds_delay(&globals.setup, player_longest(player),
		     "%s's longest delay of %s", trace->path,
		     text_time(player_longest(player)).s);
	if (asked.touch) {
		words_map(&words, device.fd, globals.setup.timers);
		player->words = &words;
	}
	player->interrupt = interrupt_open();
	player->tamper = asked.tamper;
	progress_begin(&player->progress, trace->count);
	player_run(player);
	if (globals.json)
		report_json(player);
	else
		report_print(player);

	status = player->status;
	if (breach_total(&player->ledger.breaches))
		status = EXIT_BROKEN;
	else if (asked.tamper && !status)
		fail(EXIT_ASKED,
		     "--tamper %llu: no arm was spoilt before the end, or nobody noticed",
		     asked.tamper);
	player_free(player);
	free(player);
	if (asked.touch)
		words_unmap(&words);
	device_close(&device);
	return status;
}

/* At our speed; the longest delay of the trace that the wheel can hold. */
static u64 longest_delay(void)
{
	double longest = (double)bounds_at_most(&globals.setup) *
			 (double)asked.speed / SPEED_UNIT;

	if (globals.setup.scheme != WHEEL_BOUNDED || asked.print_crc ||
	    longest >= (double)WHEEL_MAX_TIME)
		return WHEEL_MAX_TIME;
	return (u64)longest;
}

/* A trace that cannot be played is not read to its end. */
static void __noreturn refuse(const struct trace *trace)
{
	u64 delay = trace->too_long / asked.speed * SPEED_UNIT + SPEED_UNIT;
	char what[200];

	snprintf(what, sizeof(what), "%s:%u: a delay of %s", trace->path,
		 trace->too_long_line, text_time(delay).s);
	bounds_refuse(&globals.setup, delay, what);
}

static int run(const char *path)
{
	struct trace trace;
	int status = 0;

	trace_load(&trace, path, longest_delay());
	if (trace.too_long)
		refuse(&trace);
	if (asked.print_crc) {
		print_crc(&trace);
	} else {
		trace_verify(&trace);
		if (asked.tamper > count_arms(&trace))
			fail(EXIT_ASKED, "--tamper %llu: %s arms %llu times",
			     asked.tamper, path, count_arms(&trace));
		status = play(&trace);
	}
	trace_free(&trace);
	return status;
}

const struct command replay_command = {
	.name = "replay",
	.operand = "FILE",
	.summary = "play a recorded trace and check every promise",
	.details =
	"Arms, re-arms and cancels as FILE says and when it says so, and keeps a ledger\n"
	"of its own. Each expiry is checked against it: none early, lost, doubled or\n"
	"with another deadline; at the end the device's counters must be the ledger's.\n"
	"\n"
	"FILE holds lines in time order, after comments that begin with '#':\n"
	"\n"
	"  t_ns,A,timer,delay_ns    arm, or re-arm when it is pending\n"
	"  t_ns,C,timer             cancel\n"
	"\n"
	"A first comment with crc32=XXXXXXXX, as --print-crc shows it, is verified.\n"
	"A name that ends in .gz is read through gzip.\n"
	"\n"
	"Ctrl-C stops it: what is pending is cancelled, the report is printed and the\n"
	"exit status is 130, or 3 if a promise was broken.",
	.options = options,
	.sets_up = true,
	.alone = "print-crc",
	.run = run,
};
