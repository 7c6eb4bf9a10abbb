/* SPDX-License-Identifier: MIT */
/*
 * Two threads, of which one is the test, race for timers: who wins is open, that
 * one of them wins is not.
 */
#ifndef LIBWHEEL_TEST_RACE_H
#define LIBWHEEL_TEST_RACE_H

#include <pthread.h>

#include "test.h"

#define TIMERS	256
#define ROUNDS	60

/**
 * struct race - two threads that start together, round by round
 * @wheel: what they race for
 * @barrier: where they meet
 * @over: no more rounds
 * @state: the thread's random numbers
 * @gen: the round, from 1
 * @start: the time of the round
 * @busy: the thread is at it
 * @run: what the thread does in a round
 * @deadline: touch races: what the thread knows each word to be; 0: parked
 * @gone: touch races: the thread was told that it is not armed
 * @answer: what the thread was told of each slot
 */
struct race {
	struct libwheel *wheel;
	pthread_barrier_t barrier;
	bool over;
	__u64 state;
	__u64 gen;
	__u64 start;
	bool busy;
	void (*run)(struct race *race);
	__u64 deadline[TIMERS];
	bool gone[TIMERS];
	int answer[TIMERS];
};

/**
 * struct caught - the events of a round, by slot
 * @events: how many
 * @deadline: of the last one
 */
struct caught {
	int events[TIMERS];
	__u64 deadline[TIMERS];
};

pthread_t race_begin(struct race *race, struct libwheel *wheel,
		     void (*run)(struct race *race));
void race_end(struct race *race, pthread_t thread);

/* Take all events, and check that they are of this round. */
void race_catch(struct race *race, struct caught *caught);

#endif
