// SPDX-License-Identifier: MIT
/*
 * Tests of the player: a correct device causes no violation, and each injected fault is
 * detected.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "cases.h"
#include "player.h"
#include "text.h"

#define RECORDS	20000
#define TIMERS	100

/* A generator with the same results on all machines. */
static u64 random_below(u64 limit)
{
	static u64 state = 0x9e3779b97f4a7c15ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* Re-arm before, at and after the expiry, with delays from zero to hours. */
static void make_random_trace(struct trace *t)
{
	bool armed[TIMERS] = { false };
	u64 time = 0;
	u32 i;

	*t = (struct trace) { .count = RECORDS, .timers = TIMERS };
	t->record = xcalloc(t->count, sizeof(*t->record));
	for (i = 0; i < RECORDS; i++) {
		struct record *r = &t->record[i];

		time += random_below(200000);
		r->time = time;
		r->line = i + 1;
		r->timer = (u32)random_below(TIMERS);
		if (armed[r->timer] && !random_below(4))
			r->delay = TRACE_CANCEL;
		else if (!random_below(50))
			r->delay = 3600 * NSEC_PER_SEC;
		else if (!random_below(20))
			r->delay = 0;
		else
			r->delay = random_below(20 * NSEC_PER_MSEC);
		armed[r->timer] = true;
	}
}

/* A player of the generated trace on the fake device. */
static struct player *get_ready(void)
{
	static struct device device = { .fd = -1 };
	static struct trace trace;
	struct player *player = xcalloc(1, sizeof(*player));

	if (!trace.count)
		make_random_trace(&trace);
	player_init(player, &trace, &device, fake.tick);
	return player;
}

static void fake_init(u64 tick)
{
	memset(&fake, 0, sizeof(fake));
	fake.now = 1000 * NSEC_PER_SEC;
	fake.tick = tick;
}

static struct player *replay_after(u64 after, enum fault fault, u64 speed,
				   u64 tamper)
{
	struct player *player;

	fake_init(NSEC_PER_MSEC);
	fake.fault = fault;
	fake.after = after;
	player = get_ready();
	player->speed = speed;
	player->tamper = tamper;
	player_run(player);
	return player;
}

static struct player *replay(enum fault fault, u64 speed, u64 tamper)
{
	return replay_after(fault < FAULT_UNLISTED ? 1000 : 0, fault, speed,
			    tamper);
}

static void done(struct player *player)
{
	player_free(player);
	free(player);
}

static bool catches(enum fault fault, enum breach breach)
{
	struct player *player = replay(fault, SPEED_UNIT, 0);
	bool caught = player->model.breaches.count[breach] &&
		      fake.fault == FAULT_NONE;

	done(player);
	return caught;
}

static void keeps(u64 speed)
{
	struct player *player = replay(FAULT_NONE, speed, 0);
	const struct model *l = &player->model;

	KTAP_EXPECT(!breach_total(&l->breaches));
	KTAP_EXPECT(player->next == RECORDS);
	KTAP_EXPECT(l->armed + l->rearmed + player->cancels == RECORDS);
	KTAP_EXPECT(l->armed == l->fired + l->cancelled);
	KTAP_EXPECT(!l->pending && !l->missing && !l->awaited);
	KTAP_EXPECT(l->late.count == l->fired);
	KTAP_EXPECT(l->races && l->idle_cancels && l->cancelled && l->rearmed);
	KTAP_EXPECT(player->behind.count == RECORDS);
	/* Only timers that are due in an hour are cancelled at the end. */
	KTAP_EXPECT(l->cancelled - player->cancelled < TIMERS / 4);
	done(player);
}

static void at_recorded_speed(void)
{
	keeps(SPEED_UNIT);
}

static void slower(void)
{
	keeps(SPEED_UNIT / 3);
}

/* Most operations are late, and their deadlines have passed. */
static void too_fast(void)
{
	keeps(20 * SPEED_UNIT);
}

/* Some timers of a trace of 2 s expire with the first tick, or none. */
static void long_ticks(void)
{
	static const struct {
		u64 tick;
		bool fires;
	} wheels[] = {
		{ NSEC_PER_SEC, true },
		{ 15 * NSEC_PER_SEC, false },
		{ 3600 * NSEC_PER_SEC, false },
		{ WHEEL_MAX_TIME, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wheels); i++) {
		struct player *player;

		fake_init(wheels[i].tick);
		player = get_ready();
		player_run(player);
		KTAP_EXPECT(!breach_total(&player->model.breaches));
		KTAP_EXPECT(!!player->model.fired == wheels[i].fires);
		KTAP_EXPECT(player->end - player->start < 8 * NSEC_PER_SEC);
		done(player);
	}
}

/* All timers except those due in an hour expire, even with a long tick. */
static void lingering(void)
{
	struct player *player;

	fake_init(300 * NSEC_PER_SEC);
	player = get_ready();
	player->linger = fake.tick;
	player_run(player);
	KTAP_EXPECT(!breach_total(&player->model.breaches));
	KTAP_EXPECT(player->model.fired > TIMERS / 2);
	KTAP_EXPECT(player->end - player->start < fake.tick);
	done(player);
}

/* The program stops between any two steps for longer than it waits for an event. */
static void stopped(void)
{
	u64 readings;

	for (readings = 0; readings < 400; readings += 3) {
		struct player *player;

		fake_init(NSEC_PER_MSEC);
		fake.stopped = 20 * NSEC_PER_SEC;
		fake.readings = readings;
		player = get_ready();
		player_run(player);
		KTAP_EXPECT(!fake.stopped && !breach_total(&player->model.breaches));
		done(player);
	}
}

static void early(void)
{
	KTAP_EXPECT(catches(FAULT_EARLY, BREACH_EARLY));
	KTAP_EXPECT(catches(FAULT_LIAR, BREACH_EARLY));
}

static void lost(void)
{
	struct player *player = replay(FAULT_LOSE, SPEED_UNIT, 0);

	/* The replay cannot continue, but it ends regularly. */
	KTAP_EXPECT(player->stuck && player->next < RECORDS);
	done(player);
	KTAP_EXPECT(catches(FAULT_LOSE, BREACH_LOST));
}

static void out_of_order(void)
{
	KTAP_EXPECT(catches(FAULT_LATER, BREACH_ORDER));
	KTAP_EXPECT(catches(FAULT_FIRST, BREACH_ORDER));
	KTAP_EXPECT(catches(FAULT_FORGET, BREACH_ORDER));
}

static void duplicated(void)
{
	KTAP_EXPECT(catches(FAULT_TWICE, BREACH_DUPLICATE));
	KTAP_EXPECT(catches(FAULT_CANCEL, BREACH_DUPLICATE));
}

/* The last cancel has no effect. */
static void doubled_at_the_end(void)
{
	struct player *player = replay(FAULT_NONE, SPEED_UNIT, 0);
	u64 cancels = player->model.cancelled;

	done(player);
	player = replay_after(cancels - 1, FAULT_CANCEL, SPEED_UNIT, 0);
	KTAP_EXPECT(fake.fault == FAULT_NONE);
	KTAP_EXPECT(player->model.breaches.count[BREACH_DUPLICATE]);
	done(player);
}

static void wrong(void)
{
	KTAP_EXPECT(catches(FAULT_DEADLINE, BREACH_WRONG));
	KTAP_EXPECT(catches(FAULT_COOKIE, BREACH_WRONG));
	KTAP_EXPECT(catches(FAULT_SEQ, BREACH_WRONG));
	KTAP_EXPECT(catches(FAULT_UNLISTED, BREACH_WRONG));
	KTAP_EXPECT(catches(FAULT_LIST, BREACH_WRONG));
}

static void results(void)
{
	KTAP_EXPECT(catches(FAULT_REFUSE, BREACH_RESULT));
}

static void counted(void)
{
	KTAP_EXPECT(catches(FAULT_COUNT, BREACH_COUNTER));
	KTAP_EXPECT(catches(FAULT_BUCKET, BREACH_COUNTER));
}

/* A changed deadline is detected. */
static void tampered(void)
{
	u64 k;

	for (k = 1; k < RECORDS / 2; k += 499) {
		struct player *player = replay(FAULT_NONE, SPEED_UNIT, k);

		KTAP_EXPECT(player->model.breaches.count[BREACH_WRONG]);
		done(player);
	}
}

const struct ktap_test player_cases[] = {
	{ "a correct device causes no violation", at_recorded_speed },
	{ "a slower replay causes no violation", slower },
	{ "a replay that is too fast causes no violation", too_fast },
	{ "long ticks cause no violation", long_ticks },
	{ "the player can wait for a long tick", lingering },
	{ "a stopped program causes no violation", stopped },
	{ "early events are detected", early },
	{ "lost events are detected", lost },
	{ "duplicate events are detected", duplicated },
	{ "a duplicate event at the end is detected", doubled_at_the_end },
	{ "misordered events are detected", out_of_order },
	{ "wrong events are detected", wrong },
	{ "wrong results are detected by the player", results },
	{ "wrong counters are detected", counted },
	{ "a changed deadline is detected", tampered },
	{ NULL }
};
