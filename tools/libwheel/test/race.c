// SPDX-License-Identifier: MIT
/*
 * Threads: who wins is open, that one of them wins is not.
 */
#include <pthread.h>
#include <sched.h>

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

static void *race_thread(void *arg)
{
	struct race *race = arg;

	for (;;) {
		pthread_barrier_wait(&race->barrier);
		if (race->over)
			return NULL;
		race->run(race);
		pthread_barrier_wait(&race->barrier);
	}
}

static pthread_t race_begin(struct race *race, struct libwheel *wheel,
			    void (*run)(struct race *race))
{
	pthread_t thread;

	race->wheel = wheel;
	race->run = run;
	race->state = test_seed();
	NEED(!pthread_barrier_init(&race->barrier, NULL, 2));
	NEED(!pthread_create(&thread, NULL, race_thread, race));
	return thread;
}

static void race_end(struct race *race, pthread_t thread)
{
	race->over = true;
	pthread_barrier_wait(&race->barrier);
	pthread_join(thread, NULL);
	libwheel_close(race->wheel);
}

/* Takes all events: counts them by slot, checks that they are of this round. */
static void take_all(struct race *race, int *events, __u64 *deadlines)
{
	struct wheel_event event;

	while (libwheel_expirations(race->wheel, &event, 1) == 1) {
		__u32 slot = WHEEL_ID_SLOT(event.id);

		NEED(slot < TIMERS && event.id == WHEEL_ID(slot, race->gen));
		events[slot]++;
		if (deadlines)
			deadlines[slot] = event.deadline;
	}
}

static void cancel_all(struct race *race)
{
	__u32 slot = random_below(&race->state, TIMERS);
	int i;

	for (i = 0; i < TIMERS; i++, slot = (slot + 77) % TIMERS)
		race->answer[slot] = libwheel_cancel(race->wheel,
						     WHEEL_ID(slot, race->gen));
}

/* Cancelled or delivered, and never both. */
static void p4_cancel_against_the_clock(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_virtual(TIMERS), cancel_all);
	__u64 now = 0;
	int i, step;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		int events[TIMERS] = { 0 };

		for (i = 0; i < TIMERS; i++)
			EXPECT_EQ(0, arm(race.wheel, WHEEL_ID(i, race.gen),
					 now + i % 50 * MS));
		pthread_barrier_wait(&race.barrier);
		for (step = 0; step < 51; step++, now += MS)
			EXPECT_EQ(0, advance(race.wheel, now));
		pthread_barrier_wait(&race.barrier);
		take_all(&race, events, NULL);
		for (i = 0; i < TIMERS; i++)
			NEED(race.answer[i] ? race.answer[i] == -ENOENT &&
			     events[i] == 1 : !events[i]);
		balanced_stats(race.wheel);
	}
	race_end(&race, thread);
}

static void p4_cancel_against_another(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_virtual(TIMERS), cancel_all);
	int i;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		int mine[TIMERS];

		for (i = 0; i < TIMERS; i++)
			EXPECT_EQ(0, arm(race.wheel, WHEEL_ID(i, race.gen),
					 HOUR));
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++)
			mine[i] = libwheel_cancel(race.wheel,
						  WHEEL_ID(i, race.gen));
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++)
			NEED(mine[i] + race.answer[i] == -ENOENT &&
			     (!mine[i] || !race.answer[i]));
	}
	race_end(&race, thread);
}

/* Touch, park and revive at random, and keep account of what was answered. */
static void touch_all(struct race *race)
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
			ret = libwheel_revive(race->wheel, slot, later);
		} else if (random_below(&race->state, 3)) {
			ret = libwheel_touch(race->wheel, slot, later);
		} else {
			ret = libwheel_park(race->wheel, slot);
			later = 0;
		}
		if (!ret)
			*deadline = later;
		else
			race->gone[slot] = true;
		NEED(!ret || ret == -ENOENT);
	}
}

/*
 * One thread moves the clock over the timers, another touches, parks and revives
 * them. What it was last told is what comes: one event with the deadline that it
 * set, or, for what it parked, none.
 */
