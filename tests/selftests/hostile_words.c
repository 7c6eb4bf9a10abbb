// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile program writes arbitrary values to its words as fast as it can, and uses its
 * wheel at the same time. Only its own timers are affected: the wheel of another program
 * keeps all guarantees.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	512
#define ROUNDS	8
#define OPS	1000
#define CALLERS	2
#define WRITERS	2

/* A wheel whose words are overwritten. */
struct victim {
	int fd;
	__u64 *words;
	__u64 base;
	__u32 clock;
	__u32 callers;
};

struct vandal {
	struct victim *victim;
	pthread_t thread;
	__u64 seed;
	int wrong;
};

static __u64 now_of(const struct victim *v)
{
	return v->clock == WHEEL_CLOCK_VIRTUAL ?
		__atomic_load_n(&v->base, __ATOMIC_RELAXED) : wt_now(v->clock);
}

/* Invalid values, and values that make the kernel requeue the timer. */
static __u64 any_word(const struct victim *v, __u64 *seed)
{
	switch (wt_below(seed, 8)) {
	case 0:
		return WT_PARKED;
	case 1:
		return WT_OFF;
	case 2:
		return wt_random(seed);
	case 3:
		return WHEEL_MAX_TIME - wt_below(seed, 2);
	case 4:
		return WT_OFF | wt_random(seed);
	case 5:
		return wt_below(seed, 1000);
	default:
		return now_of(v) + wt_below(seed, 300 * WT_US);
	}
}

/* Write until the last caller has ended. */
static void *write_on(void *arg)
{
	struct vandal *me = arg;
	struct victim *v = me->victim;
	__u64 word, i;

	while (__atomic_load_n(&v->callers, __ATOMIC_ACQUIRE)) {
		word = any_word(v, &me->seed);
		for (i = 0; i < TIMERS; i++)
			wt_scribble(&v->words[i], word + (i & 1));
	}
	return NULL;
}

static struct wheel_op any_op(const struct victim *v, __u64 *seed, __u64 gen)
{
	__u32 verb = WHEEL_OP_ARM + wt_below(seed, 5) % 4;
	struct wheel_op op;

	/* Generations increase slowly, so the callers use the same ids. */
	op = wt_op(verb, WHEEL_ID(wt_below(seed, TIMERS),
				  1 + gen - wt_below(seed, 2)),
		   verb == WHEEL_OP_CANCEL ? 0 : now_of(v) + wt_below(seed, 300 * WT_US));
	if (verb == WHEEL_OP_ARM && wt_below(seed, 8))
		op.flags = WHEEL_OP_WORD;
	if (verb <= WHEEL_OP_REARM && !wt_below(seed, 16))
		op.slack = wt_below(seed, WT_MS);
	return op;
}

/* An undocumented result, or 0. */
static int strange(const struct wheel_op *op)
{
	switch (op->res) {
	case 0:
	case -EBUSY:
	case -ENOENT:
	case -ESTALE:
	case -ERANGE:
		return 0;
	default:
		return op->res;
	}
}

static int call(struct vandal *me, __u64 gen)
{
	struct victim *v = me->victim;
	struct wheel_event events[32];
	struct wheel_list list = {};
	struct wheel_op ops[32];
	struct wheel_stats stats;
	int i;

	switch (wt_below(&me->seed, 8)) {
	case 0:
		return wt_list(v->fd, 0, ops, 32, &list);
	case 1:
		/* The counters are consistent at any time. */
		return wt_stats(v->fd, &stats) || !wt_balanced(&stats);
	case 2:
		i = wt_read(v->fd, events, 32);
		return i < 0 && i != -EAGAIN;
	case 3:
		if (v->clock != WHEEL_CLOCK_VIRTUAL)
			return 0;
		__atomic_fetch_add(&v->base, 100 * WT_US, __ATOMIC_RELAXED);
		return wt_advance(v->fd, now_of(v), NULL) == WT_LIES;
	}
	for (i = 0; i < 32; i++)
		ops[i] = any_op(v, &me->seed, gen);
	if (wt_batch(v->fd, ops, 32))
		return __LINE__;
	for (i = 0; i < 32; i++) {
		if (strange(&ops[i]))
			return ops[i].res;
	}
	return 0;
}

