// SPDX-License-Identifier: GPL-2.0
/*
 * Hints: in a long bucket, each timer stores the distance to a later one, and nothing is
 * written to a timer that has left the wheel.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "random.h"
#include "rig.h"
#include "tests.h"

#define BUCKETS	64
#define TIMERS	400
#define RECENT	24
#define POISON	0xa5

/**
 * struct hinted - a wheel with ticks of 1 ns and timers in random order
 * @wheel: the wheel
 * @memory: memory of the wheel
 * @timer: timers, poisoned unless they are queued
 * @recent: timers armed last
 * @armed: number of arms
 * @now: the clock
 */
struct hinted {
	struct wheel_core wheel;
	void *memory;
	struct wheel_timer timer[TIMERS];
	struct wheel_timer *recent[RECENT];
	u64 armed;
	u64 now;
};

static struct hinted *hinted_create(void)
{
	const struct wheel_scheme *scheme = ktap_subject;
	struct hinted *h = calloc(1, sizeof(*h));
	u32 buckets = wheel_buckets(scheme, BUCKETS, 0);

	if (!h)
		abort();
	h->memory = malloc(wheel_memory(buckets));
	if (!h->memory)
		abort();
	wheel_init(&h->wheel, scheme, buckets, 1, h->memory);
	memset(h->timer, POISON, sizeof(h->timer));
	return h;
}

static void hinted_free(struct hinted *h)
{
	free(h->memory);
	free(h);
}

static const char *hinted_by(const struct wheel_timer *t)
{
	return (const char *)t + 8 * (long)t->hint;
}

/* The timers of a bucket are armed in descending order of address. */
static void hints_lead_on(void)
{
	struct hinted *h = hinted_create();
	u32 told = 0;
	u32 i;

	for (i = TIMERS; i--; )
		wheel_place(&h->wheel, &h->timer[i], BUCKETS - 1, 0);
	for (i = 0; i < TIMERS; i++) {
		const struct wheel_timer *t = &h->timer[i];

		if (!t->hint)
			continue;
		told++;
		if (i < 17 || hinted_by(t) != (const char *)(t - 17))
			ktap_fail("a hint does not lead to the timer queued 17 places later");
	}
	if (told != TIMERS - 80)
		ktap_fail("not all timers between the first 63 and the last 17 have a hint");
	hinted_free(h);
}

