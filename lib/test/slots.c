// SPDX-License-Identifier: MIT
/*
 * libwheel_slot_get() and libwheel_slot_put().
 */
#include <pthread.h>

#include "test.h"

#define TIMERS	200

static __u64 get(struct libwheel *wheel)
{
	uint64_t id = 0;

	NEED(!libwheel_slot_get(wheel, &id));
	return id;
}

/* Allocate all slots. Each one is allocated once, and can be armed. */
static void get_all(struct libwheel *wheel, __u64 *ids)
{
	bool seen[TIMERS] = { false };
	int i;

	for (i = 0; i < TIMERS; i++) {
		ids[i] = get(wheel);
		NEED(WHEEL_ID_SLOT(ids[i]) < TIMERS);
		EXPECT(!seen[WHEEL_ID_SLOT(ids[i])]);
		seen[WHEEL_ID_SLOT(ids[i])] = true;
		EXPECT_EQ(0, arm(wheel, ids[i], HOUR));
	}
}

static void slots_have_a_limit(void)
{
	struct libwheel *wheel = open_virtual(TIMERS);
	uint64_t none = 7;
	__u64 ids[TIMERS];
	int round, i;

	get_all(wheel, ids);
	for (round = 0; round < 3; round++) {
		EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &none));
		EXPECT_EQ(7, none);
		for (i = 0; i < TIMERS; i++) {
			EXPECT_EQ(0, libwheel_cancel(wheel, ids[i]));
			libwheel_slot_put(wheel, ids[i]);
		}
		get_all(wheel, ids);
	}
	libwheel_close(wheel);
}

/* A slot that is allocated again has a new id, and the old one is invalid. */
static void slot_has_a_new_id(void)
{
	struct libwheel *wheel = open_virtual(TIMERS);
	__u64 old, id, ids[TIMERS];

	get_all(wheel, ids);
	old = ids[77];
	EXPECT_EQ(0, libwheel_cancel(wheel, old));
	libwheel_slot_put(wheel, old);
	id = get(wheel);
	EXPECT_EQ(WHEEL_ID_SLOT(old), WHEEL_ID_SLOT(id));
	EXPECT(WHEEL_ID_GEN(id) > WHEEL_ID_GEN(old));
	EXPECT_EQ(0, arm(wheel, id, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, old));
	EXPECT_EQ(-ENOENT, libwheel_rearm(wheel, old, MS));
	EXPECT_EQ(HOUR, deadline_of(wheel, id));
	EXPECT_EQ(0, libwheel_cancel(wheel, id));
	EXPECT_EQ(-ESTALE, arm(wheel, old, HOUR));
	libwheel_close(wheel);
}

/* Slots are allocated and returned at random. No id is returned twice. */
static void slots_never_repeat_an_id(void)
{
	struct libwheel *wheel = open_virtual(TIMERS);
	__u64 state = test_seed(), last[TIMERS] = { 0 }, held[TIMERS];
	__u32 count = 0;
	int i;

	for (i = 0; i < 20000; i++) {
		__u32 at = random_below(&state, TIMERS + 1);

		if (at < count) {
			libwheel_slot_put(wheel, held[at]);
			held[at] = held[--count];
		} else if (count < TIMERS) {
			__u64 id = held[count++] = get(wheel);

			EXPECT(id > last[WHEEL_ID_SLOT(id)]);
			last[WHEEL_ID_SLOT(id)] = id;
		}
	}
	libwheel_close(wheel);
}

/* The program arms further generations itself, and returns the last one. */
static void slot_is_returned_with_its_last_id(void)
{
	struct libwheel *wheel = open_virtual(1);
	uint64_t id = get(wheel);
	int i;

	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
		EXPECT_EQ(0, libwheel_cancel(wheel, id));
	}
	libwheel_slot_put(wheel, id);
	EXPECT_EQ(0, arm(wheel, get(wheel), HOUR));
	libwheel_close(wheel);
}

/* All ids of a slot have been used. The other slot remains available. */
static void slot_ends_with_its_last_generation(void)
{
	struct libwheel *wheel = open_virtual(2);
	__u64 first = get(wheel), second = get(wheel);
	uint64_t id;

	libwheel_slot_put(wheel, WHEEL_ID(WHEEL_ID_SLOT(first), (1ULL << 40) - 1));
	EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &id));
	libwheel_slot_put(wheel, second);
	EXPECT_EQ(WHEEL_ID_SLOT(second), WHEEL_ID_SLOT(get(wheel)));
	EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &id));
	libwheel_close(wheel);
}

/* A slot that is returned without being allocated, or twice, does no harm to the allocator. */
static void slots_returned_too_often(void)
{
	struct libwheel *wheel = open_virtual(1);
	uint64_t id;

	libwheel_slot_put(wheel, WHEEL_ID(0, 1));
	id = get(wheel);
	EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &id));
	libwheel_slot_put(wheel, id);
	libwheel_slot_put(wheel, id);
	EXPECT(get(wheel) > id);
	EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &id));
	libwheel_close(wheel);
}

static void *slots_thread(void *arg)
{
	struct libwheel *wheel = arg;
	uint64_t id;
	int i;

	for (i = 0; i < 2000; i++) {
		int err = libwheel_slot_get(wheel, &id);

		if (err == -EDQUOT)
			continue;
		EXPECT_EQ(0, err);
		EXPECT_EQ(0, arm(wheel, id, HOUR));
		EXPECT_EQ(0, libwheel_cancel(wheel, id));
		libwheel_slot_put(wheel, id);
	}
	return NULL;
}

/* More threads than slots: each thread arms and cancels its own timer. */
static void slots_of_many_threads(void)
{
	struct libwheel *wheel = open_virtual(3);
	pthread_t threads[6];
	uint64_t id;
	int i;

	for (i = 0; i < 6; i++)
		NEED(!pthread_create(&threads[i], NULL, slots_thread, wheel));
	for (i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, arm(wheel, get(wheel), HOUR));
	EXPECT_EQ(-EDQUOT, libwheel_slot_get(wheel, &id));
	libwheel_close(wheel);
}

const struct ktap_test slots_tests[] = {
	TEST(slots_have_a_limit),
	TEST(slot_has_a_new_id),
	TEST(slots_never_repeat_an_id),
	TEST(slot_is_returned_with_its_last_id),
	TEST(slot_ends_with_its_last_generation),
	TEST(slots_returned_too_often),
	TEST(slots_of_many_threads),
	{ NULL, NULL }
};
