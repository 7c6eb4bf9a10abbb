/* SPDX-License-Identifier: MIT */
/*
 * What is near lies on a wheel: alarms on two clocks, by libwheel.
 *
 * The queue's clock shows the wall clock's time as it was when the queue was created, plus the
 * elapsed time, suspend included. It is never set. A queue that is opened again in the same
 * boot continues from CLOCK_BOOTTIME. In another boot it continues from the wall clock and the
 * recorded steps of it, and never goes back. All roundings make the clock late, not early.
 */
#ifndef TIMERS_H
#define TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Which clock: the queue's, or the wall's. */
enum timer_clock {
	CLOCK_QUEUE,
	CLOCK_WALL,
	CLOCKS,
};

/**
 * struct timer - something to do at a time
 * @id: of its timer, 0: it is not set
 * @clock: on which it is set
 * @when: ns of the wheel's clock, for which it is set
 * @ring: called when the time has come
 */
struct timer {
	uint64_t id;
	enum timer_clock clock;
	uint64_t when;
	void (*expired)(struct timer *timer);
};

struct timers;

/**
 * struct timers_options - what kind
 * @alarms: at most so many on each clock
 * @boot: the boot in which @ahead was valid, 0: none
 * @ahead: ns that the queue's clock is ahead of CLOCK_BOOTTIME
 * @skew: ns that the queue's clock is ahead of the wall clock; used in another boot
 * @least: ms, the queue's clock begins no earlier in another boot
 * @by_hand: the clocks are moved by timers_advance(), for tests
 */
struct timers_options {
	uint32_t timers;
	uint64_t boot;
	int64_t ahead;
	int64_t skew;
	uint64_t least;
	int by_hand;
};

struct timers *timers_open(const struct timers_options *options);
void timers_close(struct timers *timers);
/* Readable while timers_run() of this clock has something to do. */
int timers_fd(const struct timers *timers, enum timer_clock clock);

/* ms, rounded down; a deadline counts from timers_now_ceil(), rounded up. */
uint64_t timers_now(const struct timers *timers, enum timer_clock clock);
uint64_t timers_now_ceil(const struct timers *timers, enum timer_clock clock);
/* A number for the current boot of the machine; 0 if it is not available. */
uint64_t timers_boot(void);
/* ns that the queue's clock is ahead of CLOCK_BOOTTIME; constant. */
int64_t timers_ahead(const struct timers *timers);
/* ns that the queue's clock is ahead of the wall clock, rounded down. */
int64_t timers_skew(const struct timers *timers);

/* Ring at @when (ms), or at once if that has passed. Set already: move it. */
void timer_set(struct timers *timers, enum timer_clock clock, struct timer *timer,
	      uint64_t when);
void timer_cancel(struct timers *timers, struct timer *timer);
/* Ring what is due on one clock, at most about @budget of it; was that all? */
bool timers_run(struct timers *timers, enum timer_clock clock, unsigned int budget);
/* Both clocks on by @ms. */
void timers_advance(struct timers *timers, uint64_t ms);
const char *timers_backend(const struct timers *timers);

#endif
