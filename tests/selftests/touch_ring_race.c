// SPDX-License-Identifier: GPL-2.0
/*
 * Touch words and a completion ring under load: the program's successful exchanges, the
 * events of the ring and the kernel's counters must agree.
 */
#include <kselftest_harness.h>
#include <pthread.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	64
#define ENTRIES	16
#define CLOCK	WHEEL_CLOCK_MONOTONIC
#define CHURNS	2

/* The history of a slot. The churn threads update @parks and @revives. */
struct account {
	__u64 gen, fired_gen;
	__u64 armed, events, cancels, listed;
	__u64 parks, revives;
};

struct storm {
	struct wt_loop loop;
	__u64 seed;
	struct account accounts[TIMERS];
	bool done;
	/* Invalid events; all events. */
	__u64 wrong, taken;
};

struct churn {
	struct storm *storm;
	__u64 seed;
	pthread_t thread;
};

static bool is_done(struct storm *s)
{
	return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static void count(__u64 *n, bool won)
{
	if (won)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* Touch, park and revive random timers, and count the successful parks and revives. */
static void *churn(void *arg)
{
	struct churn *c = arg;
	struct storm *s = c->storm;

	while (!is_done(s)) {
		__u32 slot = wt_below(&c->seed, TIMERS);
		__u64 *word = &s->loop.words[slot];
		__u64 when = wt_now(CLOCK) +
			wt_below(&c->seed, 300 * WT_US);

		switch (wt_below(&c->seed, 4)) {
		case 0:
			count(&s->accounts[slot].parks, wt_park(word));
			break;
		case 1:
			count(&s->accounts[slot].revives, wt_revive(word, when));
			break;
		default:
			wt_touch(word, when);
		}
	}
	return NULL;
}

/* Each generation expires at most once and never early, and the ring skips no event. */
static void take_events(struct storm *s, __u32 most)
{
	__u32 n = wt_loop_ready(&s->loop);
	__u64 now = wt_now(CLOCK);

	for (n = n < most ? n : most; n; n--) {
		const struct wheel_event *e = wt_loop_next(&s->loop);
		struct account *a = &s->accounts[WHEEL_ID_SLOT(e->id) % TIMERS];
		__u64 gen = WHEEL_ID_GEN(e->id);

		s->wrong += WHEEL_ID_SLOT(e->id) >= TIMERS ||
			gen <= a->fired_gen || gen > a->gen ||
			e->deadline > e->fired || e->fired > now ||
			e->seq != s->loop.head || e->cookie != ~e->id;
		a->fired_gen = gen;
		a->events++;
		s->taken++;
		wt_loop_take(&s->loop, 1);
	}
}

/* Arm some consecutive slots. Busy slots do not change. */
static bool arm_some(struct storm *s)
{
	__u32 from = wt_below(&s->seed, TIMERS - ENTRIES), i;
	__u64 when = wt_now(CLOCK) +
		wt_below(&s->seed, 300 * WT_US);
	struct wheel_op ops[ENTRIES];

	for (i = 0; i < ENTRIES; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM,
			       WHEEL_ID(from + i, s->accounts[from + i].gen + 1),
			       when);
		ops[i].flags = WHEEL_OP_TOUCH;
	}
	if (wt_batch(s->loop.ring.fd, ops, ENTRIES))
		return false;
	for (i = 0; i < ENTRIES; i++) {
		if (ops[i].res == -EBUSY)
			continue;
		if (ops[i].res)
			return false;
		s->accounts[from + i].gen++;
		s->accounts[from + i].armed++;
	}
	return true;
}

static bool cancel_one(struct storm *s)
{
	__u32 slot = wt_below(&s->seed, TIMERS);
	struct account *a = &s->accounts[slot];
	int ret = a->gen ? wt_cancel(s->loop.ring.fd, WHEEL_ID(slot, a->gen)) : -ENOENT;

	a->cancels += !ret;
	return !ret || ret == -ENOENT;
}

static bool rearm_one(struct storm *s)
{
	__u32 slot = wt_below(&s->seed, TIMERS);
	__u64 id = WHEEL_ID(slot, s->accounts[slot].gen);
	int ret = wt_rearm(s->loop.ring.fd, id, wt_now(CLOCK) +
			   wt_below(&s->seed, 200 * WT_US));

	return !ret || ret == -ENOENT || ret == -EBUSY;
}

/* One random action of an event loop, most often taking events. */
static bool turn(struct storm *s)
{
	switch (wt_below(&s->seed, 16)) {
	case 0:
		return cancel_one(s);
	case 1:
		return rearm_one(s);
	case 2:
		return !wt_loop_enter(&s->loop, 0, 0);
	case 3:
		return !wt_loop_enter(&s->loop, 1 + wt_below(&s->seed, 4),
			      wt_now(CLOCK) + 200 * WT_US);
	case 4 ... 7:
		return arm_some(s);
	default:
		take_events(s, 1 + wt_below(&s->seed, ENTRIES));
		return !wt_loop_backlog(&s->loop) || !wt_loop_enter(&s->loop, 0, 0);
	}
}

/* After STOP, take events until ENTER fails. */
static int take_rest(struct storm *s)
{
	int ret;

	while (!(ret = wt_loop_enter(&s->loop, 1, WT_FOREVER)))
		take_events(s, ENTRIES);
	return ret;
}

static int count_listed(struct storm *s)
{
	struct wheel_list list = { .cursor = 0 };
	struct wheel_op timers[TIMERS];
	__u32 i;
	int ret;

	ret = wt_list(s->loop.ring.fd, WHEEL_LIST_TAKE, timers, TIMERS, &list);
	for (i = 0; !ret && i < list.done; i++)
		s->accounts[WHEEL_ID_SLOT(timers[i].id)].listed++;
	return ret ?: (int)list.done;
}

/*
 * Each armed timer expired, was cancelled with CANCEL, was parked and not revived, or was
 * listed after STOP. Returns the number of slots whose history does not add up, and the
 * total of all slots in @sum.
 */
static int settle(const struct storm *s, struct account *sum)
{
	int i, uneven = 0;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < TIMERS; i++) {
		const struct account *a = &s->accounts[i];

		uneven += a->armed != a->events + a->cancels + a->listed +
			a->parks - a->revives;
		uneven += wt_word(&s->loop.words[i]) != WT_OFF;
		sum->armed += a->armed;
		sum->events += a->events;
		sum->cancels += a->cancels + a->listed + a->parks - a->revives;
		sum->parks += a->parks;
		sum->revives += a->revives;
	}
	return uneven;
}

