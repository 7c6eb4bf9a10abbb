/* SPDX-License-Identifier: MIT */
/*
 * Timers on two clocks, implemented by libwheel.
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

/* The queue's clock, and the wall clock. */
enum timer_clock {
	CLOCK_QUEUE,
	CLOCK_WALL,
	CLOCKS,
};

/**
 * struct timer - a timer
 * @id: id of libwheel, 0: not armed
 * @clock: its clock
 * @expired: callback
 */
struct timer {
	uint64_t id;
	enum timer_clock clock;
	void (*expired)(struct timer *timer);
};

struct timers;

/**
 * struct timers_options - the configuration
 * @timers: limit on the number of timers per clock
 * @boot: the boot in which @ahead was valid, 0: none
 * @ahead: ns that the queue's clock is ahead of CLOCK_BOOTTIME
 * @skew: ns that the queue's clock is ahead of the wall clock; used in another boot
 * @least: ms, least time of the queue's clock in another boot
 * @by_hand: true if tests move the clocks with timers_advance()
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
/* Readable when timers of this clock have expired. */
int timers_fd(const struct timers *timers, enum timer_clock clock);

/* ms, rounded down; timers_now_ceil() is rounded up, for deadlines. */
uint64_t timers_now(const struct timers *timers, enum timer_clock clock);
uint64_t timers_now_ceil(const struct timers *timers, enum timer_clock clock);
/* A number for the current boot of the machine; 0 if it is not available. */
uint64_t timers_boot(void);
/* ns that the queue's clock is ahead of CLOCK_BOOTTIME; constant. */
int64_t timers_ahead(const struct timers *timers);
/* ns that the queue's clock is ahead of the wall clock, rounded down. */
int64_t timers_skew(const struct timers *timers);

/*
 * Return: true if a few more timers can be set on this clock. Otherwise the limit of struct
 * timers_options is reached, or the limit on the memory of the user's timers.
 */
bool timers_have_room(struct timers *timers, enum timer_clock clock);
/* Return: true if timers_run() has something to do even if timers_fd() is not readable. */
bool timers_have_events(const struct timers *timers, enum timer_clock clock);
/* Arm or move a timer; it expires at @when (ms), or immediately if that has passed. */
void timer_set(struct timers *timers, enum timer_clock clock, struct timer *timer,
	       uint64_t when);
void timer_cancel(struct timers *timers, struct timer *timer);
/* Run about @budget expired timers of a clock. Return: false if more have expired. */
bool timers_run(struct timers *timers, enum timer_clock clock, unsigned int budget);
/* Advance both clocks. */
void timers_advance(struct timers *timers, uint64_t ms);
const char *timers_backend(const struct timers *timers);

#endif
