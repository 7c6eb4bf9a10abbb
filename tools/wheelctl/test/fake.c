// SPDX-License-Identifier: MIT
/*
 * A device in user space with its own clock, which can break guarantees.
 */
#include "fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

/* Duration of a system call, and latency of an expiry. */
#define CALL_NS		40000
#define LATENCY_NS	7000

struct fake fake;

/* Check whether to break this guarantee now. */
static bool breaks(enum fault fault)
{
	if (fake.fault != fault)
		return false;
	if (fake.after) {
		fake.after--;
		return false;
	}
	fake.fault = FAULT_NONE;
	return true;
}

static void place(struct fake_timer *t, u64 deadline)
{
	u64 floor = fake.now / fake.tick + 1;
	u64 due = (deadline + fake.tick - 1) / fake.tick;

	t->deadline = deadline;
	t->order = fake.stats.armed + fake.stats.rearmed;
	t->due = (due > floor ? due : floor) * fake.tick;
	if (breaks(FAULT_FORGET))
		t->due = NEVER;
	if (breaks(FAULT_LATER))
		t->due += 3 * fake.tick;
	if (breaks(FAULT_FIRST))
		t->order = 0;
	if (deadline > fake.now + 3 * fake.tick && breaks(FAULT_LIAR))
		t->due = floor * fake.tick;
}

static void put_event(const struct wheel_event *event)
{
	if (fake.events == FAKE_EVENTS)
		abort();
	fake.event[fake.events++] = *event;
}

static void fire(struct fake_timer *t)
{
	u64 at = t->due + LATENCY_NS;
	struct wheel_event event = {
		.id = WHEEL_ID((u64)(t - fake.timer), t->gen),
		.cookie = t->cookie + breaks(FAULT_COOKIE),
		.deadline = t->deadline + breaks(FAULT_DEADLINE),
		.fired = at < t->deadline ? t->deadline : at,
	};

	if (breaks(FAULT_EARLY))
		event.fired = t->deadline - 1;
	t->state = FAKE_FIRED;
	fake.stats.fired++;
	fake.stats.late[histogram_bucket(event.fired - t->deadline)]++;
	if (breaks(FAULT_LOSE))
		return;
	fake.seq += breaks(FAULT_SEQ);
	event.seq = fake.seq++;
	put_event(&event);
	if (breaks(FAULT_TWICE)) {
		event.seq = fake.seq++;
		put_event(&event);
	}
}

static struct fake_timer *earliest(void)
{
	struct fake_timer *first = NULL;
	u32 i;

	for (i = 0; i < FAKE_TIMERS; i++) {
		struct fake_timer *t = &fake.timer[i];

		if (t->state != FAKE_PENDING)
			continue;
		if (!first || t->due < first->due ||
		    (t->due == first->due && t->order < first->order))
			first = t;
	}
	return first;
}

/* Advance the clock and expire due timers; with @stop, return at the first expiry. */
static void advance(u64 until, bool stop)
{
	for (;;) {
		struct fake_timer *t = earliest();

		if (!t || t->due + LATENCY_NS > until)
			break;
		if (t->due + LATENCY_NS > fake.now)
			fake.now = t->due + LATENCY_NS;
		fire(t);
		if (stop)
			return;
	}
	if (until > fake.now)
		fake.now = until;
}

static int arm(struct fake_timer *t, const struct wheel_op *op)
{
	if (t->state != FAKE_FREE || breaks(FAULT_REFUSE))
		return -EBUSY;
	if (WHEEL_ID_GEN(op->id) <= t->gen)
		return -ESTALE;
	t->gen = WHEEL_ID_GEN(op->id);
	t->cookie = op->cookie;
	t->period = op->period;
	t->state = FAKE_PENDING;
	fake.stats.armed++;
	place(t, op->when);
	return 0;
}

