/* SPDX-License-Identifier: MIT */
/*
 * Races of two threads, one of which is the test, for timers. The winner is undetermined, but
 * exactly one of them must win.
 */
#ifndef LIBWHEEL_TEST_RACE_H
#define LIBWHEEL_TEST_RACE_H

#include <pthread.h>

#include "test.h"

#define TIMERS	256
#define ROUNDS	60

/**
 * struct race - two threads that start together, in each round
 * @wheel: the wheel
 * @barrier: barrier at the beginning and end of a round
 * @over: true if there are no more rounds
 * @state: state of the thread's random numbers
 * @gen: number of the round, from 1
 * @start: time of the round
 * @busy: the thread is running
 * @run: function that the thread runs in a round
 * @deadline: races for words: value of each word that the thread expects; 0: parked
 * @gone: races for words: true if an operation of the thread has returned -ENOENT
 * @answer: return value of the thread's operation on each slot
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
 * @events: number of events
 * @deadline: deadline of the last one
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
