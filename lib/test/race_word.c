// SPDX-License-Identifier: MIT
/*
 * Races of words with the expiry, and with operations of other threads.
 */
#include <sched.h>

#include "race.h"

static void arm_slot(struct race *race, int slot, __u64 deadline)
{
	race->gone[slot] = false;
	race->deadline[slot] = deadline;
	EXPECT_EQ(0, arm_word(race->wheel, WHEEL_ID(slot, race->gen), deadline));
}

/* Push, park and arm at random, and record the results. */
static void change_all(struct race *race)
{
	int i;

	for (i = 0; i < 20 * TIMERS; i++) {
		__u32 slot = random_below(&race->state, TIMERS);
		__u64 *deadline = &race->deadline[slot];
		__u64 later = *deadline + random_below(&race->state, 20 * MS);
		int ret;

		if (race->gone[slot])
			continue;
		if (!*deadline) {
			later = race->gen * SEC + random_below(&race->state, SEC);
			ret = libwheel_word_arm(race->wheel, slot, later);
		} else if (random_below(&race->state, 3)) {
			ret = libwheel_word_push(race->wheel, slot, later);
		} else {
			ret = libwheel_word_park(race->wheel, slot);
			later = 0;
		}
		if (!ret)
			*deadline = later;
		else
			race->gone[slot] = true;
		NEED(!ret || ret == -ENOENT);
	}
}

/* The event must have the last deadline. A deadline in a later round is cancelled. */
static void end_slot(struct race *race, const struct caught *caught, int slot)
{
	int ret = libwheel_cancel(race->wheel, WHEEL_ID(slot, race->gen));
	__u64 deadline = race->deadline[slot];
	int events = caught->events[slot];

	NEED(events <= 1);
	NEED(ret == (deadline && !events ? 0 : -ENOENT));
	NEED(!race->gone[slot] || events || !deadline);
	NEED(!events || (deadline && deadline == caught->deadline[slot]));
}

/*
 * One thread advances the clock, another one pushes, parks and arms the timers. The last
 * operation on each timer decides: one event with the deadline that it set, or none if it parked
 * the timer.
 */
static void p4_words_against_the_clock(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_words(TIMERS), change_all);
	int i, step;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		__u64 start = race.gen * SEC;
		struct caught caught = { 0 };

		EXPECT_EQ(0, advance(race.wheel, start));
		for (i = 0; i < TIMERS; i++)
			arm_slot(&race, i, start + MS + i % 50 * MS);
		pthread_barrier_wait(&race.barrier);
		for (step = 0; step < 100; step++) {
			EXPECT_EQ(0, advance(race.wheel, start + step * MS));
			race_catch(&race, &caught);
		}
		pthread_barrier_wait(&race.barrier);
		EXPECT_EQ(0, advance(race.wheel, start + SEC - 1));
		race_catch(&race, &caught);
		for (i = 0; i < TIMERS; i++)
			end_slot(&race, &caught, i);
		EXPECT_EQ(0, balanced_stats(race.wheel).pending);
	}
	race_end(&race, thread);
}

/*
 * Push all timers repeatedly, with deadlines within the tick at which they are due, until all
 * have fired.
 */
static void push_within_tick(struct race *race)
{
	int left = TIMERS;
	__u64 turn = 0;
	int i;

	while (left) {
		turn++;
		for (i = TIMERS - 1; i >= 0; i--) {
			__u64 to = race->start - turn % US;

			if (race->gone[i])
				continue;
			race->gone[i] = libwheel_word_push(race->wheel, i, to);
			left -= race->gone[i];
			if (!race->gone[i])
				race->deadline[i] = to;
		}
		__atomic_store_n(&race->busy, true, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&race->busy, false, __ATOMIC_RELEASE);
}

static bool is_busy(const struct race *race)
{
	return __atomic_load_n(&race->busy, __ATOMIC_ACQUIRE);
}

/*
 * The deadline of the event is that of the last push that returned 0. A pass that loses the race
 * too often requeues the timer for the next tick.
 */
static void p4_push_to_the_last_moment(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_words(TIMERS),
				      push_within_tick);
	__u64 now = 0;
	int i;

	for (race.gen = 1; race.gen <= 4 * ROUNDS; race.gen++) {
		struct caught caught = { 0 };

		race.start = now + MS;
		for (i = 0; i < TIMERS; i++)
			arm_slot(&race, i, race.start);
		pthread_barrier_wait(&race.barrier);
		while (!is_busy(&race))
			sched_yield();
		for (now = race.start; is_busy(&race); now += MS)
			EXPECT_EQ(0, advance(race.wheel, now));
		pthread_barrier_wait(&race.barrier);
		race_catch(&race, &caught);
		for (i = 0; i < TIMERS; i++)
			NEED(caught.events[i] == 1 &&
			     EXPECT_EQ(race.deadline[i], caught.deadline[i]) &&
			     libwheel_cancel(race.wheel, WHEEL_ID(i, race.gen)) == -ENOENT);
	}
	race_end(&race, thread);
}

static void park_all(struct race *race)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		race->answer[i] = libwheel_word_park(race->wheel, i);
}

/* Exactly one of the two operations returns 0. */
static void p4_park_against_cancel(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_words(TIMERS), park_all);
	int i;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		for (i = 0; i < TIMERS; i++)
			arm_slot(&race, i, HOUR);
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++)
			race.gone[i] = !libwheel_cancel(race.wheel,
						WHEEL_ID(i, race.gen));
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++)
			NEED(race.gone[i] == !!race.answer[i]);
		EXPECT_EQ(race.gen * TIMERS,
			  balanced_stats(race.wheel).cancelled);
	}
	race_end(&race, thread);
}

#define MANY	65536

/**
 * struct watch - a thread that reads the counters while another one advances the clock
 * @wheel: common wheel
 * @began: true once the thread reads
 * @partial: true if it has found a part of the timers queued
 */
struct watch {
	struct libwheel *wheel;
	bool began;
	bool partial;
};

static void *watch_thread(void *arg)
{
	struct watch *watch = arg;
	__u64 pending;

	do {
		pending = balanced_stats(watch->wheel).pending;
		watch->partial |= pending && pending < MANY;
		__atomic_store_n(&watch->began, true, __ATOMIC_RELAXED);
	} while (pending < MANY);
	return NULL;
}

/* Arm many timers by their words, and advance. Returns true if another thread interrupted this. */
static bool advance_is_interrupted(void)
{
	struct watch watch = { .wheel = open_words(MANY) };
	pthread_t thread;
	int i;

	for (i = 0; i < MANY; i++) {
		NEED(!libwheel_word(watch.wheel, WHEEL_ID(i, 1), i));
		NEED(!libwheel_word_arm(watch.wheel, WHEEL_ID(i, 1), HOUR));
	}
	NEED(!pthread_create(&thread, NULL, watch_thread, &watch));
	while (!__atomic_load_n(&watch.began, __ATOMIC_RELAXED))
		sched_yield();
	EXPECT_EQ(0, advance(watch.wheel, MS));
	pthread_join(thread, NULL);
	libwheel_close(watch.wheel);
	return watch.partial;
}

/* The lock is released while timers are queued. A thread may read the counters too late. */
static void advance_lets_others_in(void)
{
	int rounds = 100;

	while (rounds && !advance_is_interrupted())
		rounds--;
	EXPECT(rounds);
}

const struct ktap_test race_word_tests[] = {
	TEST(p4_words_against_the_clock),
	TEST(p4_push_to_the_last_moment),
	TEST(p4_park_against_cancel),
	TEST(advance_lets_others_in),
	{ NULL, NULL }
};
