// SPDX-License-Identifier: GPL-2.0
/*
 * Guarantees that rely on compare-and-swap while the clock runs: P1, P4 and P9 of words. The
 * random test of libwheel (tests/words) covers words that threads arm and park.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	256
#define CLOCK	WHEEL_CLOCK_MONOTONIC
#define TICK	WHEEL_MIN_TICK_NS

/* State of a slot, updated by the threads that change its word. */
struct account {
	__u64 floor;
	__u64 parked;
};

struct storm {
	int fd;
	__u64 *words;
	__u64 seed;
	bool done;
	pthread_t thread;
	__u64 pushed;
	struct account accounts[TIMERS];
};

FIXTURE(wheel) {
	struct storm storm;
	struct wheel_stats stats;
	struct wheel_event events[64];
};

FIXTURE_SETUP(wheel)
{
	self->storm.seed = wt_seed();
	self->storm.fd = wt_open_clock_words(CLOCK, TIMERS, TICK);
	ASSERT_LE(0, self->storm.fd);
	self->storm.words = wt_map(self->storm.fd, TIMERS);
	ASSERT_NE(NULL, self->storm.words);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->storm.fd);
}

static bool is_done(struct storm *s)
{
	return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static void finish(struct storm *s)
{
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
}

static int arm_all(struct storm *s, __u64 gen, __u64 span)
{
	__u64 now = wt_now(CLOCK);
	struct wheel_op ops[TIMERS];
	int i;

	for (i = 0; i < TIMERS; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen),
			       now + wt_below(&s->seed, span));
		ops[i].flags = WHEEL_OP_WORD;
	}
	if (wt_batch(s->fd, ops, TIMERS))
		return -1;
	for (i = 0; i < TIMERS; i++)
		if (ops[i].res)
			return ops[i].res;
	return 0;
}

/*
 * Each new deadline is later than all previous ones. A floor that was read before the event
 * arrived is therefore never above the event's deadline.
 */
static void *push_on(void *arg)
{
	struct storm *s = arg;
	__u64 when, slot;

	while (!is_done(s)) {
		slot = wt_below(&s->seed, TIMERS);
		when = wt_now(CLOCK) + wt_below(&s->seed, 500 * WT_US);
		if (when <= s->accounts[slot].floor)
			continue;
		if (!wt_push(&s->words[slot], when))
			continue;
		__atomic_store_n(&s->accounts[slot].floor, when,
				 __ATOMIC_RELEASE);
		s->pushed++;
	}
	return NULL;
}

/* Events are checked with the clock of the thread that reads them. */
WT_TEST(wheel, p1_never_early_under_pushes)
{
	struct storm *s = &self->storm;
	__u64 now, floors[TIMERS], gen = 1, fired = 0;
	int i, n;

	ASSERT_EQ(0, arm_all(s, gen, WT_MS));
	ASSERT_EQ(0, pthread_create(&s->thread, NULL, push_on, s));
	while (fired < 20000) {
		for (i = 0; i < TIMERS; i++)
			floors[i] = __atomic_load_n(&s->accounts[i].floor,
						    __ATOMIC_ACQUIRE);
		n = wt_read(s->fd, self->events, 64);
		now = wt_now(CLOCK);
		ASSERT_LT(0, n);
		for (i = 0; i < n; i++) {
			struct wheel_event *e = &self->events[i];
			__u32 slot = WHEEL_ID_SLOT(e->id);

			ASSERT_GT(TIMERS, slot);
			ASSERT_LE(e->deadline, e->fired);
			ASSERT_LE(e->fired, now);
			/* A push that succeeded before read() takes effect. */
			ASSERT_LE(floors[slot], now);
			ASSERT_EQ(-ENOENT, wt_cancel(s->fd, e->id));
			gen = WHEEL_ID_GEN(e->id) + 1;
			ASSERT_EQ(0, wt_arm_word(s->fd, WHEEL_ID(slot, gen),
						 now + wt_below(&s->seed, WT_MS)));
		}
		fired += n;
	}
	finish(s);
	ASSERT_EQ(0, pthread_join(s->thread, NULL));
	ASSERT_EQ(0, wt_stats(s->fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
	TH_LOG("%llu events, %llu pushes", fired, s->pushed);
}

/* Park each timer within 20 us of its expiry, and count the parks that succeed. */
static void park_at_expiry(struct storm *s)
{
	__u64 word;
	int i;

	for (i = 0; i < TIMERS; i++) {
		word = wt_word(&s->words[i]);
		if (!word || word & WT_OFF)
			continue;
		/* Up to 20 us before and after the tick. */
		word = wt_boundary(word, TICK) - 20 * WT_US;
		word += wt_below(&s->seed, 40 * WT_US);
		while (wt_now(CLOCK) < word)
			continue;
		s->accounts[i].parked += wt_park(&s->words[i]);
	}
}

/* Count the events per slot until no timer is pending. */
static int count_events(struct storm *s, int *events)
{
	struct wheel_event got[64];
	struct wheel_stats stats;
	int i, n;

	for (;;) {
		if (wt_stats(s->fd, &stats) || !wt_balanced(&stats))
			return -1;
		if (!stats.pending && !stats.unread)
			return 0;
		/* A parked timer ends without an event, so read() must not block. */
		if (wt_quiet(s->fd)) {
			wt_let_pass(TICK);
			continue;
		}
		n = wt_read(s->fd, got, 64);
		for (i = 0; i < n; i++)
			events[WHEEL_ID_SLOT(got[i].id)]++;
	}
}

WT_TEST(wheel, p4_park_is_decisive)
{
	struct storm *s = &self->storm;
	int events[TIMERS], i, parked = 0;
	__u64 gen;

	ASSERT_EQ(0, fcntl(s->fd, F_SETFL, O_NONBLOCK));
	for (gen = 1; gen <= 40; gen++) {
		memset(events, 0, sizeof(events));
		memset(s->accounts, 0, sizeof(s->accounts));
		ASSERT_EQ(0, arm_all(s, gen, 5 * WT_MS));
		park_at_expiry(s);
		ASSERT_EQ(0, count_events(s, events));
		for (i = 0; i < TIMERS; i++) {
			ASSERT_EQ(1, s->accounts[i].parked + events[i]);
			ASSERT_EQ(events[i] ? WT_OFF : WT_PARKED, wt_word(&s->words[i]));
			ASSERT_EQ(-ENOENT, wt_cancel(s->fd, WHEEL_ID(i, gen)));
			parked += s->accounts[i].parked;
		}
	}
	ASSERT_EQ(0, wt_stats(s->fd, &self->stats));
	EXPECT_EQ(parked, self->stats.cancelled);
	EXPECT_EQ(40 * TIMERS - parked, self->stats.fired);
	TH_LOG("%d of %d parked", parked, 40 * TIMERS);
}

TEST_HARNESS_MAIN
