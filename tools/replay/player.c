// SPDX-License-Identifier: MIT
/*
 * Submits the operations of a trace at their times, and checks the device with the model.
 *
 * A batch contains the operations whose time has passed, so batches grow on a slow machine.
 * Each timer is in a batch once, because an operation depends on the result of the previous
 * one. Deadlines are absolute and depend on the trace alone. The program sleeps in poll()
 * with a timeout, so that the pace does not depend on the device under test.
 */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "setup.h"
#include "text.h"

/* Default of player.linger. */
#define LINGER_NS	(2 * NSEC_PER_SEC)

/* Time to wait for unexpected events after the last cancel. */
#define QUIET_NS	(20 * NSEC_PER_MSEC)

/* Least difference of a deadline changed by --tamper. */
#define TAMPER_NS	(2 * NSEC_PER_MSEC)

#define ERASE_LINE	"\r\033[K"

void player_init(struct player *p, const struct trace *trace, struct device *device, u64 tick)
{
	memset(p, 0, sizeof(*p));
	p->trace = trace;
	p->device = device;
	p->interrupt = -1;
	p->speed = SPEED_UNIT;
	p->linger = LINGER_NS;
	p->in_batch = xcalloc(trace->timers, sizeof(*p->in_batch));
	model_init(&p->model, trace->timers, tick);
}

void player_free(struct player *p)
{
	free(p->in_batch);
	samples_free(&p->behind);
	model_free(&p->model);
}

/* Scale a time of the trace to the selected speed, limited to the end of the clock. */
static u64 scaled(const struct player *p, u64 ns)
{
	u64 whole = ns / p->speed;
	u64 part = ns % p->speed * SPEED_UNIT / p->speed;

	if (whole > WHEEL_MAX_TIME / SPEED_UNIT)
		return WHEEL_MAX_TIME;
	return time_sum(whole * SPEED_UNIT, part);
}

u64 player_longest(const struct player *p)
{
	u64 longest = 0;
	size_t i;

	for (i = 0; i < p->trace->count; i++) {
		u64 delay = p->trace->record[i].delay;

		if (delay != TRACE_CANCEL && delay > longest)
			longest = delay;
	}
	return scaled(p, longest);
}

static u64 time_of(const struct player *p, const struct record *record)
{
	return time_sum(p->start, scaled(p, record->time));
}

static void take_events(struct player *p)
{
	u64 received;
	u32 count, i;

	do {
		count = device_read(p->device, p->events, PLAYER_BATCH);
		received = device_now(p->device);
		for (i = 0; i < count; i++)
			model_event(&p->model, &p->events[i], received);
	} while (count == PLAYER_BATCH);
}

/*
 * Wait for the events of timers that had just expired. The clock is read before the events, so
 * that no event is missed.
 */
static void settle(struct player *p)
{
	u64 until = device_now(p->device) + LOST_AFTER_NS;

	while (p->model.missing) {
		u64 now = device_now(p->device);

		take_events(p);
		if (!p->model.missing)
			break;
		if (now >= until) {
			model_lose(&p->model);
			p->stuck = true;
			break;
		}
		device_wait(p->device, until, -1);
	}
}

/* Check whether the last changed deadline can still be detected. */
static bool tamper_is_pending(const struct player *p)
{
	const struct model_timer *t = &p->model.timer[p->tampered_timer];

	return p->tampered_line && t->state != MODEL_IDLE && t->line == p->tampered_line;
}

static bool wants_tampering(const struct player *p)
{
	return p->tamper && p->arms >= p->tamper && !breach_total(&p->model.breaches) &&
	       !tamper_is_pending(p);
}

static void tamper_with(struct player *p, const struct record *record)
{
	u64 half = scaled(p, record->delay) / 2;

	p->tampered_line = record->line;
	p->tampered_timer = record->timer;
	p->tampered_by = half > TAMPER_NS ? half : TAMPER_NS;
}

static void add_request(struct player *p, u32 at, const struct record *record)
{
	struct request *r = &p->requests[at];

	r->timer = record->timer;
	r->line = record->line;
	r->deadline = NEVER;
	if (record->delay == TRACE_CANCEL) {
		p->cancels++;
		return;
	}
	r->deadline = time_sum(time_of(p, record), scaled(p, record->delay));
	/* A word of 0 is parked, and tick 1 is the first one in any case. */
	if (p->words && !r->deadline)
		r->deadline = 1;
	p->arms++;
}

/* Fill a batch with the records whose time has passed; returns their number. */
static u32 collect(struct player *p, u64 now)
{
	bool tampered = false;
	u32 count = 0;

	p->batch++;
	while (count < PLAYER_BATCH && p->next < p->trace->count) {
		const struct record *record = &p->trace->record[p->next];
		u64 due = time_of(p, record);

		if (due > now || p->in_batch[record->timer] == p->batch)
			break;
		p->in_batch[record->timer] = p->batch;
		samples_add(&p->behind, now - due);
		add_request(p, count++, record);
		if (record->delay != TRACE_CANCEL && !tampered && wants_tampering(p)) {
			tamper_with(p, record);
			tampered = true;
		}
		p->next++;
	}
	return count;
}

static void make_op(struct player *p, u32 at, u64 now)
{
	struct request *r = &p->requests[at];

	r->submitted = now;
	model_request(&p->model, r, &p->ops[at]);
	if (p->tampered_line && r->line == p->tampered_line && r->deadline != NEVER)
		p->ops[at].when -= p->tampered_by;
}