FIXTURE(storm) {
	struct storm storm;
	struct churn churns[CHURNS];
	struct account sum;
	struct wheel_stats stats;
	__u64 unfired;
};

FIXTURE_VARIANT(storm) {
	__u32 scheme;
};

FIXTURE_VARIANT_ADD(storm, hashed) { .scheme = WHEEL_HASHED };
FIXTURE_VARIANT_ADD(storm, hierarchical) { .scheme = WHEEL_HIERARCHICAL };

FIXTURE_SETUP(storm)
{
	self->storm.seed = wt_seed();
}

FIXTURE_TEARDOWN(storm)
{
}

static bool storm_begin(struct storm *s, struct churn *churns, __u32 scheme)
{
	struct wheel_setup setup = {
		.clock = CLOCK, .scheme = scheme, .tick_ns = WHEEL_MIN_TICK_NS,
		.timers = TIMERS, .events = ENTRIES,
	};
	int i;

	s->taken = 0;
	s->done = false;
	memset(s->accounts, 0, sizeof(s->accounts));
	if (!wt_loop_open(&s->loop, &setup))
		return false;
	for (i = 0; i < CHURNS; i++) {
		churns[i].storm = s;
		churns[i].seed = wt_random(&s->seed);
		if (pthread_create(&churns[i].thread, NULL, churn, &churns[i]))
			return false;
	}
	return true;
}

static void storm_end(struct storm *s, struct churn *churns)
{
	int i;

	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	for (i = 0; i < CHURNS; i++)
		pthread_join(churns[i].thread, NULL);
}

WT_TEST(storm, p3_exactly_once_and_p11_exact_counters)
{
	struct storm *s = &self->storm;
	__u64 events = 0, deferred = 0;
	int round, listed;

	for (round = 0; round < 10; round++) {
		ASSERT_TRUE(storm_begin(s, self->churns, variant->scheme));
		while (s->taken < 2000)
			ASSERT_TRUE(turn(s));
		ASSERT_EQ(0, wt_stop(s->loop.ring.fd, &self->unfired));
		ASSERT_EQ(-ESHUTDOWN, take_rest(s));
		storm_end(s, self->churns);
		listed = count_listed(s);
		ASSERT_EQ(self->unfired, listed);
		EXPECT_EQ(0, s->wrong);
		EXPECT_EQ(0, settle(s, &self->sum));
		ASSERT_EQ(0, wt_stats(s->loop.ring.fd, &self->stats));
		EXPECT_TRUE(wt_balanced(&self->stats));
		ASSERT_EQ(self->sum.armed, self->stats.armed);
		ASSERT_EQ(self->sum.events, self->stats.fired);
		ASSERT_EQ(self->sum.cancels, self->stats.cancelled);
		EXPECT_EQ(0, self->stats.pending);
		EXPECT_EQ(0, self->stats.unread);
		EXPECT_FALSE(wt_loop_backlog(&s->loop));
		events += self->sum.events;
		deferred += self->stats.deferred;
		wt_loop_unmap(&s->loop);
		close(s->loop.ring.fd);
	}
	TH_LOG("%llu events, %llu deferrals; in the last round %llu parked, %llu revived",
	       events, deferred, self->sum.parks, self->sum.revives);
}

/* The mappings of words and ring remain after close(). Writing to them has no effect. */
WT_TEST(storm, p10_leaves_no_trace_when_it_is_closed)
{
	struct storm *s = &self->storm;
	long refs = wt_module_refs();
	int round;

	for (round = 0; round < 20; round++) {
		ASSERT_TRUE(storm_begin(s, self->churns, variant->scheme));
		while (s->taken < 100)
			ASSERT_TRUE(turn(s));
		ASSERT_EQ(0, close(s->loop.ring.fd));
		take_events(s, ENTRIES);
		EXPECT_EQ(0, s->wrong);
		storm_end(s, self->churns);
		wt_loop_unmap(&s->loop);
		ASSERT_EQ(refs, wt_module_refs());
	}
}

TEST_HARNESS_MAIN
