// SPDX-License-Identifier: MIT
/*
 * Timers with a word, step by step: on a VIRTUAL clock, where ADVANCE scans the words, and on
 * running clocks. contract.c compares the words of both backends with a model.
 */
#include "test.h"

/* Create a timer with a word, parked. */
static __u64 word(struct libwheel *wheel, __u32 slot)
{
	uint64_t id = WHEEL_ID(slot, 1);

	NEED(!libwheel_word(wheel, id, slot));
	return id;
}

static struct libwheel *open_clock_words(__u32 clock)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = clock, .timers = 8192,
		.flags = WHEEL_SETUP_WORDS,
	};

	return open_wheel(&options);
}

static struct wheel_event next_event(struct libwheel *wheel)
{
	struct wheel_event event;

	NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
	return event;
}

/* All state transitions of the table in libwheel_word.h, and no others. */
static void word_life(void)
{
	struct libwheel *wheel = open_words(64);
	__u64 id = word(wheel, 3);

	EXPECT_EQ(-ENOENT, libwheel_word_park(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_word_reset(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_word_restart(wheel, id, MS));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, 5 * MS));
	EXPECT_EQ(-ENOENT, libwheel_word_restart(wheel, id, 5 * MS));
	EXPECT_EQ(-ENOENT, libwheel_word_reset(wheel, id));
	EXPECT_EQ(5 * MS, deadline_of(wheel, id));
	EXPECT_EQ(0, libwheel_word_push(wheel, id, 9 * MS));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, 3 * MS));
	EXPECT_EQ(0, libwheel_word_park(wheel, id));
	EXPECT_EQ(-ENOENT, query(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_word_push(wheel, id, 7 * MS));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, 7 * MS));
	EXPECT_EQ(0, advance(wheel, 7 * MS - 1));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, 7 * MS));
	EXPECT_EQ(-ENOENT, libwheel_word_park(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, id, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_word_push(wheel, id, HOUR));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 8 * MS));
	EXPECT_EQ(0, advance(wheel, 8 * MS));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT_EQ(0, libwheel_word_reset(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, id));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(3, 2), HOUR));
	libwheel_close(wheel);
}

/* A timer that is parked when the clock reaches its end remains parked, and can be armed. */
static void parked_at_the_end_of_the_clock(void)
{
	struct libwheel *wheel = open_words(64);
	__u64 id = word(wheel, 3);

	EXPECT_EQ(0, libwheel_word_arm(wheel, id, WHEEL_MAX_TIME));
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(0, libwheel_word_park(wheel, id));
	EXPECT_EQ(0, advance(wheel, WHEEL_MAX_TIME));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, WHEEL_MAX_TIME));
	libwheel_close(wheel);
}

static void errors(void)
{
	struct libwheel *plain = open_virtual(64);
	struct libwheel *wheel = open_words(64);
	uint64_t id = WHEEL_ID(1, 1);

	EXPECT_EQ(-EOPNOTSUPP, libwheel_word(plain, id, 0));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(plain, id, MS));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, id, MS));
	EXPECT_EQ(0, libwheel_word(wheel, id, 0));
	EXPECT_EQ(-EBUSY, libwheel_word(wheel, id, 0));
	EXPECT_EQ(-ERANGE, libwheel_word_arm(wheel, id, 0));
	EXPECT_EQ(-ERANGE, libwheel_word_arm(wheel, id, 1ULL << 63));
	EXPECT_EQ(-ERANGE, libwheel_word_push(wheel, id, 0));
	EXPECT_EQ(-ERANGE, libwheel_word_push(wheel, id, 1ULL << 63));
	EXPECT_EQ(-ERANGE, libwheel_word_restart(wheel, id, 0));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-ENOENT, libwheel_word_restart(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-ENOENT, libwheel_word_reset(wheel, WHEEL_ID(64, 1)));
	EXPECT_EQ(-ENOENT, libwheel_word_notify(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-EBUSY, arm(wheel, WHEEL_ID(1, 2), MS));
	libwheel_close(plain);
	libwheel_close(wheel);
}