static void *call_on(void *arg)
{
	struct vandal *me = arg;
	int i;

	for (i = 0; i < OPS && !me->wrong; i++)
		me->wrong = call(me, i / 20);
	__atomic_fetch_sub(&me->victim->callers, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Check that each armed timer expired or was cancelled. Returns a line number or 0. */
static int settle(struct victim *v)
{
	struct wheel_event event;
	struct wheel_stats stats;
	__u64 unfired, unread = 0;

	if (wt_stop(v->fd, &unfired) || wt_stats(v->fd, &stats))
		return __LINE__;
	if (!wt_balanced(&stats) || stats.pending)
		return __LINE__;
	while (wt_read(v->fd, &event, 1) == 1)
		unread++;
	return unread == stats.unread ? 0 : __LINE__;
}

static int mistreat(__u32 clock, __u32 scheme, __u64 *seed)
{
	struct wheel_setup setup = {
		.clock = clock, .scheme = scheme, .timers = TIMERS,
		.tick_ns = WHEEL_MIN_TICK_NS, .flags = WHEEL_SETUP_WORDS,
	};
	struct vandal vandals[CALLERS + WRITERS] = {};
	struct victim v = { .clock = clock, .callers = CALLERS };
	int i, wrong = 0;

	v.fd = wt_open_setup(O_NONBLOCK, &setup);
	v.words = v.fd < 0 ? NULL : wt_map(v.fd, TIMERS);
	if (!v.words)
		return __LINE__;
	for (i = 0; i < CALLERS + WRITERS; i++) {
		vandals[i].victim = &v;
		vandals[i].seed = wt_random(seed);
		if (pthread_create(&vandals[i].thread, NULL,
				   i < CALLERS ? call_on : write_on,
				   &vandals[i]))
			return __LINE__;
	}
	for (i = 0; i < CALLERS + WRITERS; i++) {
		pthread_join(vandals[i].thread, NULL);
		wrong = wrong ?: vandals[i].wrong;
	}
	wrong = wrong ?: settle(&v);
	wt_unmap(v.words, TIMERS);
	close(v.fd);
	return wrong;
}

FIXTURE(neighbour) {
	int fd;
	__u64 *words;
	__u64 seed;
	__u64 rounds;
	struct wheel_stats stats;
	struct wheel_event events[TIMERS];
};

FIXTURE_SETUP(neighbour)
{
	self->seed = wt_seed();
	self->fd = wt_open_clock_words(WHEEL_CLOCK_MONOTONIC, TIMERS,
				       WHEEL_MIN_TICK_NS);
	ASSERT_LE(0, self->fd);
	self->words = wt_map(self->fd, TIMERS);
	ASSERT_NE(NULL, self->words);
}

FIXTURE_TEARDOWN(neighbour)
{
	close(self->fd);
}

/* A quarter of the timers is pushed and a quarter parked. Returns the line of a violation or 0. */
static int live(int fd, __u64 *words, struct wheel_event *events, __u64 gen)
{
	__u64 now = wt_now(WHEEL_CLOCK_MONOTONIC), parked = 0, whens[TIMERS];
	int i, n, got, seen[TIMERS] = {};

	for (i = 0; i < TIMERS; i++) {
		whens[i] = now + WT_MS + i * WT_US;
		if (wt_arm_word(fd, WHEEL_ID(i, gen), whens[i]))
			return __LINE__;
		if (i % 4 == 3 && wt_park(&words[i]))
			seen[i] = ++parked > 0;
		else if (i % 2 && wt_push(&words[i], whens[i] + WT_MS))
			whens[i] += WT_MS;
	}
	for (got = parked; got < TIMERS; got += n) {
		n = wt_read(fd, events, TIMERS);
		now = wt_now(WHEEL_CLOCK_MONOTONIC);
		if (n <= 0)
			return __LINE__;
		for (i = 0; i < n; i++) {
			__u32 slot = WHEEL_ID_SLOT(events[i].id);

			if (events[i].id != WHEEL_ID(slot, gen) ||
			    events[i].deadline != whens[slot] ||
			    events[i].deadline > events[i].fired ||
			    events[i].fired > now || seen[slot]++)
				return __LINE__;
		}
	}
	for (i = 0; i < TIMERS; i++)
		if (wt_cancel(fd, WHEEL_ID(i, gen)) != -ENOENT)
			return __LINE__;
	return 0;
}

static int vandalize(__u64 seed)
{
	static const __u32 clocks[] = {
		WHEEL_CLOCK_MONOTONIC, WHEEL_CLOCK_VIRTUAL,
	};
	int i, wrong = 0;

	for (i = 0; i < ROUNDS && !wrong; i++)
		wrong = mistreat(clocks[i / 4 % 2], i % 4, &seed);
	if (wrong)
		printf("# round %d: %d\n", i, wrong);
	return !!wrong;
}

WT_TEST(neighbour, lives_on)
{
	int status = -1;
	pid_t pid, gone;

	pid = fork();
	if (!pid)
		_exit(vandalize(self->seed));
	do {
		self->rounds++;
		ASSERT_EQ(0, live(self->fd, self->words, self->events,
				  self->rounds));
		gone = waitpid(pid, &status, WNOHANG);
	} while (!gone);
	ASSERT_EQ(pid, gone);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
	EXPECT_EQ(self->rounds * TIMERS, self->stats.armed);
	TH_LOG("%llu rounds of the neighbour", self->rounds);
}

TEST_HARNESS_MAIN