static void p4_touch_against_the_clock(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_touch(TIMERS), touch_all);
	int i, step;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		__u64 start = race.gen * SEC;
		__u64 deadlines[TIMERS] = { 0 };
		int events[TIMERS] = { 0 };

		EXPECT_EQ(0, advance(race.wheel, start));
		for (i = 0; i < TIMERS; i++) {
			race.gone[i] = false;
			race.deadline[i] = start + MS + i % 50 * MS;
			EXPECT_EQ(0, arm_touch(race.wheel,
					       WHEEL_ID(i, race.gen),
					       race.deadline[i]));
		}
		pthread_barrier_wait(&race.barrier);
		for (step = 0; step < 100; step++) {
			EXPECT_EQ(0, advance(race.wheel, start + step * MS));
			take_all(&race, events, deadlines);
		}
		pthread_barrier_wait(&race.barrier);
		EXPECT_EQ(0, advance(race.wheel, start + SEC - 1));
		take_all(&race, events, deadlines);
		/* What was touched beyond this round is ended. */
		for (i = 0; i < TIMERS; i++) {
			int ret = libwheel_cancel(race.wheel,
						  WHEEL_ID(i, race.gen));

			if (race.deadline[i] && !events[i])
				NEED(!ret);
			else
				NEED(ret == -ENOENT);
			NEED(!race.gone[i] || events[i] || !race.deadline[i]);
			NEED(events[i] <= 1);
			NEED(!events[i] || (race.deadline[i] &&
					    race.deadline[i] == deadlines[i]));
		}
		EXPECT_EQ(0, balanced_stats(race.wheel).pending);
	}
	race_end(&race, thread);
}

/*
 * Touch all, over and over, within the tick that they are due at, until all have
 * fired.
 */
static void touch_within_tick(struct race *race)
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
			race->gone[i] = libwheel_touch(race->wheel, i, to);
			left -= race->gone[i];
			if (!race->gone[i])
				race->deadline[i] = to;
		}
		__atomic_store_n(&race->busy, true, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&race->busy, false, __ATOMIC_RELEASE);
}

/*
 * The deadline of the event is the last one that was answered 0. A pass that loses
 * too often looks at the timer a tick later.
 */
static void p4_touch_to_the_last_moment(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_touch(TIMERS),
				      touch_within_tick);
	__u64 now = 0;
	int i;

	for (race.gen = 1; race.gen <= 8 * ROUNDS; race.gen++) {
		__u64 deadlines[TIMERS] = { 0 };
		int events[TIMERS] = { 0 };

		race.start = now + MS;
		for (i = 0; i < TIMERS; i++) {
			race.gone[i] = false;
			race.deadline[i] = race.start;
			EXPECT_EQ(0, arm_touch(race.wheel,
					       WHEEL_ID(i, race.gen),
					       race.deadline[i]));
		}
		pthread_barrier_wait(&race.barrier);
		while (!__atomic_load_n(&race.busy, __ATOMIC_ACQUIRE))
			sched_yield();
		for (now = race.start; __atomic_load_n(&race.busy,
						       __ATOMIC_ACQUIRE);
		     now += MS)
			EXPECT_EQ(0, advance(race.wheel, now));
		pthread_barrier_wait(&race.barrier);
		take_all(&race, events, deadlines);
		for (i = 0; i < TIMERS; i++)
			NEED(events[i] == 1 &&
			     EXPECT_EQ(race.deadline[i], deadlines[i]));
	}
	race_end(&race, thread);
}

static void park_all(struct race *race)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		race->answer[i] = libwheel_park(race->wheel, i);
}

/* One of them is told 0, whoever. */
static void p4_park_against_cancel(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_touch(TIMERS), park_all);
	int i;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		for (i = 0; i < TIMERS; i++)
			EXPECT_EQ(0, arm_touch(race.wheel,
					       WHEEL_ID(i, race.gen), HOUR));
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

static void revive_all(struct race *race)
{
	int i;

	for (i = 0; i < TIMERS; i++)
		race->answer[i] = libwheel_revive(race->wheel, i, 2 * HOUR);
}

