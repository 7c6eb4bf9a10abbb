// SPDX-License-Identifier: MIT
/*
 * Plays a trace through a device, in time, with a ledger as the witness.
 *
 * Every operation is handed over at its time, and with it those whose time came
 * meanwhile: on a slow machine the batches grow. A batch holds a timer once, as
 * what is to be asked of a timer depends on the answer before. Deadlines are
 * absolute and follow from the trace alone, so that nothing the machine does can
 * blur what "early" means. We pace ourselves by poll() and not by a timer of the
 * wheel: a witness does not lean on the accused.
 */
#include "player.h"

#include <stdlib.h>
#include <string.h>

#include "due.h"
#include "interrupt.h"
#include "memory.h"
#include "parse.h"

/* Timers that are due so soon after the last record are waited for, at least. */
#define LINGER_NS	(2 * NSEC_PER_SEC)

/* So long after the last cancel there may still come what must not come. */
#define QUIET_NS	(20 * NSEC_PER_MSEC)

/* How early --tamper is at least. */
#define TAMPER_NS	(2 * NSEC_PER_MSEC)

/**
 * player_init - get ready
 * @p: set up; its options may be changed before player_run()
 * @trace: what to play
 * @device: to whom
 * @tick: the wheel's, in force
 */
void player_init(struct player *p, const struct trace *trace,
		 struct device *device, u64 tick)
{
	memset(p, 0, sizeof(*p));
	p->trace = trace;
	p->device = device;
	p->interrupt = -1;
	p->speed = SPEED_UNIT;
	p->linger = LINGER_NS;
	p->in_batch = memory_zeroed(trace->timers, sizeof(*p->in_batch));
	ledger_init(&p->ledger, trace->timers, tick);
}

void player_free(struct player *p)
{
	free(p->in_batch);
	samples_free(&p->behind);
	ledger_free(&p->ledger);
}

/* A time of the trace at our speed; the end of time when it is beyond. */
static u64 scaled(const struct player *p, u64 ns)
{
	u64 whole = ns / p->speed;
	u64 part = ns % p->speed * SPEED_UNIT / p->speed;

	if (whole > WHEEL_MAX_TIME / SPEED_UNIT)
		return WHEEL_MAX_TIME;
	return time_sum(whole * SPEED_UNIT, part);
}

/**
 * player_longest - the longest delay that will be asked for
 * @p: player
 *
 * Return: nanoseconds.
 */
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
			ledger_event(&p->ledger, &p->events[i], received);
	} while (count == PLAYER_BATCH);
}

/* Waits for the events of those timers that fired while we asked for them. */
static void settle(struct player *p)
{
	u64 until = device_now(p->device) + LOST_AFTER_NS;

	while (p->ledger.owed) {
		/* A look that comes after the clock finds all that had come by then. */
		u64 now = device_now(p->device);

		take_events(p);
		if (!p->ledger.owed)
			break;
		if (now >= until) {
			ledger_lose(&p->ledger);
			p->stuck = true;
			break;
		}
		device_wait(p->device, until, -1);
	}
}

/* Is the last arm that was tampered with still to be noticed? */
static bool tamper_is_pending(const struct player *p)
{
	const struct ledger_timer *t = &p->ledger.timer[p->tampered_timer];

	return p->tampered_line && t->state != LEDGER_IDLE &&
	       t->line == p->tampered_line;
}

static bool wants_tampering(const struct player *p)
{
	return p->tamper && p->arms >= p->tamper &&
	       !breach_total(&p->ledger.breaches) && !tamper_is_pending(p);
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
	struct ledger_request *r = &p->requests[at];

	r->timer = record->timer;
	r->line = record->line;
	r->deadline = NEVER;
	if (record->delay == TRACE_CANCEL) {
		p->cancels++;
		return;
	}
	r->deadline = time_sum(time_of(p, record), scaled(p, record->delay));
	p->arms++;
}

/* Fills a batch with what has become due. Returns how much that is. */
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
		if (record->delay != TRACE_CANCEL && !tampered &&
		    wants_tampering(p)) {
			tamper_with(p, record);
			tampered = true;
		}
		p->next++;
	}
	return count;
}

static void ask(struct player *p, u32 at, u64 now)
{
	struct ledger_request *r = &p->requests[at];

	r->asked = now;
	ledger_ask(&p->ledger, r, &p->ops[at]);
	if (p->tampered_line && r->line == p->tampered_line &&
	    r->deadline != NEVER)
		p->ops[at].when -= p->tampered_by;
}

