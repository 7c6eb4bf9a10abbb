// SPDX-License-Identifier: GPL-2.0
/*
 * Words with settable clocks. A deadline refers to the clock at the time of expiry,
 * regardless of who wrote the word and of steps of the clock since then. The tests set the
 * system clock and restore it. Set the environment variable WHEEL_KEEP_CLOCK to skip them.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	256
#define TICK	WT_MS
/* One bucket per tick for 8 s: a bounded wheel can hold all deadlines. */
#define SLOTS	8192
/* Far enough ahead that a test finishes its steps before the deadline. */
#define SOON	(6 * WT_SEC)
#define SLOT	1
#define ID	WHEEL_ID(SLOT, 1)

/* A settable clock, its offset from the correct time, and the latest time it has shown. */
struct hands {
	__u32 clock;
	__s64 shifted;
	__u64 latest;
};

/* The last word that the program wrote, and the number of events. */
struct entry {
	__u64 word;
	unsigned int events;
};

FIXTURE(wheel) {
	struct wt_areas areas;
	int fd;
	__u64 *words;
	struct hands hands;
	__u64 seed;
	struct wheel_event event;
	struct wheel_stats stats;
	struct entry ledger[TIMERS];
};

FIXTURE_VARIANT(wheel) {
	__u32 clock;
	__u32 scheme;
};

FIXTURE_VARIANT_ADD(wheel, realtime) { .clock = WHEEL_CLOCK_REALTIME, .scheme = WHEEL_HASHED };

FIXTURE_VARIANT_ADD(wheel, realtime_bounded) {
	.clock = WHEEL_CLOCK_REALTIME, .scheme = WHEEL_BOUNDED,
};

FIXTURE_VARIANT_ADD(wheel, tai) { .clock = WHEEL_CLOCK_TAI, .scheme = WHEEL_HASHED };
FIXTURE_VARIANT_ADD(wheel, tai_bounded) { .clock = WHEEL_CLOCK_TAI, .scheme = WHEEL_BOUNDED };

static __u64 look(struct hands *hands)
{
	__u64 now = wt_now(hands->clock);

	if (now > hands->latest)
		hands->latest = now;
	return now;
}

/* The clock runs while it is set. CLOCK_MONOTONIC limits the latest time it has shown. */
static int step(struct hands *hands, __s64 ns)
{
	__u64 begun = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u64 last = look(hands);
	int ret = wt_set_clock(ns);

	if (ret)
		return ret;
	hands->shifted += ns;
	last += wt_now(WHEEL_CLOCK_MONOTONIC) - begun;
	if (last > hands->latest)
		hands->latest = last;
	look(hands);
	return 0;
}

FIXTURE_SETUP(wheel)
{
	struct wheel_setup setup = {
		.clock = variant->clock, .scheme = variant->scheme, .tick_ns = TICK,
		.timers = TIMERS, .buckets = SLOTS,
	};

	self->hands.clock = variant->clock;
	if (step(&self->hands, 0))
		SKIP(return, "no permission to set the clock");
	self->seed = wt_seed();
	ASSERT_TRUE(wt_areas_open(&self->areas, &setup));
	self->fd = self->areas.fd;
	self->words = self->areas.words;
}

FIXTURE_TEARDOWN(wheel)
{
	step(&self->hands, -self->hands.shifted);
	wt_areas_close(&self->areas);
}

/* Re-armed after a step back, the timer expires at its deadline by the new time. */
WT_TEST(wheel, p2_bounded_late_rearmed_after_a_step_back)
{
	__u64 when = look(&self->hands) + SOON;

	ASSERT_EQ(0, wt_arm_word(self->fd, ID, when));
	ASSERT_TRUE(wt_park(&self->words[SLOT]));
	ASSERT_EQ(0, step(&self->hands, -(__s64)WT_HOUR));
	when = look(&self->hands) + 50 * WT_MS;
	ASSERT_TRUE(wt_unpark(&self->words[SLOT], when));
	ASSERT_EQ(0, wt_rearm(self->fd, ID, when));
	ASSERT_EQ(1, wt_next(self->fd, &self->event));
	EXPECT_LE(when, look(&self->hands));
	EXPECT_EQ(when, self->event.deadline);
	EXPECT_LE(when, self->event.fired);
}