/* STOP returns all armed timers, and arming one later fails. */
static void word_and_stop(void)
{
	struct libwheel *wheel = open_clock_words(WHEEL_CLOCK_MONOTONIC);
	__u64 now = libwheel_now(wheel);
	__u64 id = word(wheel, 1), parked = word(wheel, 2);
	struct wheel_op op;
	uint64_t unfired = 0;
	uint32_t cursor = 0;

	EXPECT_EQ(0, libwheel_word_arm(wheel, id, now + HOUR));
	EXPECT_EQ(0, libwheel_stop(wheel, &unfired));
	EXPECT_EQ(1, unfired);
	EXPECT_EQ(1, libwheel_list(wheel, 0, &op, 1, &cursor));
	EXPECT_EQ(now + HOUR, op.when);
	EXPECT_EQ(WHEEL_OP_WORD, op.flags);
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, parked, now + HOUR));
	EXPECT_EQ(-ESHUTDOWN, libwheel_word_restart(wheel, parked, now + HOUR));
	EXPECT_EQ(-ESHUTDOWN, arm(wheel, WHEEL_ID(3, 1), now + 2 * HOUR));
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

/* A timer that is armed and parked between two scans is not counted. */
static void p11_only_queued_words_are_counted(void)
{
	struct libwheel *wheel = open_clock_words(WHEEL_CLOCK_MONOTONIC);
	__u64 now = libwheel_now(wheel);
	__u64 id = word(wheel, 5000);
	int i;

	for (i = 0; i < 10000; i++) {
		NEED(!libwheel_word_arm(wheel, id, now + HOUR + i));
		NEED(!libwheel_word_park(wheel, id));
	}
	EXPECT_EQ(0, balanced_stats(wheel).armed);
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, now));
	EXPECT_EQ(id, next_event(wheel).id);
	EXPECT_EQ(1, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

/* On each running clock: a timer is neither early nor lost, regardless of older timers. */
static void fires_on(__u32 clock)
{
	struct libwheel *wheel = open_clock_words(clock);
	__u64 far = word(wheel, 0), near = word(wheel, 4097);
	__u64 now = libwheel_now(wheel);
	int i;

	EXPECT_EQ(0, libwheel_word_arm(wheel, far, now + HOUR));
	for (i = 0; i < 30; i++) {
		__u64 when = libwheel_now(wheel) + i % 4 * MS;
		struct wheel_event event;

		NEED(!(i ? libwheel_word_restart(wheel, near, when) :
			   libwheel_word_arm(wheel, near, when)));
		if (i % 3 == 0)
			EXPECT_EQ(0, libwheel_word_arm(wheel, far, when + HOUR));
		event = next_event(wheel);
		EXPECT_EQ(near, event.id);
		/* If the clock can be set, the next tick may be far away. */
		EXPECT(clock < WHEEL_CLOCK_REALTIME || *wheel->next_wake);
		EXPECT_EQ(when, event.deadline);
		EXPECT(event.fired >= when && event.fired <= libwheel_now(wheel));
	}
	EXPECT_EQ(0, libwheel_word_arm(wheel, far, libwheel_now(wheel)));
	EXPECT_EQ(far, next_event(wheel).id);
	libwheel_close(wheel);
}

/* Not permitted: armed before the event was taken. The timer must still expire. */
static void p3_restarted_too_early(void)
{
	struct libwheel *wheel = open_clock_words(WHEEL_CLOCK_MONOTONIC);
	__u64 id = word(wheel, 1);
	__u64 now = libwheel_now(wheel);

	EXPECT_EQ(0, libwheel_word_arm(wheel, id, now));
	while (libwheel_word_restart(wheel, id, now + 20 * MS))
		query(wheel, id);
	/* Until the scans, which such a call runs if they are left to the program, have ended. */
	while (__atomic_load_n(wheel->next_wake, __ATOMIC_SEQ_CST) != ~0ULL)
		query(wheel, id);
	EXPECT_EQ(now, next_event(wheel).deadline);
	EXPECT_EQ(now + 20 * MS, next_event(wheel).deadline);
	libwheel_close(wheel);
}

/*
 * The same on a VIRTUAL clock. Until the event is taken, the timer has expired for all operations,
 * whatever its word contains. Afterwards it is pending.
 */
static void restarted_while_its_event_is_unread(void)
{
	struct libwheel *wheel = open_words(64);
	__u64 id = word(wheel, 3);
	struct wheel_event events[4];
	uint64_t next = 0;

	EXPECT_EQ(0, libwheel_word_arm(wheel, id, MS));
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 5 * MS));
	EXPECT_EQ(-ENOENT, query(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_rearm(wheel, id, 7 * MS));
	EXPECT_EQ(-EBUSY, arm(wheel, WHEEL_ID(3, 2), 7 * MS));
	EXPECT_EQ(0, libwheel_advance(wheel, 9 * MS, &next));
	EXPECT_EQ(~0ULL, next);
	EXPECT_EQ(1, libwheel_expirations(wheel, events, 4));
	EXPECT_EQ(MS, events[0].deadline);
	EXPECT_EQ(5 * MS, deadline_of(wheel, id));
	/* Its deadline has passed, so it is due at the next tick. */
	EXPECT_EQ(0, libwheel_advance(wheel, 9 * MS, &next));
	EXPECT_EQ(10 * MS, next);
	EXPECT_EQ(0, libwheel_expirations(wheel, events, 4));
	EXPECT_EQ(0, advance(wheel, 10 * MS));
	EXPECT_EQ(1, libwheel_expirations(wheel, events, 4));
	EXPECT_EQ(5 * MS, events[0].deadline);
	/* Cancelled: the event can be taken, and the word has no effect. */
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 12 * MS));
	EXPECT_EQ(0, advance(wheel, 12 * MS));
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 13 * MS));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, id));
	EXPECT_EQ(-EBUSY, arm(wheel, WHEEL_ID(3, 2), 20 * MS));
	EXPECT_EQ(1, libwheel_expirations(wheel, events, 4));
	EXPECT_EQ(12 * MS, events[0].deadline);
	EXPECT_EQ(0, advance(wheel, 15 * MS));
	EXPECT_EQ(0, libwheel_expirations(wheel, events, 4));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(3, 2), 20 * MS));
	libwheel_close(wheel);
}

