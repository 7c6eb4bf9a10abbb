// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of timers with a word. Two programs arm, move and cancel their own timers at random,
 * and arm them again after they have fired, while the clock advances. Atomic operations of the
 * programs and the wheel are delayed at random. The events are compared with the operations.
 *
 * A timer is late if it fires after the tick of its deadline and after the first tick that
 * follows the return of the function that armed it. The clock advances with the wheel locked,
 * so a pass itself is never late.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../splitmix64.h"
#include "machine.h"
#include "tests.h"

#define TICK		((__u64)WHEEL_MIN_TICK_NS)
#define STEP_NS		(TICK / 4)
#define TIMERS		8192
#define SLOTS		96
#define PROGRAMS	2
#define OPERATIONS	4000000
/* Number of ticks after which an overdue timer is lost. */
#define LOST		60

/* State of a timer, as recorded by its program. */
enum state { PARKED, ARMED, FIRED };

/**
 * struct timer - timer of one program
 * @id: timer id
 * @state: state, as recorded by the program
 * @deadline: deadline set last
 * @said: time when the function that set @deadline returned
 * @event: event from the thread that takes all events; valid only if @full is set
 * @full: true if the program has not processed @event
 */
struct timer {
	__u64 id;
	enum state state;
	__u64 deadline;
	__u64 said;
	struct wheel_event event;
	bool full;
};

/**
 * struct program - thread that owns timers
 * @number: index of the program
 * @thread: its thread
 * @random: state of the random number generator
 * @left: number of remaining operations
 * @wrong: message of the first error
 */
struct program {
	__u32 number;
	pthread_t thread;
	__u64 random;
	__u64 left;
	const char *wrong;
};

static struct libwheel *wheel;
static struct timer timers[SLOTS];
static struct program programs[PROGRAMS];
static __thread __u64 delays;

/* Delay some atomic operations by a random time, so that other threads get ahead. */
void step(void)
{
	__u64 r, turns;

	/* This thread is not to be delayed. */
	if (!delays)
		return;
	r = splitmix64(&delays);
	if (r % 24)
		return;
	if (r / 24 % 4 == 0)
		sched_yield();
	else
		for (turns = r / 256 % (r >> 20 & 31 ? 400 : 20000); turns; turns--)
			__asm__ __volatile__("");
}

static void wrong(struct program *p, const char *what, const struct timer *t)
{
	if (p->wrong)
		return;
	p->wrong = what;
	printf("# slot %u: %s\n", WHEEL_ID_SLOT(t->id), what);
}

/* Most deadlines are near. Some have passed, and some are far ahead. */
static __u64 any_deadline(struct program *p)
{
	__u64 r = splitmix64(&p->random), now = machine_now();

	if (r % 16 == 0)
		return now - r / 16 % (3 * TICK);
	if (r % 16 == 1)
		return now + 40 * TICK + r / 16 % (400 * TICK);
	return now + r / 16 % (30 * TICK);
}

static void arm(struct program *p, struct timer *t,
		int (*how)(struct libwheel *wheel, uint64_t id, uint64_t deadline))
{
	t->deadline = any_deadline(p);
	t->state = ARMED;
	if (how(wheel, t->id, t->deadline))
		wrong(p, "could not be armed", t);
	t->said = machine_now();
}

static __u64 tick_of(__u64 time)
{
	return (time + TICK - 1) / TICK;
}

/* Check the event, then arm or park the timer. */
static void take(struct program *p, struct timer *t)
{
	__u64 due = tick_of(t->deadline);

	if (due < t->said / TICK + 1)
		due = t->said / TICK + 1;
	if (t->state == PARKED)
		wrong(p, "fired though it was cancelled", t);
	else if (t->event.deadline != t->deadline)
		wrong(p, "fired for another deadline", t);
	else if (t->event.fired < t->deadline)
		wrong(p, "fired early", t);
	else if (t->event.fired / TICK > due)
		wrong(p, "fired late", t);
	__atomic_store_n(&t->full, false, __ATOMIC_RELEASE);
	if (splitmix64(&p->random) % 2) {
		arm(p, t, libwheel_word_restart);
		return;
	}
	t->state = PARKED;
	if (libwheel_word_reset(wheel, t->id))
		wrong(p, "could not be parked", t);
}

/* Park or move the timer. If it has already fired, its event will be processed later. */
static void change(struct program *p, struct timer *t)
{
	__u64 old = t->deadline;
	int err;

	if (splitmix64(&p->random) % 3 == 0) {
		err = libwheel_word_park(wheel, t->id);
		if (!err)
			t->state = PARKED;
	} else {
		t->deadline = any_deadline(p);
		err = libwheel_word_arm(wheel, t->id, t->deadline);
		if (!err)
			t->said = machine_now();
		else
			t->deadline = old;
	}
	if (err)
		t->state = FIRED;
	if (err && err != -ENOENT)
		wrong(p, "could not be changed", t);
}

