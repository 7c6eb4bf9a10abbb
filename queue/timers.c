// SPDX-License-Identifier: MIT
#include "timers.h"

#include <stdio.h>
#include <stdlib.h>

#include <libwheel.h>

#include "clock.h"
#include "fail.h"

/* 146 years: sums of two such times do not overflow. */
#define MOST_MS		(WHEEL_MAX_TIME / 2 / NS_PER_MS)
#define BATCH		256
/* Timers that can be set after timers_have_room() has returned true. */
#define SPARE		8

/**
 * struct side - the timers of one clock
 * @wheel: the timing wheel
 * @owners: by slot, the timer, or NULL
 * @free: stack of slots whose words are parked
 * @free_count: number of slots on the stack
 * @used: number of slots that were ever used, and the number of the first unused one
 * @expired: slots whose events were read by collect(), for timers_run()
 * @expired_count: number of these
 */
struct side {
	struct libwheel *wheel;
	struct timer **owners;
	uint32_t *free;
	uint32_t free_count;
	uint32_t used;
	uint32_t *expired;
	uint32_t expired_count;
};

/**
 * struct timers - the timers of both clocks
 * @sides: by clock
 * @ahead: ns, the queue's clock less the wheel's
 */
struct timers {
	struct side sides[CLOCKS];
	int64_t ahead;
};

uint64_t timers_boot(void)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int high = 0, low = 0;

	if (!file)
		return 0;
	/* Its first 12 digits are random. */
	if (fscanf(file, "%8x-%4x", &high, &low) != 2)
		high = 0;
	fclose(file);
	return high ? (uint64_t)high << 16 | low : 0;
}

/* CLOCK_REALTIME is read first: a delay before the second read makes the clock late, not early. */
static int64_t first_ahead(const struct timers_options *options)
{
	int64_t now;

	if (options->boot && options->boot == timers_boot())
		return options->ahead;
	now = clock_ns(CLOCK_REALTIME) + options->skew;
	if (now < (int64_t)(options->least * NS_PER_MS))
		now = options->least * NS_PER_MS;
	return now - clock_ns(CLOCK_BOOTTIME);
}

static void side_open(struct side *side, uint32_t clock, uint32_t count)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = clock,
		.flags = WHEEL_SETUP_WORDS,
		.timers = count,
	};
	struct wheel_setup info = { .size = sizeof(info) };
	int err = libwheel_open(&side->wheel, &options);

	if (!err)
		err = libwheel_info(side->wheel, &info);
	if (err == -ENOPROTOOPT)
		fail(EXIT_USAGE, "LIBWHEEL_BACKEND=%s: must be kernel, user or auto",
		     getenv("LIBWHEEL_BACKEND"));
	/* This message contains the advice. */
	if (err == -ENODEV)
		fail(EXIT_FAILED, "%s", libwheel_strerror(err));
	if (err)
		fail(EXIT_FAILED,
		     "cannot open /dev/wheel for %u timers: %s; use LIBWHEEL_BACKEND=user to run without it",
		     count, libwheel_strerror(err));
	side->owners = zeroed(info.timers, sizeof(*side->owners));
	side->free = zeroed(info.timers, sizeof(*side->free));
	side->expired = zeroed(info.timers, sizeof(*side->expired));
}

struct timers *timers_open(const struct timers_options *options)
{
	struct timers *timers = zeroed(1, sizeof(*timers));

	side_open(&timers->sides[CLOCK_QUEUE],
		  options->by_hand ? WHEEL_CLOCK_VIRTUAL : WHEEL_CLOCK_BOOTTIME,
		  options->timers);
	side_open(&timers->sides[CLOCK_WALL],
		  options->by_hand ? WHEEL_CLOCK_VIRTUAL : WHEEL_CLOCK_REALTIME,
		  options->timers);
	if (!options->by_hand)
		timers->ahead = first_ahead(options);
	return timers;
}

void timers_close(struct timers *timers)
{
	int i;

	for (i = 0; i < CLOCKS; i++) {
		libwheel_close(timers->sides[i].wheel);
		free(timers->sides[i].owners);
		free(timers->sides[i].free);
		free(timers->sides[i].expired);
	}
	free(timers);
}

int timers_fd(const struct timers *timers, enum timer_clock clock)
{
	return libwheel_fd(timers->sides[clock].wheel);
}

const char *timers_backend(const struct timers *timers)
{
	return libwheel_backend(timers->sides[CLOCK_QUEUE].wheel) ==
		LIBWHEEL_KERNEL ? "/dev/wheel" : "a wheel in the program";
}

static int64_t ahead(const struct timers *timers, enum timer_clock clock)
{
	return clock == CLOCK_QUEUE ? timers->ahead : 0;
}

static uint64_t now_ns(const struct timers *timers, enum timer_clock clock)
{
	return libwheel_now(timers->sides[clock].wheel) + ahead(timers, clock);
}

uint64_t timers_now(const struct timers *timers, enum timer_clock clock)
{
	return now_ns(timers, clock) / NS_PER_MS;
}

uint64_t timers_now_ceil(const struct timers *timers, enum timer_clock clock)
{
	return (now_ns(timers, clock) + NS_PER_MS - 1) / NS_PER_MS;
}

int64_t timers_ahead(const struct timers *timers)
{
	return timers->ahead;
}

int64_t timers_skew(const struct timers *timers)
{
	uint64_t now = now_ns(timers, CLOCK_QUEUE);

	return now - now_ns(timers, CLOCK_WALL);
}

