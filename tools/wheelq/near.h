/* SPDX-License-Identifier: MIT */
/*
 * What is near lies on a wheel: alarms on two clocks, by libwheel.
 *
 * The queue's clock shows the wall clock's time as it was when the queue was created, plus the
 * elapsed time, suspend included. It is never set. A queue that is opened again in the same
 * boot continues from CLOCK_BOOTTIME. In another boot it continues from the wall clock and the
 * recorded steps of it, and never goes back. All roundings make the clock late, not early.
 */
#ifndef NEAR_H
#define NEAR_H

#include <stdbool.h>
#include <stdint.h>

/* Which clock: the queue's, or the wall's. */
enum near_clock {
	NEAR_QUEUE,
	NEAR_WALL,
	NEAR_CLOCKS,
};

/**
 * struct alarm - something to do at a time
 * @id: of its timer, 0: it is not set
 * @clock: on which it is set
 * @when: ns of the wheel's clock, for which it is set
 * @ring: called when the time has come
 */
struct alarm {
	uint64_t id;
	enum near_clock clock;
	uint64_t when;
	void (*ring)(struct alarm *alarm);
};

struct near;

/**
 * struct near_options - what kind
 * @alarms: at most so many on each clock
 * @boot: the boot in which @ahead was valid, 0: none
 * @ahead: ns that the queue's clock is ahead of CLOCK_BOOTTIME
 * @skew: ns that the queue's clock is ahead of the wall clock; used in another boot
 * @least: ms, the queue's clock begins no earlier in another boot
 * @by_hand: the clocks are moved by near_advance(), for tests
 */
struct near_options {
	uint32_t alarms;
	uint64_t boot;
	int64_t ahead;
	int64_t skew;
	uint64_t least;
	int by_hand;
};

struct near *near_open(const struct near_options *options);
void near_close(struct near *near);
/* Readable while near_run() of this clock has something to do. */
int near_fd(const struct near *near, enum near_clock clock);

/* ms, rounded down; a deadline counts from near_after(), rounded up. */
uint64_t near_now(const struct near *near, enum near_clock clock);
uint64_t near_after(const struct near *near, enum near_clock clock);
/* A number for the current boot of the machine; 0 if it is not available. */
uint64_t near_boot(void);
/* ns that the queue's clock is ahead of CLOCK_BOOTTIME; constant. */
int64_t near_ahead(const struct near *near);
/* ns that the queue's clock is ahead of the wall clock, rounded down. */
int64_t near_skew(const struct near *near);

/* Ring at @when (ms), or at once if that has passed. Set already: move it. */
void near_set(struct near *near, enum near_clock clock, struct alarm *alarm,
	      uint64_t when);
void near_clear(struct near *near, struct alarm *alarm);
/* Ring what is due on one clock, at most about @budget of it; was that all? */
bool near_run(struct near *near, enum near_clock clock, unsigned int budget);
/* Both clocks on by @ms. */
void near_advance(struct near *near, uint64_t ms);
const char *near_backend(const struct near *near);

#endif