/* Timers at random places among 16 million slots of 96 bytes. */
static void hints_reach_16_million_timers(void)
{
	const size_t size = 96, slots = 16 << 20;
	char *memory = mmap(NULL, slots * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct hinted *h = hinted_create();
	struct random r = random_start(22);
	struct wheel_timer *timer[TIMERS];
	u32 i;

	if (memory == MAP_FAILED)
		abort();
	for (i = 0; i < TIMERS; i++) {
		size_t slot = slots / TIMERS * i + random_below(&r, slots / TIMERS);

		timer[i * 7 % TIMERS] = (struct wheel_timer *)(memory + size * slot);
	}
	for (i = 0; i < TIMERS; i++)
		wheel_place(&h->wheel, timer[i], BUCKETS - 1, 0);
	for (i = 63; i < TIMERS - 17; i++)
		if (hinted_by(timer[i]) != (const char *)timer[i + 17])
			ktap_fail("a hint does not reach its timer");
	hinted_free(h);
	munmap(memory, slots * size);
}

const void *host_fetched[2];

/* Were two cache lines of the timer 17 places after the @i-th prefetched? */
static void check_fetched(const struct hinted *h, u32 i)
{
	const char *hinted = (const char *)&h->timer[i - 17];

	if (host_fetched[1] != hinted || host_fetched[0] != hinted + 64)
		ktap_fail("the timer of the hint is not prefetched");
}

/* Visiting a timer prefetches the timer of its hint. */
static void hints_are_fetched(void)
{
	struct hinted *h = hinted_create();
	unsigned int budget = 4 * TIMERS;
	u32 i;

	for (i = TIMERS; i--; )
		wheel_place(&h->wheel, &h->timer[i], BUCKETS - 1, 0);
	for (i = TIMERS; i--; ) {
		bool told = h->timer[i].hint;

		if (wheel_pop(&h->wheel, BUCKETS - 1, &budget) != &h->timer[i])
			ktap_fail("the timers do not expire in order");
		if (told)
			check_fetched(h, i);
	}
	hinted_free(h);
}

/* A walk also prefetches the hints of timers of a later revolution, which stay in the bucket. */
static void hints_are_fetched_of_those_that_stay(void)
{
	struct hinted *h = hinted_create();
	u32 i, seen = 0;

	for (i = TIMERS; i--; )
		wheel_place(&h->wheel, &h->timer[i], i ? 2 * BUCKETS - 1 : BUCKETS - 1, 0);
	for (i = TIMERS; i-- > 1; ) {
		unsigned int one = 1;

		if (wheel_pop(&h->wheel, BUCKETS - 1, &one))
			ktap_fail("a timer of the next revolution is due");
		if (!h->timer[i].hint)
			continue;
		check_fetched(h, i);
		seen++;
	}
	if (seen != TIMERS - 80)
		ktap_fail("not all timers with a hint were visited");
	hinted_free(h);
}

static bool poisoned(const struct wheel_timer *t)
{
	static const unsigned char poison[sizeof(*t)] = { [0 ... sizeof(*t) - 1] = POISON };

	return !memcmp(t, poison, sizeof(*t));
}

/* In two buckets of a ring, for three revolutions. */
static void arm(struct hinted *h, struct random *r)
{
	struct wheel_timer *t = &h->timer[random_below(r, TIMERS)];

	if (!poisoned(t))
		return;
	wheel_place(&h->wheel, t, h->now + BUCKETS * (1 + random_below(r, 3)) +
		    random_below(r, 2), 0);
	h->recent[h->armed++ % RECENT] = t;
}

static void cancel(struct hinted *h, struct random *r)
{
	struct wheel_timer *t = h->recent[random_below(r, RECENT)];

	if (random_percent(r, 30))
		t = &h->timer[random_below(r, TIMERS)];
	if (!t || poisoned(t))
		return;
	wheel_remove(&h->wheel, t);
	memset(t, POISON, sizeof(*t));
}

static void pop(struct hinted *h, struct random *r)
{
	unsigned int budget = 1 + (unsigned int)random_below(r, 8);
	struct wheel_timer *t;

	h->now += random_percent(r, 5) * BUCKETS;
	while ((t = wheel_pop(&h->wheel, h->now, &budget)))
		memset(t, POISON, sizeof(*t));
}

static void check_untouched(const struct hinted *h)
{
	u64 filed = 0;
	u32 i;

	check_wheel(&h->wheel);
	for (i = 0; i < TIMERS; i++)
		filed += !poisoned(&h->timer[i]);
	if (filed != h->wheel.pending)
		ktap_fail("a timer that had left the wheel was written to");
}

static void hints_of_a_long_and_stale_bucket(void)
{
	struct hinted *h = hinted_create();
	struct wheel_bucket *bucket = &h->wheel.ring.bucket[BUCKETS - 1];
	u32 i;

	for (i = 0; i < TIMERS - 1; i++)
		wheel_place(&h->wheel, &h->timer[i], BUCKETS - 1, 0);
	bucket->state |= BUCKET_FLAGS;
	wheel_remove(&h->wheel, timer_of((struct list_head *)(bucket->state & ~BUCKET_FLAGS)));
	check_wheel(&h->wheel);
	hint_close(bucket);
	wheel_place(&h->wheel, &h->timer[i], BUCKETS - 1, 0);
	if (bucket->state != (HINT_CLOSED | BUCKET_FLAGS))
		ktap_fail("a flag of the bucket is lost, or the closed bucket was written to");
	hinted_free(h);
}

static void hints_touch_nothing_that_left(void)
{
	struct random r = random_start(21);
	struct hinted *h = hinted_create();
	u64 i;

	for (i = 0; i < random_ops; i++) {
		u64 what = random_below(&r, 100);

		if (what < 75)
			arm(h, &r);
		else if (what < 95)
			cancel(h, &r);
		else
			pop(h, &r);
		if (!(i % 16))
			check_untouched(h);
	}
	hinted_free(h);
}

const struct ktap_test hints_of_rounds_tests[] = {
	{ "hints_are_fetched_of_those_that_stay", hints_are_fetched_of_those_that_stay },
	{ }
};

const struct ktap_test hints_tests[] = {
	{ "hints_lead_on", hints_lead_on },
	{ "hints_reach_16_million_timers", hints_reach_16_million_timers },
	{ "hints_are_fetched", hints_are_fetched },
	{ "hints_of_a_long_and_stale_bucket", hints_of_a_long_and_stale_bucket },
	{ "hints_touch_nothing_that_left", hints_touch_nothing_that_left },
	{ }
};
