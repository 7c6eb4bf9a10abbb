// SPDX-License-Identifier: MIT
/*
 * wheelctl arm: arms one timer and checks its events.
 */
#include "arm.h"

#include <errno.h>
#include <stdio.h>

#include "setup.h"
#include "text.h"

static struct device device;

static struct alarm requested = {
	.device = &device,
};

static const struct option_spec options[] = {
	{ "period", "TIME", "expire every TIME after the first expiry", parse_interval,
	  &requested.period },
	{ "slack", "TIME", "allow expiries to be TIME later", parse_duration, &requested.slack },
	{ "count", "N", "exit after N events; default: 1, unlimited with --period",
	  parse_count, &requested.count },
	{ NULL }
};

/* The device has received the deadline by @known. */
static void expect(struct alarm *a, u64 deadline, u64 known)
{
	u64 slack_ends = time_sum(deadline, a->slack);

	a->deadline = deadline;
	a->due = due_time(a->tick, deadline, known);
	if (a->due < slack_ends)
		a->due = slack_ends;
}

static int submit(struct alarm *a, struct wheel_op *op)
{
	op->id = WHEEL_ID(0, a->gen);
	device_submit(a->device, op, 1);
	return op->res;
}

static void arm_timer(struct alarm *a)
{
	u64 now = device_now(a->device);
	struct wheel_op op = {
		.op = WHEEL_OP_ARM,
		.when = now + a->delay,
		.slack = a->slack,
		.period = a->period,
	};

	if (!a->gen++)
		a->began = now;
	if (submit(a, &op))
		device_refused("arm", op.res);
	expect(a, op.when, device_now(a->device));
}

/* If periods passed before the event was read, its deadline is that of the newest period. */
static void check_event(struct alarm *a, const struct wheel_event *event)
{
	u64 newest = a->deadline + event->overrun * a->period;
	u64 received = device_now(a->device);

	a->events++;
	if (event->id != WHEEL_ID(0, a->gen) || event->deadline != newest)
		a->wrong++;
	if (event->fired < a->deadline || received < newest)
		a->early++;
	else
		samples_add(&a->late, event->fired - a->deadline);
	a->show(a, event, received);
	a->ended = a->period > WHEEL_MAX_TIME - newest;
	expect(a, time_sum(newest, a->period), received);
}

static bool take_event(struct alarm *a)
{
	struct wheel_event event;

	if (!device_read(a->device, &event, 1))
		return false;
	check_event(a, &event);
	return true;
}

/*
 * Wait for an event until @deadline or, unless @interrupt is -1, a signal. Returns true if an
 * event was received. The clock is read before the events, so that no event is missed.
 */
static bool await_event(struct alarm *a, u64 deadline, int interrupt)
{
	for (;;) {
		u64 now = device_now(a->device);
		int status;

		if (take_event(a))
			return true;
		status = interrupt_seen(interrupt);
		if (status) {
			a->status = status;
			return false;
		}
		if (now >= deadline) {
			a->lost++;
			return false;
		}
		device_wait(a->device, deadline, interrupt);
	}
}

static bool await_due(struct alarm *a)
{
	u64 deadline = time_sum(a->due, LOST_AFTER_NS);

	return await_event(a, deadline == WHEEL_MAX_TIME ? NEVER : deadline, a->interrupt);
}

/* If the timer is no longer pending, its event must arrive. */
static void cancel_timer(struct alarm *a)
{
	struct wheel_op op = { .op = WHEEL_OP_CANCEL };
	int fired = a->period ? 1 : -ENOENT;

	a->cancelled = !submit(a, &op);
	if (a->cancelled)
		return;
	if (op.res != fired)
		a->wrong++;
	else
		await_event(a, device_now(a->device) + LOST_AFTER_NS, -1);
}

void alarm_run(struct alarm *a)
{
	arm_timer(a);
	while (await_due(a) && a->events != a->count && !a->ended)
		if (!a->period)
			arm_timer(a);
	if (a->status)
		cancel_timer(a);
}

bool alarm_broken(const struct alarm *a)
{
	return a->early || a->wrong || a->lost;
}

static void show_event_json(const struct alarm *a, const struct wheel_event *event, u64 received)
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

static void show_event(const struct alarm *a, const struct wheel_event *event, u64 received)
{
	bool early = event->fired < a->deadline;
	u64 distance = early ? a->deadline - event->fired : event->fired - a->deadline;

	(void)received;
	printf("%4llu  deadline +%s  fired +%s  %s by %s", a->events,
	       text_exact(a->deadline - a->began).s, text_exact(event->fired - a->began).s,
	       early ? "EARLY" : "late", text_time(distance).s);
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

static void report_cancelled(const struct alarm *a)
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
		report_cancelled(a);
	if (a->ended)
		puts("the clock ends before the next period");
	if (a->late.count > 1)
		printf("%llu events, late by %s at least, %s at p50, %s at most\n", a->events,
		       text_time(samples_percentile(&a->late, 0)).s,
		       text_time(samples_percentile(&a->late, 500)).s,
		       text_time(samples_percentile(&a->late, 1000)).s);
	if (alarm_broken(a))
		printf("arm: GUARANTEE BROKEN: early %llu, wrong %llu, lost %llu\n", a->early,
		       a->wrong, a->lost);
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
	if (requested.delay > WHEEL_MAX_TIME - now)
		fail(EXIT_USAGE, "DELAY %s: the clock ends in %s", delay,
		     text_time(WHEEL_MAX_TIME - now).s);
	bounds_delay(setup, requested.delay, "DELAY %s", delay);
	bounds_delay(setup, requested.period, "--period %s", text_duration(requested.period).s);
	requested.tick = setup->tick_ns;
	requested.show = globals.json ? show_event_json : show_event;
}

/* With a long tick, the reason for the wait is not obvious. */
static void report_long_tick(void)
{
	u64 now = device_now(&device);
	u64 deadline = time_sum(now, requested.delay);
	u64 due = due_time(requested.tick, deadline, now);

	if (due - deadline > LOST_AFTER_NS)
		fprintf(stderr, "wheelctl: the timer expires at the end of the tick, in %s\n",
			text_time(due - now).s);
}

static int run(const char *delay)
{
	const char *expected = parse_duration(delay, &requested.delay);

	if (expected)
		fail(EXIT_USAGE, "DELAY '%s' is not %s", delay, expected);
	if (!requested.period && !requested.count)
		requested.count = 1;
	set_up(delay);
	report_long_tick();
	requested.interrupt = interrupt_open();
	if (globals.json) {
		json_open(NULL, '{');
		json_open("events", '[');
	}
	alarm_run(&requested);
	samples_sort(&requested.late);
	if (globals.json)
		summarize_json(&requested);
	else
		summarize(&requested);
	samples_free(&requested.late);
	device_close(&device);
	return alarm_broken(&requested) ? EXIT_BROKEN : requested.status;
}

const struct command arm_command = {
	.name = "arm",
	.operand = "DELAY",
	.summary = "arm one timer and check its events",
	.details =
	"Arms a timer that expires DELAY from now, waits, and reports the deadline, the\n"
	"expiry and the lateness of each event. Without --period, the timer is armed\n"
	"again after each event, up to --count. No event may be early.\n"
	"\n"
	"Times are written as 10us, 1.5ms, 2s, 5m, 1h or 3d.",
	.options = options,
	.sets_up = true,
	.run = run,
};