static uint64_t wheel_time(const struct timers *timers, enum timer_clock clock,
			   uint64_t ms)
{
	int64_t ns = (ms < MOST_MS ? ms : MOST_MS) * NS_PER_MS;
	int64_t when = ns - ahead(timers, clock);

	return when > 0 ? when : 0;
}

static void slot_free(struct side *side, uint32_t slot)
{
	side->free[side->free_count++] = slot;
}

/* Use one more slot. Returns 0 or a negative errno. */
static int slot_add(struct side *side)
{
	int err = libwheel_word(side->wheel, WHEEL_ID(side->used, 1), 0);

	if (!err)
		slot_free(side, side->used++);
	return err;
}

/* The event of a slot was read. Return: its timer, or NULL if it was cancelled. */
static struct timer *slot_expired(struct side *side, uint32_t slot)
{
	struct timer *timer = side->owners[slot];

	libwheel_word_reset(side->wheel, WHEEL_ID(slot, 1));
	slot_free(side, slot);
	side->owners[slot] = NULL;
	if (timer)
		timer->id = 0;
	return timer;
}

static int read_events(struct side *side, struct wheel_event *events)
{
	int count = libwheel_expirations(side->wheel, events, BATCH);

	if (count < 0)
		fail(EXIT_FAILED, "cannot read expired timers: %s", libwheel_strerror(count));
	return count;
}

/* Read all events, which frees the slots of cancelled timers. No callback runs. */
static void collect(struct side *side)
{
	struct wheel_event events[BATCH];
	int count, i;

	do {
		count = read_events(side, events);
		for (i = 0; i < count; i++) {
			uint32_t slot = WHEEL_ID_SLOT(events[i].id);

			if (side->owners[slot])
				side->expired[side->expired_count++] = slot;
			else
				slot_expired(side, slot);
		}
	} while (count == BATCH);
	/* Since they were read, timers may have been cancelled. */
	for (i = side->expired_count; i-- > 0;) {
		uint32_t slot = side->expired[i];

		if (side->owners[slot])
			continue;
		slot_expired(side, slot);
		side->expired[i] = side->expired[--side->expired_count];
	}
}

bool timers_have_room(struct timers *timers, enum timer_clock clock)
{
	struct side *side = &timers->sides[clock];

	while (side->free_count < SPARE && !slot_add(side))
		;
	if (side->free_count < SPARE)
		collect(side);
	return side->free_count >= SPARE;
}

bool timers_have_events(const struct timers *timers, enum timer_clock clock)
{
	return timers->sides[clock].expired_count;
}

/* Take a slot whose word is parked, for a timer. Returns 0 or a negative errno. */
static int slot_take(struct side *side, struct timer *timer)
{
	int err = side->free_count ? 0 : slot_add(side);
	uint32_t slot;

	if (err)
		collect(side);
	if (!side->free_count)
		return err;
	slot = side->free[--side->free_count];
	timer->id = WHEEL_ID(slot, 1);
	side->owners[slot] = timer;
	return 0;
}

/* Detach a timer from its slot. If it has already expired, its event frees the slot. */
static void slot_drop(struct side *side, struct timer *timer)
{
	uint32_t slot = WHEEL_ID_SLOT(timer->id);

	side->owners[slot] = NULL;
	if (!libwheel_word_park(side->wheel, timer->id))
		slot_free(side, slot);
	timer->id = 0;
}

/*
 * Arming a timer needs a system call only for the first use of a slot, and if the timer is due
 * before the kernel's next scan.
 */
void timer_set(struct timers *timers, enum timer_clock clock, struct timer *timer,
	       uint64_t when)
{
	uint64_t deadline = wheel_time(timers, clock, when) ?: 1;
	struct side *side = &timers->sides[clock];
	int err;

	if (timer->id && (timer->clock != clock ||
			  libwheel_word_push(side->wheel, timer->id, deadline)))
		timer_cancel(timers, timer);
	if (timer->id)
		return;
	err = slot_take(side, timer) ?: libwheel_word_arm(side->wheel, timer->id, deadline);
	if (err)
		fail(EXIT_FAILED,
		     "cannot set a timer on %s: %s; raise the limit on locked memory (LimitMEMLOCK=, ulimit -l), or use LIBWHEEL_BACKEND=user",
		     timers_backend(timers), libwheel_strerror(err));
	timer->clock = clock;
}

void timer_cancel(struct timers *timers, struct timer *timer)
{
	if (timer->id)
		slot_drop(&timers->sides[timer->clock], timer);
}

static void run(struct side *side, uint32_t slot)
{
	struct timer *timer = slot_expired(side, slot);

	if (timer)
		timer->expired(timer);
}

bool timers_run(struct timers *timers, enum timer_clock clock, unsigned int budget)
{
	struct side *side = &timers->sides[clock];
	struct wheel_event events[BATCH];
	int count, i;

	while (side->expired_count)
		run(side, side->expired[--side->expired_count]);
	do {
		count = read_events(side, events);
		for (i = 0; i < count; i++)
			run(side, WHEEL_ID_SLOT(events[i].id));
		budget = budget > BATCH ? budget - BATCH : 0;
	} while (count == BATCH && budget);
	return count < BATCH;
}

void timers_advance(struct timers *timers, uint64_t ms)
{
	int i;

	for (i = 0; i < CLOCKS; i++) {
		struct libwheel *wheel = timers->sides[i].wheel;

		libwheel_advance(wheel, libwheel_now(wheel) + ms * NS_PER_MS,
				 NULL);
	}
}