/* A parked slot is either revived or taken by the next generation. */
static void p4_revive_against_arm(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_touch(TIMERS), revive_all);
	int i;

	for (race.gen = 1; race.gen <= 8 * ROUNDS; race.gen += 2) {
		for (i = 0; i < TIMERS; i++) {
			EXPECT_EQ(0, arm_touch(race.wheel,
					       WHEEL_ID(i, race.gen), HOUR));
			EXPECT_EQ(0, libwheel_park(race.wheel, i));
		}
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++)
			race.gone[i] = !arm_touch(race.wheel,
						  WHEEL_ID(i, race.gen + 1),
						  3 * HOUR);
		pthread_barrier_wait(&race.barrier);
		for (i = 0; i < TIMERS; i++) {
			bool armed = race.gone[i];
			__u64 id = WHEEL_ID(i, race.gen + armed);

			NEED(armed == !!race.answer[i]);
			EXPECT_EQ(0, libwheel_cancel(race.wheel, id));
		}
	}
	race_end(&race, thread);
}

/**
 * struct crowd - threads that all arm, cancel and take
 * @wheel: one for all
 * @number: of the thread, which has slots of its own
 * @armed: what it did
 * @cancelled: what it was told
 * @taken: what it got
 */
struct crowd {
	struct libwheel *wheel;
	int number;
	__u64 armed;
	__u64 cancelled;
	__u64 taken;
};

static void *crowd_thread(void *arg)
{
	struct crowd *crowd = arg;
	__u64 state = test_seed() + crowd->number;
	struct wheel_event events[16];
	__u64 gen;

	for (gen = 1; gen <= 3000; gen++) {
		__u32 slot = crowd->number * 64 + random_below(&state, 64);
		int n;

		crowd->armed += !arm(crowd->wheel, WHEEL_ID(slot, gen),
				     libwheel_now(crowd->wheel) +
				     random_below(&state, 2 * MS));
		if (random_below(&state, 2))
			crowd->cancelled += !libwheel_cancel(crowd->wheel,
						WHEEL_ID(slot, gen));
		n = libwheel_expirations(crowd->wheel, events, 16);
		NEED(n >= 0);
		crowd->taken += n;
	}
	return NULL;
}

/* The ledgers of all threads together are the wheel's counters. */
static void p11_counters_of_many_threads(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	struct crowd sum = { 0 };
	struct crowd crowd[4];
	pthread_t threads[4];
	struct wheel_stats stats;
	struct wheel_event event;
	int i;

	for (i = 0; i < 4; i++) {
		crowd[i] = (struct crowd){ .wheel = wheel, .number = i };
		NEED(!pthread_create(&threads[i], NULL, crowd_thread,
				     &crowd[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		sum.armed += crowd[i].armed;
		sum.cancelled += crowd[i].cancelled;
		sum.taken += crowd[i].taken;
	}
	/* An event that fired may be on its way, and not count as unread yet. */
	for (;;) {
		stats = balanced_stats(wheel);
		if (!stats.pending && sum.taken >= stats.fired)
			break;
		NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
		sum.taken++;
	}
	EXPECT_EQ(sum.armed, stats.armed);
	EXPECT_EQ(sum.cancelled, stats.cancelled);
	EXPECT_EQ(sum.taken, stats.fired);
	libwheel_close(wheel);
}

static void *wait_thread(void *wheel)
{
	struct wheel_event event;
	long ret;

	do {
		ret = libwheel_wait(wheel, &event, 1, -1);
	} while (ret > 0);
	return (void *)ret;
}

/* Who waits is told when a timer is armed elsewhere, and when all is over. */
static void wait_in_a_thread(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	pthread_t threads[3];
	void *ret;
	int i;

	for (i = 0; i < 3; i++)
		NEED(!pthread_create(&threads[i], NULL, wait_thread, wheel));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(i, 1),
				 libwheel_now(wheel) + i % 5 * 100 * US));
	while (balanced_stats(wheel).pending || balanced_stats(wheel).unread)
		;
	EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], &ret);
		EXPECT_EQ(-ESHUTDOWN, (long)ret);
	}
	libwheel_close(wheel);
}

const struct test race_tests[] = {
	TEST(p4_cancel_against_the_clock),
	TEST(p4_cancel_against_another),
	TEST(p4_touch_against_the_clock),
	TEST(p4_touch_to_the_last_moment),
	TEST(p4_park_against_cancel),
	TEST(p4_revive_against_arm),
	TEST(p11_counters_of_many_threads),
	TEST(wait_in_a_thread),
	{ NULL, NULL }
};