static void p3_word_on_each_clock(void)
{
	__u32 clock;

	for (clock = WHEEL_CLOCK_MONOTONIC; clock <= WHEEL_CLOCK_TAI; clock++)
		fires_on(clock);
}

/* A timer beyond the range of a bounded wheel expires at its deadline. */
static void p6_word_beyond_the_revolution(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = WHEEL_CLOCK_MONOTONIC,
		.timers = 64, .buckets = 2, .tick_ns = MS,
		.scheme = WHEEL_BOUNDED, .flags = WHEEL_SETUP_WORDS,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 when = libwheel_now(wheel) + 100 * MS;
	__u64 id = word(wheel, 1);
	struct wheel_event event;

	EXPECT_EQ(-ERANGE, arm(wheel, WHEEL_ID(2, 1), libwheel_now(wheel) + HOUR));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, when));
	event = next_event(wheel);
	EXPECT_EQ(id, event.id);
	EXPECT(event.fired >= when);
	libwheel_close(wheel);
}

/* The same on a VIRTUAL clock: ADVANCE reports the time of the timer, and expires it. */
static void p6_virtual_word_beyond_the_range(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = WHEEL_CLOCK_VIRTUAL,
		.timers = 64, .buckets = 2, .tick_ns = MS,
		.scheme = WHEEL_BOUNDED, .flags = WHEEL_SETUP_WORDS,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 id = word(wheel, 1);
	uint64_t next = 0;

	EXPECT_EQ(0, libwheel_word_arm(wheel, id, HOUR));
	EXPECT_EQ(0, libwheel_advance(wheel, HOUR / 2, &next));
	EXPECT_EQ(HOUR, next);
	EXPECT_EQ(0, libwheel_advance(wheel, HOUR - 1, &next));
	EXPECT_EQ(HOUR, next);
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, libwheel_advance(wheel, HOUR, &next));
	EXPECT_EQ(~0ULL, next);
	EXPECT_EQ(id, next_id(wheel));
	/* From a time at which the wheel cannot hold it, to one at which it is late. */
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 3 * HOUR));
	EXPECT_EQ(0, libwheel_advance(wheel, 5 * HOUR, &next));
	EXPECT_EQ(id, next_id(wheel));
	/* After STOP, none is pending. */
	EXPECT_EQ(0, libwheel_word_restart(wheel, id, 7 * HOUR));
	EXPECT_EQ(0, libwheel_advance(wheel, 5 * HOUR, &next));
	EXPECT_EQ(7 * HOUR, next);
	EXPECT_EQ(0, libwheel_stop(wheel, &next));
	EXPECT_EQ(0, libwheel_advance(wheel, 5 * HOUR, &next));
	EXPECT_EQ(~0ULL, next);
	libwheel_close(wheel);
}