/* Has the operations done: by words what these can do, the rest by a call. */
static void submit(struct player *p, u32 count)
{
	u32 by_call[PLAYER_BATCH];
	u32 calls = 0;
	u32 i;

	if (!p->words) {
		device_submit(p->device, p->ops, count);
		return;
	}
	for (i = 0; i < count; i++) {
		if (words_try(p->words, &p->ops[i]))
			continue;
		by_call[calls] = i;
		p->calls[calls++] = p->ops[i];
	}
	device_submit(p->device, p->calls, calls);
	for (i = 0; i < calls; i++) {
		p->ops[by_call[i]] = p->calls[i];
		words_armed(p->words, &p->calls[i]);
	}
}

/* Has the batch done, and once more what a race was lost for. */
static void hand_over(struct player *p, u32 count)
{
	while (count && !p->stuck) {
		u64 asked = device_now(p->device);
		u32 again = 0;
		u64 now;
		u32 i;

		for (i = 0; i < count; i++)
			ask(p, i, asked);
		submit(p, count);
		now = device_now(p->device);
		for (i = 0; i < count; i++)
			if (ledger_answer(&p->ledger, &p->requests[i],
					  &p->ops[i], now))
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

static void play(struct player *p)
{
	while (p->next < p->trace->count && !p->stuck && !is_interrupted(p)) {
		u64 next, now;
		u32 count;

		take_events(p);
		now = device_now(p->device);
		count = collect(p, now);
		if (count) {
			hand_over(p, count);
		} else {
			next = time_of(p, &p->trace->record[p->next]);
			if (next > now + NSEC_PER_SEC)
				next = now + NSEC_PER_SEC;
			device_wait(p->device, next, p->interrupt);
		}
		if (p->progress.total && p->next)
			progress_step(&p->progress, p->next, now,
				      p->behind.value[p->behind.count - 1]);
	}
}

/* Lets the timers fire that are due soon. */
static void linger(struct player *p)
{
	u64 horizon = time_sum(device_now(p->device), p->linger);
	u64 until = time_sum(horizon, LOST_AFTER_NS + NSEC_PER_SEC);

	ledger_await(&p->ledger, horizon);
	while (p->ledger.awaited && device_now(p->device) < until &&
	       !is_interrupted(p)) {
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
			ledger_listed(&p->ledger, &p->ops[i]);
	}
	p->ledger.closing = true;
}

static void cancel_rest(struct player *p)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < p->ledger.timers && !p->stuck; i++) {
		const struct ledger_timer *t = &p->ledger.timer[i];

		if (t->state != LEDGER_PENDING)
			continue;
		p->requests[count].deadline = NEVER;
		p->requests[count].timer = i;
		p->requests[count].line = t->line;
		if (++count == PLAYER_BATCH) {
			hand_over(p, count);
			count = 0;
		}
	}
	hand_over(p, count);
}

/* The kernel counts a timer that we have parked as pending, until it is reclaimed. */
static void reclaim_parked(struct player *p)
{
	u32 i;

	for (i = 0; p->words && i < p->words->count; i++) {
		struct wheel_op op = {
			.op = WHEEL_OP_CANCEL, .id = p->words->slot[i].id,
		};

		if (words_parked(p->words, i))
			device_submit(p->device, &op, 1);
	}
	if (p->words)
		p->ledger.by_word = *p->words;
}

/* All is done: nothing more may come. */
static void listen(struct player *p)
{
	u64 until = device_now(p->device) + QUIET_NS;

	do {
		device_wait(p->device, until, -1);
		take_events(p);
	} while (device_now(p->device) < until);
}

/**
 * player_run - play the trace and close the books
 * @p: player
 */
void player_run(struct player *p)
{
	struct wheel_stats stats;

	p->start = device_now(p->device);
	play(p);
	if (!p->stuck)
		linger(p);
	p->cancelled = p->ledger.cancelled;
	if (!p->stuck) {
		check_list(p);
		cancel_rest(p);
		reclaim_parked(p);
		listen(p);
		device_stats(p->device, &stats);
		ledger_compare(&p->ledger, &stats);
	}
	p->end = device_now(p->device);
	if (p->progress.total)
		progress_end(&p->progress);
	samples_sort(&p->behind);
	samples_sort(&p->ledger.late);
	samples_sort(&p->ledger.late_in_time);
}