static int arm_all(int fd, __u64 gen, struct hands *hands, __u64 *seed,
		   struct entry *ledger)
{
	__u64 now = look(hands);
	struct wheel_op ops[TIMERS];
	int i;

	for (i = 0; i < TIMERS; i++) {
		ledger[i] = (struct entry){ now + wt_below(seed, 2 * WT_SEC), 0 };
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen), ledger[i].word);
		ops[i].flags = WHEEL_OP_WORD;
	}
	if (wt_batch(fd, ops, TIMERS))
		return -1;
	for (i = 0; i < TIMERS; i++)
		if (ops[i].res)
			return ops[i].res;
	return 0;
}

/* Change the word, unless the kernel has changed it first. */
static void change(struct wt_areas *areas, __u32 slot, struct entry *entry, __u64 when, bool park)
{
	__u64 to = entry->word == WT_PARKED || !park ? when : WT_PARKED;

	if (wt_set_word(areas, slot, entry->word, to) >= 0)
		entry->word = to;
}

/* Returns the number of events that are early or do not match the last word. */
static int take_events(int fd, struct hands *hands, __u64 gen,
		       struct entry *ledger)
{
	struct wheel_event events[64];
	int i, n = wt_read(fd, events, 64), wrong = 0;
	__u64 latest;

	look(hands);
	latest = hands->latest;
	for (i = 0; i < n; i++) {
		struct entry *entry = &ledger[WHEEL_ID_SLOT(events[i].id)];

		entry->events++;
		wrong += WHEEL_ID_GEN(events[i].id) != gen ||
			events[i].deadline != entry->word ||
			events[i].deadline > events[i].fired ||
			events[i].fired > latest;
	}
	return wrong;
}

/* Take events until no timer is pending and all events have been read. */
static int drain(int fd, struct hands *hands, __u64 gen, struct entry *ledger)
{
	struct wheel_stats stats;
	int wrong = 0;

	do {
		wt_let_pass(TICK);
		wrong += take_events(fd, hands, gen, ledger);
		if (wt_stats(fd, &stats) || !wt_balanced(&stats))
			return -1;
	} while (stats.pending || stats.unread);
	return wrong;
}

/* Words change while the clock is set back and forward. The last word determines the result. */
WT_TEST(wheel, p3_exactly_once_under_steps_and_changes)
{
	__u64 gen, fired = 0;
	int i;

	for (gen = 1; gen <= 20; gen++) {
		ASSERT_EQ(0, arm_all(self->fd, gen, &self->hands, &self->seed,
				     self->ledger));
		for (i = 0; i < 2000; i++) {
			__u32 slot = wt_below(&self->seed, TIMERS);

			change(&self->areas, slot, &self->ledger[slot],
			       look(&self->hands) +
			       wt_below(&self->seed, 3 * WT_SEC),
			       wt_below(&self->seed, 2));
			if (i % 100 == 0)
				ASSERT_EQ(0, step(&self->hands,
						  (__s64)wt_below(&self->seed,
								  2 * WT_SEC) -
						  (__s64)WT_SEC));
			ASSERT_EQ(0, take_events(self->fd, &self->hands, gen,
						 self->ledger));
		}
		ASSERT_EQ(0, step(&self->hands, self->hands.latest + 5 * WT_SEC -
					look(&self->hands)));
		ASSERT_LE(0, wt_kick(self->fd));
		ASSERT_EQ(0, drain(self->fd, &self->hands, gen, self->ledger));
		for (i = 0; i < TIMERS; i++) {
			unsigned int events = self->ledger[i].events;

			ASSERT_EQ(self->ledger[i].word != WT_PARKED, events);
			ASSERT_EQ(events ? WT_OFF : WT_PARKED, wt_word(&self->words[i]));
			ASSERT_EQ(-ENOENT, wt_cancel(self->fd, WHEEL_ID(i, gen)));
			fired += events;
		}
	}
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(fired, self->stats.fired);
	TH_LOG("%llu of %u fired, %llu requeued", fired, 20 * TIMERS,
	       self->stats.requeued);
}

TEST_HARNESS_MAIN
