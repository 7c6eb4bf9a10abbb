// SPDX-License-Identifier: MIT
/*
 * pace STEPS: compares idle timeouts on a clock with random rates with a table of their expected
 * state. Each timer must expire once, not before its deadline, and in the step in which it is
 * due. It must remain armed at least for its timeout divided by the maximum rate.
 */
#include <libwheel.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../pace.h"

#define TIMERS		2000
#define MAX_RATE	10
#define MS		1000000ULL
#define BATCH		256

/**
 * struct timer - expected state of a slot
 * @armed: true if it is pending
 * @deadline: deadline on the clock with a rate
 * @length: timeout in nanoseconds
 * @changed: real time at which the deadline was set
 */
struct timer {
	bool armed;
	__u64 deadline;
	__u64 length;
	__u64 changed;
};

static struct timer timers[TIMERS];
static struct libwheel *wheel;
static struct pace pace = { .now = 1, .rate = 1 };
static __u64 real;
static unsigned long expired, cancelled;

static __u64 chance(__u64 limit)
{
	static __u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void expect(bool holds, const char *what, __u64 slot)
{
	if (holds)
		return;
	fprintf(stderr, "pace: slot %llu: %s\n", slot, what);
	exit(1);
}

static __u64 tick_of(__u64 time)
{
	return (time + MS - 1) / MS;
}

static void expire_one(const struct wheel_event *event)
{
	__u64 slot = WHEEL_ID_SLOT(event->id);
	struct timer *timer = &timers[slot];

	expect(timer->armed, "expired twice, or after its cancel", slot);
	expect(timer->deadline <= pace_now(&pace, real), "early", slot);
	expect(real - timer->changed >= timer->length / MAX_RATE, "shorter than its minimum", slot);
	timer->armed = false;
	expired++;
	expect(!libwheel_word_reset(wheel, event->id), "expired with another word", slot);
}

static void expire(void)
{
	struct wheel_event events[BATCH];
	__u64 now = pace_now(&pace, real);
	__u64 slot;
	int i, n;

	expect(!libwheel_advance(wheel, now, NULL), "advance", 0);
	do {
		n = libwheel_expirations(wheel, events, BATCH);
		for (i = 0; i < n; i++)
			expire_one(&events[i]);
	} while (n == BATCH);
	for (slot = 0; slot < TIMERS; slot++)
		expect(!timers[slot].armed || tick_of(timers[slot].deadline) > now / MS,
		       "late", slot);
}

static void set(struct timer *timer)
{
	timer->length = (1 + chance(10000)) * MS;
	timer->deadline = pace_now(&pace, real) + timer->length;
	timer->changed = real;
	timer->armed = true;
}

/* Arm, postpone, shorten or cancel. */
static void change(__u64 slot)
{
	struct timer *timer = &timers[slot];
	bool armed = timer->armed;

	if (armed && !chance(4)) {
		expect(!libwheel_word_park(wheel, slot), "parked", slot);
		timer->armed = false;
		cancelled++;
		return;
	}
	set(timer);
	expect(!libwheel_word_arm(wheel, slot, timer->deadline), armed ? "moved" : "armed", slot);
}

static void step(void)
{
	int i;

	real += 1 + chance(200 * MS);
	expire();
	if (!chance(10))
		pace_set_rate(&pace, real, chance(MAX_RATE + 1));
	for (i = 0; i < 50; i++)
		change(chance(TIMERS));
}

int main(int argc, char **argv)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_HIERARCHICAL, .flags = WHEEL_SETUP_WORDS,
		.timers = TIMERS, .tick_ns = MS,
	};
	long steps = argc == 2 ? atol(argv[1]) : 0;
	uint64_t slot, id;

	expect(steps > 0, "usage: pace STEPS", 0);
	expect(!libwheel_open(&wheel, &options), "open", 0);
	for (slot = 0; slot < TIMERS; slot++) {
		id = WHEEL_ID(slot, 1);
		expect(!libwheel_word(wheel, id, slot), "kept", slot);
	}
	while (steps--)
		step();
	expect(expired && cancelled, "nothing expired, or nothing was cancelled", 0);
	printf("%lu expired, %lu cancelled\n", expired, cancelled);
	libwheel_close(wheel);
}
