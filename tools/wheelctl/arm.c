// SPDX-License-Identifier: MIT
/*
 * wheelctl arm: one timer, watched.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fail.h"
#include "interrupt.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "samples.h"
#include "text.h"

static struct {
	u64 delay;
	u64 period;
	u64 slack;
	u64 count;
} asked;

static const struct option_spec options[] = {
	{ "period", "TIME", "go on every TIME", parse_interval, &asked.period },
	{ "slack", "TIME", "so much later is as good", parse_duration,
	  &asked.slack },
	{ "count", "N", "wait for N events; 1, with --period until Ctrl-C",
	  parse_count, &asked.count },
	{ NULL }
};

/**
 * struct watch - one timer and what came of it
 * @device: its wheel
 * @interrupt: of interrupt_open()
 * @began: when the first arm was made
 * @deadline: of the next event, as we expect it
 * @gen: of the timer
 * @events: how many came
 * @early: fired or were received before their deadline
 * @wrong: had another deadline than expected
 * @lost: did not come
 * @late: fired - deadline
 */
struct watch {
	struct device device;
	int interrupt;
	u64 began;
	u64 deadline;
	u64 gen;
	u64 events;
	u64 early;
	u64 wrong;
	u64 lost;
	struct samples late;
};

static void arm_timer(struct watch *w)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM,
		.id = WHEEL_ID(0, ++w->gen),
		.slack = asked.slack,
		.period = asked.period,
	};
	u64 now = device_now(&w->device);

	if (w->gen == 1)
		w->began = now;
	w->deadline = now + asked.delay;
	op.when = w->deadline;
	device_submit(&w->device, &op, 1);
	if (op.res)
		fail(EXIT_DEVICE, "%s: arm: %s", globals.device,
		     strerror(-op.res));
}

static void show_event(const struct watch *w, const struct wheel_event *event,
		       u64 received)
{
	bool early = event->fired < event->deadline;
	u64 distance = early ? event->deadline - event->fired :
			       event->fired - event->deadline;

	if (globals.json) {
		json_open(NULL, '{');
		json_u64("deadline", event->deadline);
		json_u64("fired", event->fired);
		json_u64("received", received);
		json_u64("overrun", event->overrun);
		json_bool("early", early);
		json_close('}');
		return;
	}
	printf("%4llu  asked +%s  fired +%s  %s by %s", w->events,
	       text_exact(event->deadline - w->began).s,
	       text_exact(event->fired - w->began).s, early ? "EARLY" : "late",
	       text_time(distance).s);
	if (event->overrun)
		printf("  missed %llu", event->overrun);
	putchar('\n');
	fflush(stdout);
}

static void check_event(struct watch *w, const struct wheel_event *event,
			u64 received)
{
	w->events++;
	w->deadline += event->overrun * asked.period;
	if (event->id != WHEEL_ID(0, w->gen) || event->deadline != w->deadline)
		w->wrong++;
	if (event->fired < w->deadline || received < w->deadline)
		w->early++;
	else
		samples_add(&w->late, event->fired - w->deadline);
	show_event(w, event, received);
	w->deadline += asked.period;
}

/* Returns 0, or 128 + the signal that came first. */
static int await_event(struct watch *w)
{
	u64 given_up = w->deadline + asked.slack;
	struct wheel_event event;
	int status;

	given_up = given_up > NEVER - LOST_AFTER_NS ? NEVER :
		   given_up + LOST_AFTER_NS;
	while (!device_read(&w->device, &event, 1)) {
		status = interrupt_seen(w->interrupt);
		if (status)
			return status;
		if (device_now(&w->device) >= given_up) {
			w->lost++;
			return 0;
		}
		device_wait(&w->device, given_up, w->interrupt);
	}
	check_event(w, &event, device_now(&w->device));
	return 0;
}

static int watch(struct watch *w)
{
	int status = 0;

	arm_timer(w);
	while (!status && !w->lost) {
		status = await_event(w);
		if (asked.count && w->events == asked.count)
			break;
		if (!asked.period && !status && !w->lost)
			arm_timer(w);
	}
	if (w->early || w->wrong || w->lost)
		return EXIT_BROKEN;
	return status;
}

static void summarize(struct watch *w)
{
	samples_sort(&w->late);
	if (globals.json) {
		json_close(']');
		json_u64("early", w->early);
		json_u64("wrong", w->wrong);
		json_u64("lost", w->lost);
		json_close('}');
		return;
	}
	if (w->late.count > 1)
		printf("%llu events, late by %s at least, %s at p50, %s at most\n",
		       w->events, text_time(samples_percentile(&w->late, 0)).s,
		       text_time(samples_percentile(&w->late, 500)).s,
		       text_time(samples_percentile(&w->late, 1000)).s);
	if (w->early || w->wrong || w->lost)
		printf("arm: PROMISE BROKEN: early %llu, wrong %llu, lost %llu\n",
		       w->early, w->wrong, w->lost);
	else if (w->events)
		puts("never early");
}

static int run(const char *delay)
{
	const char *wanted = parse_duration(delay, &asked.delay);
	struct watch w = { 0 };
	int status;

	if (wanted)
		fail(EXIT_ASKED, "DELAY '%s' is not %s", delay, wanted);
	if (!asked.period && !asked.count)
		asked.count = 1;
	device_open(&w.device);
	globals.setup.timers = 1;
	device_setup(&w.device, &globals.setup);
	w.interrupt = interrupt_open();
	if (globals.json) {
		json_open(NULL, '{');
		json_open("events", '[');
	}
	status = watch(&w);
	summarize(&w);
	samples_free(&w.late);
	device_close(&w.device);
	return status;
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
