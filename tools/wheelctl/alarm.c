// SPDX-License-Identifier: MIT
/*
 * One timer, armed and watched.
 */
#include "alarm.h"

#include <errno.h>

#include "due.h"
#include "interrupt.h"

/* The device has had the deadline since @told at the latest. */
static void expect(struct alarm *a, u64 deadline, u64 told)
{
	u64 slack_ends = time_sum(deadline, a->slack);

	a->deadline = deadline;
	a->due = due_time(a->tick, deadline, told);
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

/*
 * It fired for the deadline that we expect. By the time it was read further periods
 * may have passed, and its own deadline is that of the newest.
 */
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
	a->over = a->period > WHEEL_MAX_TIME - newest;
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
 * Waits for an event until it has to be lost or, where @interrupt is not -1, an
 * interrupt. Returns whether it came.
 */
static bool await_event(struct alarm *a, u64 given_up, int interrupt)
{
	for (;;) {
		/* A look that comes after the clock finds all that had come by then. */
		u64 now = device_now(a->device);
		int status;

		if (take_event(a))
			return true;
		status = interrupt_seen(interrupt);
		if (status) {
			a->status = status;
			return false;
		}
		if (now >= given_up) {
			a->lost++;
			return false;
		}
		device_wait(a->device, given_up, interrupt);
	}
}

static bool await_due(struct alarm *a)
{
	u64 given_up = time_sum(a->due, LOST_AFTER_NS);

	return await_event(a, given_up == WHEEL_MAX_TIME ? NEVER : given_up,
			   a->interrupt);
}

/* Is it still pending? If not, it fires in this moment. */
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

/**
 * alarm_run - arm the timer and wait for its events
 * @a: with all that comes before @began filled in, and zeros
 */
void alarm_run(struct alarm *a)
{
	arm_timer(a);
	while (await_due(a) && a->events != a->count && !a->over)
		if (!a->period)
			arm_timer(a);
	if (a->status)
		cancel_timer(a);
}

/**
 * alarm_broken - did the device break a promise?
 * @a: watch
 *
 * Return: whether it did.
 */
bool alarm_broken(const struct alarm *a)
{
	return a->early || a->wrong || a->lost;
}
