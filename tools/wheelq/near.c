// SPDX-License-Identifier: MIT
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libwheel.h>

#include "fail.h"

#define NS_A_MS		1000000ULL
/* 146 years: sums of two such times do not overflow. */
#define FAR_MS		(WHEEL_MAX_TIME / 2 / NS_A_MS)
#define BITE		256

/**
 * struct side - one clock
 * @wheel: its alarms
 * @owners: by slot, the alarm that is set there
 */
struct side {
	struct libwheel *wheel;
	struct alarm **owners;
};

/**
 * struct near - both clocks
 * @sides: of each clock
 * @ahead: ns, the queue's clock less the wheel's
 */
struct near {
	struct side sides[NEAR_CLOCKS];
	int64_t ahead;
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

uint64_t near_boot(void)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int high = 0, low = 0;

	if (!file)
		return 0;
	/* Its first 12 digits are random. */
	if (fscanf(file, "%8x-%4x", &high, &low) != 2)
		high = low = 0;
	fclose(file);
	return (uint64_t)high << 16 | low;
}

/* The first clock is read first: time that passes until the second is read makes it late. */
static int64_t first_ahead(const struct near_options *options)
{
	int64_t now;

	if (options->boot && options->boot == near_boot())
		return options->ahead;
	now = clock_ns(CLOCK_REALTIME) + options->skew;
	if (now < (int64_t)(options->least * NS_A_MS))
		now = options->least * NS_A_MS;
	return now - clock_ns(CLOCK_BOOTTIME);
}

static void side_open(struct side *side, uint32_t clock, uint32_t alarms)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = clock,
		.flags = WHEEL_SETUP_ANY_SLOT | WHEEL_SETUP_TOUCH,
		/* A clock that is set needs a wheel that can be turned to a time. */
		.scheme = clock == WHEEL_CLOCK_REALTIME ? WHEEL_HASHED :
							  WHEEL_HIERARCHICAL,
		.timers = alarms,
	};
	struct wheel_setup info = { .size = sizeof(info) };
	int err = libwheel_open(&side->wheel, &options);

	if (!err)
		err = libwheel_info(side->wheel, &info);
	if (err)
		fail(EXIT_FAILED,
		     "cannot open /dev/wheel for %u alarms: %s; LIBWHEEL_BACKEND=user does without it",
		     alarms, strerror(-err));
	side->owners = zeroed(info.timers, sizeof(*side->owners));
}

struct near *near_open(const struct near_options *options)
{
	struct near *near = zeroed(1, sizeof(*near));

	side_open(&near->sides[NEAR_QUEUE],
		  options->by_hand ? WHEEL_CLOCK_VIRTUAL : WHEEL_CLOCK_BOOTTIME,
		  options->alarms);
	side_open(&near->sides[NEAR_WALL],
		  options->by_hand ? WHEEL_CLOCK_VIRTUAL : WHEEL_CLOCK_REALTIME,
		  options->alarms);
	if (!options->by_hand)
		near->ahead = first_ahead(options);
	return near;
}

void near_close(struct near *near)
{
	int i;

	for (i = 0; i < NEAR_CLOCKS; i++) {
		libwheel_close(near->sides[i].wheel);
		free(near->sides[i].owners);
	}
	free(near);
}

int near_fd(const struct near *near, enum near_clock clock)
{
	return libwheel_fd(near->sides[clock].wheel);
}

const char *near_backend(const struct near *near)
{
	return libwheel_backend(near->sides[NEAR_QUEUE].wheel) ==
		LIBWHEEL_KERNEL ? "/dev/wheel" : "a wheel in the program";
}

static int64_t ahead(const struct near *near, enum near_clock clock)
{
	return clock == NEAR_QUEUE ? near->ahead : 0;
}

static uint64_t now_ns(const struct near *near, enum near_clock clock)
{
	return libwheel_now(near->sides[clock].wheel) + ahead(near, clock);
}

uint64_t near_now(const struct near *near, enum near_clock clock)
{
	return now_ns(near, clock) / NS_A_MS;
}

uint64_t near_after(const struct near *near, enum near_clock clock)
{
	return (now_ns(near, clock) + NS_A_MS - 1) / NS_A_MS;
}

int64_t near_ahead(const struct near *near)
{
	return near->ahead;
}

int64_t near_skew(const struct near *near)
{
	uint64_t now = now_ns(near, NEAR_QUEUE);

	return now - now_ns(near, NEAR_WALL);
}

static uint64_t wheel_time(const struct near *near, enum near_clock clock,
			   uint64_t ms)
{
	int64_t ns = (ms < FAR_MS ? ms : FAR_MS) * NS_A_MS;
	int64_t when = ns - ahead(near, clock);

	return when > 0 ? when : 0;
}

/* An alarm that is moved to a later time takes no call. */
static bool moved(struct side *side, struct alarm *alarm, uint64_t when)
{
	if (when < alarm->when ||
	    libwheel_touch(side->wheel, alarm->id, when))
		return false;
	alarm->when = when;
	return true;
}

void near_set(struct near *near, enum near_clock clock, struct alarm *alarm,
	      uint64_t when)
{
	struct side *side = &near->sides[clock];
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .flags = WHEEL_OP_TOUCH,
		.when = wheel_time(near, clock, when) ?: 1,
	};
	int err;

	if (alarm->id && alarm->clock == clock && moved(side, alarm, op.when))
		return;
	near_clear(near, alarm);
	err = libwheel_do(side->wheel, &op);
	if (err)
		fail(EXIT_FAILED,
		     "cannot set an alarm on %s: %s; raise the limit of locked memory (LimitMEMLOCK=, ulimit -l), or LIBWHEEL_BACKEND=user does without",
		     near_backend(near), strerror(-err));
	alarm->id = op.id;
	alarm->clock = clock;
	alarm->when = op.when;
	side->owners[WHEEL_ID_SLOT(op.id)] = alarm;
}

void near_clear(struct near *near, struct alarm *alarm)
{
	struct side *side = &near->sides[alarm->clock];

	if (!alarm->id)
		return;
	/* It may have fired: then its event finds nobody. */
	libwheel_cancel(side->wheel, alarm->id);
	if (side->owners[WHEEL_ID_SLOT(alarm->id)] == alarm)
		side->owners[WHEEL_ID_SLOT(alarm->id)] = NULL;
	alarm->id = 0;
}

static void ring(struct side *side, const struct wheel_event *event)
{
	struct alarm *alarm = side->owners[WHEEL_ID_SLOT(event->id)];

	if (!alarm || alarm->id != event->id)
		return;
	alarm->id = 0;
	side->owners[WHEEL_ID_SLOT(event->id)] = NULL;
	alarm->ring(alarm);
}

bool near_run(struct near *near, enum near_clock clock, unsigned int budget)
{
	struct side *side = &near->sides[clock];
	struct wheel_event events[BITE];
	int count, i;

	do {
		count = libwheel_expirations(side->wheel, events, BITE);
		if (count < 0)
			fail(EXIT_FAILED, "the wheel: %s", strerror(-count));
		for (i = 0; i < count; i++)
			ring(side, &events[i]);
		budget = budget > BITE ? budget - BITE : 0;
	} while (count == BITE && budget);
	return count < BITE;
}

void near_advance(struct near *near, uint64_t ms)
{
	int i;

	for (i = 0; i < NEAR_CLOCKS; i++) {
		struct libwheel *wheel = near->sides[i].wheel;

		libwheel_advance(wheel, libwheel_now(wheel) + ms * NS_A_MS,
				 NULL);
	}
}