/* Timers that one scan finds in several steps, a few per tick. */
#define LATE		2000
#define LATE_NS		(40 * MS)

/* Returns false if a timer was due before all were armed, that is, if @lead was too short. */
static bool late_in_order(__u32 scheme, __u64 lead)
{
	__u32 late = scheme == WHEEL_OVERFLOW ? WHEEL_OVERFLOW_TIMERS - 1 : LATE;
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = scheme, .timers = late + 1,
		.flags = WHEEL_SETUP_WORDS,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 first, tick, last = 0;
	bool in_time;
	__u32 i;

	for (i = 0; i < late; i++)
		word(wheel, i);
	first = libwheel_now(wheel) + lead;
	for (i = 0; i < late; i++)
		NEED(!libwheel_word_arm(wheel, WHEEL_ID(late - 1 - i, 1),
					first + i * LATE_NS / late));
	in_time = libwheel_now(wheel) < first;
	while (in_time && libwheel_now(wheel) < first + LATE_NS)
		;
	/* On the device, the operation precedes the rest of the pass. */
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(late, 1), first + HOUR));
	for (i = 0; i < late && in_time; i++) {
		tick = (next_event(wheel).deadline - 1) / MS;
		NEED(last <= tick);
		last = tick;
	}
	libwheel_close(wheel);
	return in_time;
}

/* An interrupt begins a scan; the program is busy, and continues it when all timers are due. */
static void p5_late_words_in_order(void)
{
	static const __u32 schemes[] = { WHEEL_HASHED, WHEEL_HIERARCHICAL, WHEEL_OVERFLOW };
	__u64 lead = 20 * MS;
	size_t i;

	for (i = 0; i < COUNT(schemes); i++)
		while (!late_in_order(schemes[i], lead))
			lead *= 2;
}

/* A slot that has no word, or is beyond the table, has no effect on other words. */
static void slots_that_have_no_word(void)
{
	static const __u32 slots[] = { 0, 2, 4, 5, 7, 8, 9, 13, WHEEL_SLOT_MASK };
	struct libwheel *wheel = open_words(5);
	__u64 state = test_seed();
	size_t i;

	EXPECT_EQ(0, arm_word(wheel, WHEEL_ID(1, 1), 10 * MS));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), 10 * MS));
	for (i = 0; i < COUNT(slots); i++) {
		__u64 id = WHEEL_ID(slots[i], random_below(&state, 1ULL << 40));

		EXPECT_EQ(-ENOENT, libwheel_word_push(wheel, id, 20 * MS));
		EXPECT_EQ(-ENOENT, libwheel_word_park(wheel, id));
		EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, id, 20 * MS));
	}
	EXPECT_EQ(10 * MS, deadline_of(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(10 * MS, deadline_of(wheel, WHEEL_ID(2, 1)));
	libwheel_close(wheel);
}

const struct ktap_test word_tests[] = {
	TEST(word_life),
	TEST(parked_at_the_end_of_the_clock),
	TEST(errors),
	TEST(word_and_stop),
	TEST(slots_that_have_no_word),
	TEST(p11_only_queued_words_are_counted),
	TEST(p3_restarted_too_early),
	TEST(restarted_while_its_event_is_unread),
	TEST(p3_word_on_each_clock),
	TEST(p6_word_beyond_the_revolution),
	TEST(p6_virtual_word_beyond_the_range),
	TEST(p5_late_words_in_order),
	{ NULL, NULL }
};