static bool overdue(const struct timer *t)
{
	__u64 due = t->deadline > t->said ? t->deadline : t->said;

	return machine_now() > due + LOST * TICK;
}

static void operate(struct program *p, struct timer *t)
{
	if (__atomic_load_n(&t->full, __ATOMIC_ACQUIRE))
		take(p, t);
	else if (t->state == PARKED)
		arm(p, t, libwheel_word_arm);
	else if (t->state == ARMED && splitmix64(&p->random) % 4)
		change(p, t);
	else if (overdue(t) && !__atomic_load_n(&t->full, __ATOMIC_ACQUIRE) &&
		 __atomic_load_n(&wheel->words[WHEEL_ID_SLOT(t->id)],
				 __ATOMIC_ACQUIRE) == t->deadline)
		wrong(p, "never fires", t);
}

static void *program_run(void *arg)
{
	struct program *p = arg;

	delays = p->random;
	while (!p->wrong && __atomic_load_n(&p->left, __ATOMIC_RELAXED)) {
		__u32 nr = splitmix64(&p->random) % (SLOTS / PROGRAMS);

		operate(p, &timers[nr * PROGRAMS + p->number]);
		__atomic_fetch_sub(&p->left, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&p->left, 0, __ATOMIC_RELAXED);
	return NULL;
}

static void hand_over(const struct wheel_event *event)
{
	struct timer *t = &timers[event->cookie];

	if (__atomic_load_n(&t->full, __ATOMIC_ACQUIRE)) {
		wrong(&programs[event->cookie % PROGRAMS], "fired twice", t);
		return;
	}
	t->event = *event;
	__atomic_store_n(&t->full, true, __ATOMIC_RELEASE);
}

/* Advance the clock, and pass new events to the programs. */
static void turn(void)
{
	struct wheel_event events[SLOTS];
	int i, n;

	machine_pass_within(STEP_NS);
	n = libwheel_expirations(wheel, events, SLOTS);
	for (i = 0; i < n; i++)
		hand_over(&events[i]);
}

static bool anybody_runs(void)
{
	int i;

	for (i = 0; i < PROGRAMS; i++)
		if (__atomic_load_n(&programs[i].left, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* Wait until all armed timers have fired, and check that none is lost. */
static void settle(void)
{
	__u64 end = machine_now() + 600 * TICK;
	int i;

	while (machine_now() < end)
		turn();
	for (i = 0; i < SLOTS; i++) {
		struct program *p = &programs[i % PROGRAMS];
		struct timer *t = &timers[i];

		if (t->full)
			take(p, t);
		else if (t->state != PARKED)
			wrong(p, "never fired", t);
	}
	for (i = 0; i < PROGRAMS; i++)
		if (programs[i].wrong)
			ktap_fail(programs[i].wrong);
}

/* Spread the slots over the doorbells and their summary. */
static __u32 slot_of(int i)
{
	return (i < SLOTS / 2 ? i : TIMERS - SLOTS + i) % TIMERS;
}

static void begin(__u32 scheme, __u64 seed)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER,
		.flags = WHEEL_SETUP_WORDS, .scheme = scheme, .timers = TIMERS,
		.tick_ns = TICK,
	};
	int i;

	if (libwheel_open(&wheel, &options))
		ktap_fail("cannot open a wheel");
	memset(timers, 0, sizeof(timers));
	for (i = 0; i < SLOTS; i++) {
		uint64_t id = WHEEL_ID(slot_of(i), 1);

		if (libwheel_word(wheel, id, i))
			ktap_fail("cannot create a timer with a word");
		timers[i].id = id;
	}
	for (i = 0; i < PROGRAMS; i++)
		programs[i] = (struct program){
			.number = i, .random = seed + i,
			.left = env_number("OPS", OPERATIONS) / PROGRAMS,
		};
	delays = seed;
}

static void torture(__u32 scheme)
{
	int i;

	begin(scheme, test_seed());
	for (i = 0; i < PROGRAMS; i++)
		if (pthread_create(&programs[i].thread, NULL, program_run,
				   &programs[i]))
			ktap_fail("cannot create a thread");
	while (anybody_runs())
		turn();
	for (i = 0; i < PROGRAMS; i++)
		pthread_join(programs[i].thread, NULL);
	settle();
	libwheel_close(wheel);
}

static void words_none_early_late_or_lost(void)
{
	torture(WHEEL_HIERARCHICAL);
}

static void words_none_early_late_or_lost_bounded(void)
{
	torture(WHEEL_BOUNDED);
}

const struct ktap_test torture_tests[] = {
	{ "words_none_early_late_or_lost", words_none_early_late_or_lost },
	{ "words_none_early_late_or_lost_bounded",
	  words_none_early_late_or_lost_bounded },
	{ NULL, NULL }
};
