// SPDX-License-Identifier: MIT
/*
 * wheelctl arm: one timer, watched.
 */
#include <stdio.h>

#include "due.h"
#include "fail.h"
#include "interrupt.h"
#include "json.h"
#include "bounds.h"
#include "options.h"
#include "parse.h"
#include "text.h"
#include "alarm.h"

static struct device device;

static struct alarm asked = {
	.device = &device,
};

static const struct option_spec options[] = {
	{ "period", "TIME", "go on every TIME", parse_interval, &asked.period },
	{ "slack", "TIME", "so much later is as good", parse_duration,
	  &asked.slack },
	{ "count", "N", "wait for N events; 1, with --period until Ctrl-C",
	  parse_count, &asked.count },
	{ NULL }
};

static void show_event_json(const struct alarm *a,
			    const struct wheel_event *event, u64 received)
{
	json_open(NULL, '{');
	json_u64("deadline", event->deadline);
	json_u64("fired", event->fired);
	json_u64("received", received);
	json_u64("overrun", event->overrun);
	json_bool("early", event->fired < a->deadline);
	json_close('}');
	flush_or_fail();
}

static void show_event(const struct alarm *a, const struct wheel_event *event,
		       u64 received)
{
	bool early = event->fired < a->deadline;
	u64 distance = early ? a->deadline - event->fired :
			       event->fired - a->deadline;

	(void)received;
	printf("%4llu  asked +%s  fired +%s  %s by %s", a->events,
	       text_exact(a->deadline - a->began).s,
	       text_exact(event->fired - a->began).s, early ? "EARLY" : "late",
	       text_time(distance).s);
	if (event->overrun)
		printf("  missed %llu", event->overrun);
	putchar('\n');
	flush_or_fail();
}

static void summarize_json(const struct alarm *a)
{
	json_close(']');
	json_bool("interrupted", a->status);
	json_u64("cancelled", a->cancelled);
	json_u64("early", a->early);
	json_u64("wrong", a->wrong);
	json_u64("lost", a->lost);
	json_close('}');
}

static void tell_cancelled(const struct alarm *a)
{
	u64 now = device_now(a->device);

	if (now < a->due)
		printf("interrupted: the timer, due in %s, was cancelled\n",
		       text_time(a->due - now).s);
	else
		puts("interrupted: the timer, due now, was cancelled");
}

static void summarize(const struct alarm *a)
{
	if (a->cancelled)
		tell_cancelled(a);
	if (a->over)
		puts("the clock ends before the next period");
	if (a->late.count > 1)
		printf("%llu events, late by %s at least, %s at p50, %s at most\n",
		       a->events, text_time(samples_percentile(&a->late, 0)).s,
		       text_time(samples_percentile(&a->late, 500)).s,
		       text_time(samples_percentile(&a->late, 1000)).s);
	if (alarm_broken(a))
		printf("arm: PROMISE BROKEN: early %llu, wrong %llu, lost %llu\n",
		       a->early, a->wrong, a->lost);
	else if (a->events)
		puts("never early");
}

static void set_up(const char *delay)
{
	struct wheel_setup *setup = &globals.setup;
	u64 now;

	device_open(&device);
	setup->timers = 1;
	device_setup(&device, setup);
	now = device_now(&device);
	if (asked.delay > WHEEL_MAX_TIME - now)
		fail(EXIT_ASKED, "DELAY %s: the clock ends in %s", delay,
		     text_time(WHEEL_MAX_TIME - now).s);
	bounds_delay(setup, asked.delay, "DELAY %s", delay);
	bounds_delay(setup, asked.period, "--period %s",
		     text_duration(asked.period).s);
	asked.tick = setup->tick_ns;
	asked.show = globals.json ? show_event_json : show_event;
}

/* A tick can be so long that nobody would know what we wait for. */
static void tell_tick(void)
{
	u64 now = device_now(&device);
	u64 deadline = time_sum(now, asked.delay);
	u64 due = due_time(asked.tick, deadline, now);

	if (due - deadline > LOST_AFTER_NS)
		fprintf(stderr,
			"wheelctl: nothing fires for %s: then the tick ends\n",
			text_time(due - now).s);
}

static int run(const char *delay)
{
	const char *wanted = parse_duration(delay, &asked.delay);

	if (wanted)
		fail(EXIT_ASKED, "DELAY '%s' is not %s", delay, wanted);
	if (!asked.period && !asked.count)
		asked.count = 1;
	set_up(delay);
	tell_tick();
	asked.interrupt = interrupt_open();
	if (globals.json) {
		json_open(NULL, '{');
		json_open("events", '[');
	}
	alarm_run(&asked);
	samples_sort(&asked.late);
	if (globals.json)
		summarize_json(&asked);
	else
		summarize(&asked);
	samples_free(&asked.late);
	device_close(&device);
	return alarm_broken(&asked) ? EXIT_BROKEN : asked.status;
}

const struct command arm_command = {
	.name = "arm",
	.operand = "DELAY",
	.summary = "arm one timer and watch it fire",
	.details =
	"Arms a timer that is due DELAY from now, waits, and tells of each event when it\n"
	"was asked for, when it fired and by how much it was late. Without --period the\n"
	"timer is armed anew after each event, up to --count. By its own clock none may\n"
	"be early.\n"
	"\n"
	"Times are 10us, 1.5ms, 2s, 5m, 1h, 3d.",
	.options = options,
	.sets_up = true,
	.run = run,
};
