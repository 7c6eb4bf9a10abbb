// SPDX-License-Identifier: MIT
/*
 * One timer, armed and watched.
 */
#include "watch.h"

#include <errno.h>

#include "due.h"
#include "interrupt.h"

/* The device has had the deadline since @told at the latest. */
static void expect(struct watch *w, u64 deadline, u64 told)
{
	u64 slack_ends = time_sum(deadline, w->slack);

	w->deadline = deadline;
	w->due = due_time(w->tick, deadline, told);
	if (w->due < slack_ends)
		w->due = slack_ends;
}

static int submit(struct watch *w, struct wheel_op *op)
{
	op->id = WHEEL_ID(0, w->gen);
	device_submit(w->device, op, 1);
	return op->res;
}

static void arm_timer(struct watch *w)
{
	u64 now = device_now(w->device);
	struct wheel_op op = {
		.op = WHEEL_OP_ARM,
		.when = now + w->delay,
		.slack = w->slack,
		.period = w->period,
	};

	if (!w->gen++)
		w->began = now;
	if (submit(w, &op))
		device_refused("arm", op.res);
	expect(w, op.when, device_now(w->device));
}

/*
 * It fired for the deadline that we expect. By the time it was read further periods
 * may have passed, and its own deadline is that of the newest.
 */
static void check_event(struct watch *w, const struct wheel_event *event)
{
	u64 newest = w->deadline + event->overrun * w->period;
	u64 received = device_now(w->device);

	w->events++;
	if (event->id != WHEEL_ID(0, w->gen) || event->deadline != newest)
		w->wrong++;
	if (event->fired < w->deadline || received < newest)
		w->early++;
	else
		samples_add(&w->late, event->fired - w->deadline);
	w->show(w, event, received);
	expect(w, time_sum(newest, w->period), received);
}

static bool take_event(struct watch *w)
{
	struct wheel_event event;

	if (!device_read(w->device, &event, 1))
		return false;
	check_event(w, &event);
	return true;
}

/*
 * Waits for an event until it has to be lost or, where @interrupt is not -1, an
 * interrupt. Returns whether it came.
 */
static bool await_event(struct watch *w, u64 given_up, int interrupt)
{
	while (!take_event(w)) {
		int status = interrupt_seen(interrupt);

		if (status) {
			w->status = status;
			return false;
		}
		if (device_now(w->device) >= given_up) {
			w->lost++;
			return false;
		}
		device_wait(w->device, given_up, interrupt);
	}
	return true;
}

static bool await_due(struct watch *w)
{
	u64 given_up = time_sum(w->due, LOST_AFTER_NS);

	return await_event(w, given_up == WHEEL_MAX_TIME ? NEVER : given_up,
			   w->interrupt);
}

/* Is it still pending? If not, it fires in this moment. */
static void cancel_timer(struct watch *w)
{
	struct wheel_op op = { .op = WHEEL_OP_CANCEL };
	int fired = w->period ? 1 : -ENOENT;

	w->cancelled = !submit(w, &op);
	if (w->cancelled)
		return;
	if (op.res != fired)
		w->wrong++;
	else
		await_event(w, device_now(w->device) + LOST_AFTER_NS, -1);
}

/**
 * watch_run - arm the timer and wait for its events
 * @w: with all that comes before @began filled in, and zeros
 */
void watch_run(struct watch *w)
{
	arm_timer(w);
	while (await_due(w) && w->events != w->count)
		if (!w->period)
			arm_timer(w);
	if (w->status)
		cancel_timer(w);
}

/**
 * watch_broken - did the device break a promise?
 * @w: watch
 *
 * Return: whether it did.
 */
bool watch_broken(const struct watch *w)
{
	return w->early || w->wrong || w->lost;
}