static int execute(const struct wheel_op *op)
{
	struct fake_timer *t = &fake.timer[WHEEL_ID_SLOT(op->id)];

	if (op->op == WHEEL_OP_ARM)
		return arm(t, op);
	if (t->state == FAKE_FIRED && t->period && op->op == WHEEL_OP_CANCEL) {
		t->period = 0;
		return 1;
	}
	if (t->state != FAKE_PENDING || t->gen != WHEEL_ID_GEN(op->id))
		return -ENOENT;
	if (op->op == WHEEL_OP_REARM) {
		fake.stats.rearmed++;
		place(t, op->when);
		return 0;
	}
	fake.stats.cancelled++;
	if (breaks(FAULT_CANCEL))
		t->due = (fake.now / fake.tick + 1) * fake.tick;
	else
		t->state = FAKE_FREE;
	return 0;
}

void device_refused(const char *verb, int res)
{
	(void)verb;
	(void)res;
	abort();
}

void device_submit(struct device *d, struct wheel_op *ops, u32 count)
{
	u32 i;

	(void)d;
	advance(fake.now + CALL_NS, false);
	for (i = 0; i < count; i++)
		ops[i].res = execute(&ops[i]);
}

/* Start the next period after the missed ones, unless the clock ends before. */
static void start_period(struct fake_timer *t, struct wheel_event *event)
{
	event->overrun = (fake.now - event->deadline) / t->period;
	event->deadline += event->overrun * t->period;
	if (t->period > WHEEL_MAX_TIME - event->deadline)
		return;
	t->state = FAKE_PENDING;
	fake.stats.armed++;
	place(t, event->deadline + t->period);
}

u32 device_read(struct device *d, struct wheel_event *events, u32 count)
{
	u32 i;

	(void)d;
	if (count > fake.events)
		count = fake.events;
	memcpy(events, fake.event, count * sizeof(*events));
	fake.events -= count;
	memmove(fake.event, fake.event + count, fake.events * sizeof(*events));
	for (i = 0; i < count; i++) {
		struct fake_timer *t =
			&fake.timer[WHEEL_ID_SLOT(events[i].id)];

		t->state = FAKE_FREE;
		if (t->period)
			start_period(t, &events[i]);
	}
	return count;
}

u32 device_list(struct device *d, struct wheel_op *ops, u32 count, u32 *cursor)
{
	u32 done = 0;

	(void)d;
	for (; *cursor < FAKE_TIMERS && done < count; (*cursor)++) {
		struct fake_timer *t = &fake.timer[*cursor];

		if (t->state != FAKE_PENDING || breaks(FAULT_UNLISTED))
			continue;
		memset(&ops[done], 0, sizeof(*ops));
		ops[done].op = WHEEL_OP_ARM;
		ops[done].id = WHEEL_ID(*cursor, t->gen);
		ops[done].when = t->deadline + breaks(FAULT_LIST);
		ops[done++].cookie = t->cookie;
	}
	return done;
}

void device_stats(struct device *d, struct wheel_stats *stats)
{
	(void)d;
	*stats = fake.stats;
	stats->pending = stats->armed - stats->fired - stats->cancelled;
	stats->unread = fake.events;
	stats->fired += breaks(FAULT_COUNT);
	if (breaks(FAULT_BUCKET)) {
		stats->late[40]++;
		stats->late[histogram_bucket(LATENCY_NS)]--;
	}
}

u64 device_now(const struct device *d)
{
	(void)d;
	if (fake.stopped && !fake.readings--) {
		advance(fake.now + fake.stopped, false);
		fake.stopped = 0;
	}
	return fake.now;
}

void device_wait(struct device *d, u64 until, int other)
{
	(void)d;
	(void)other;
	if (!fake.events)
		advance(until, true);
	if (fake.events)
		advance(fake.now + fake.sleepy, false);
}

/* Functions that the tested code refers to, but does not call. */
#define NOT_CALLED(function, ...)	void function(__VA_ARGS__) { abort(); }

NOT_CALLED(device_status, struct stat *status __attribute__((unused)))
NOT_CALLED(device_open, struct device *d __attribute__((unused)))
NOT_CALLED(device_adopt, struct device *d __attribute__((unused)), int fd __attribute__((unused)))
NOT_CALLED(device_close, struct device *d __attribute__((unused)))
NOT_CALLED(device_setup, struct device *d __attribute__((unused)),
	   struct wheel_setup *setup __attribute__((unused)))
NOT_CALLED(device_info, struct device *d __attribute__((unused)),
	   struct wheel_setup *setup __attribute__((unused)))