/* Execute the operations, without a system call if the words allow it. */
static void submit(struct player *p, u32 count)
{
	u32 index[PLAYER_BATCH];
	u32 calls = 0;
	u32 i;

	if (!p->words) {
		device_submit(p->device, p->ops, count);
		return;
	}
	for (i = 0; i < count; i++) {
		if (words_try(p->words, &p->ops[i]))
			continue;
		index[calls] = i;
		p->calls[calls++] = p->ops[i];
	}
	device_submit(p->device, p->calls, calls);
	for (i = 0; i < calls; i++) {
		p->ops[index[i]] = p->calls[i];
		words_armed(p->words, &p->calls[i]);
	}
}

/* Submit the batch, and repeat the requests that lost a race with an expiry. */
static void submit_batch(struct player *p, u32 count)
{
	while (count && !p->stuck) {
		u64 before = device_now(p->device);
		u32 again = 0;
		u64 now;
		u32 i;

		for (i = 0; i < count; i++)
			make_op(p, i, before);
		submit(p, count);
		now = device_now(p->device);
		for (i = 0; i < count; i++)
			if (model_result(&p->model, &p->requests[i], &p->ops[i], now))
				p->requests[again++] = p->requests[i];
		settle(p);
		count = again;
	}
}

static bool is_interrupted(struct player *p)
{
	if (!p->status)
		p->status = interrupt_seen(p->interrupt);
	return p->status;
}

static bool is_terminal(void)
{
	const char *name = getenv("TERM");

	return isatty(STDERR_FILENO) && name && *name && strcmp(name, "dumb");
}

/* Report the progress once per second on a terminal, and ten times elsewhere. */
static void report_progress(struct player *p, u64 now)
{
	u64 tenths = p->next * 10 / p->trace->count;
	bool terminal = is_terminal();

	if (!p->progress || !p->next ||
	    (terminal ? now - p->reported < NSEC_PER_SEC : tenths == p->tenths))
		return;
	p->reported = now;
	p->tenths = tenths;
	fprintf(stderr, "%s%3llu %%  %s of %s operations, late by %s%s",
		terminal ? ERASE_LINE : "", p->next * 100ULL / p->trace->count,
		text_count(p->next).s, text_count(p->trace->count).s,
		text_time(p->behind.value[p->behind.count - 1]).s, terminal ? "" : "\n");
}

static void play(struct player *p)
{
	while (p->next < p->trace->count && !p->stuck && !is_interrupted(p)) {
		u64 next, now;
		u32 count;

		take_events(p);
		now = device_now(p->device);
		count = collect(p, now);
		if (count) {
			submit_batch(p, count);
		} else {
			next = time_of(p, &p->trace->record[p->next]);
			if (next > now + NSEC_PER_SEC)
				next = now + NSEC_PER_SEC;
			device_wait(p->device, next, p->interrupt);
		}
		report_progress(p, now);
	}
}

/* Wait until the timers that are due soon have expired. */
static void linger(struct player *p)
{
	u64 horizon = time_sum(device_now(p->device), p->linger);
	u64 until = time_sum(horizon, LOST_AFTER_NS + NSEC_PER_SEC);

	model_await(&p->model, horizon);
	while (p->model.awaited && device_now(p->device) < until && !is_interrupted(p)) {
		device_wait(p->device, until, p->interrupt);
		take_events(p);
	}
}

static void check_list(struct player *p)
{
	u32 cursor = 0;
	u32 count, i;

	/* The listed timers are pending after these events. */
	take_events(p);
	for (;;) {
		count = device_list(p->device, p->ops, PLAYER_BATCH, &cursor);
		if (!count)
			break;
		for (i = 0; i < count; i++)
			model_listed(&p->model, &p->ops[i]);
	}
	p->model.closing = true;
}

static void cancel_rest(struct player *p)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < p->model.timers && !p->stuck; i++) {
		const struct model_timer *t = &p->model.timer[i];

		if (t->state != MODEL_PENDING)
			continue;
		p->requests[count].deadline = NEVER;
		p->requests[count].timer = i;
		p->requests[count].line = t->line;
		if (++count == PLAYER_BATCH) {
			submit_batch(p, count);
			count = 0;
		}
	}
	submit_batch(p, count);
}

/* The kernel counts a parked timer as pending until its old deadline, or until it is cancelled. */
static void release_words(struct player *p)
{
	u32 i;

	for (i = 0; p->words && i < p->words->count; i++) {
		struct wheel_op op = {
			.op = WHEEL_OP_CANCEL, .id = p->words->slot[i].id,
		};

		if (op.id)
			device_submit(p->device, &op, 1);
	}
}

/* No timer is pending: any event is an error. */
static void wait_for_no_event(struct player *p)
{
	u64 until = device_now(p->device) + QUIET_NS;

	do {
		device_wait(p->device, until, -1);
		take_events(p);
	} while (device_now(p->device) < until);
}

void player_run(struct player *p)
{
	struct wheel_stats stats;

	p->start = device_now(p->device);
	play(p);
	if (!p->stuck)
		linger(p);
	p->cancelled = p->model.cancelled;
	if (!p->stuck) {
		check_list(p);
		cancel_rest(p);
		release_words(p);
		wait_for_no_event(p);
		device_stats(p->device, &stats);
		model_compare(&p->model, &stats);
	}
	p->end = device_now(p->device);
	if (p->progress && is_terminal())
		fputs(ERASE_LINE, stderr);
	samples_sort(&p->behind);
	samples_sort(&p->model.late);
	samples_sort(&p->model.late_in_time);
}
