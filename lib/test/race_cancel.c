// SPDX-License-Identifier: MIT
/*
 * Races of cancel with the expiry, and with another cancel.
 */
#include "race.h"

static void cancel_all(struct race *race)
{
	__u32 slot = random_below(&race->state, TIMERS);
	int i;

	for (i = 0; i < TIMERS; i++, slot = (slot + 77) % TIMERS)
		race->answer[slot] = libwheel_cancel(race->wheel,
						     WHEEL_ID(slot, race->gen));
}

/* Each timer is either cancelled or delivered. */
static void p4_cancel_against_the_clock(void)
{
	static struct race race;
	pthread_t thread = race_begin(&race, open_virtual(TIMERS), cancel_all);
	__u64 now = 0;
	int i, step;

	for (race.gen = 1; race.gen <= ROUNDS; race.gen++) {
		struct caught caught = { 0 };

		for (i = 0; i < TIMERS; i++)
			EXPECT_EQ(0, arm(race.wheel, WHEEL_ID(i, race.gen),
					 now + i % 50 * MS));
		pthread_barrier_wait(&race.barrier);
		for (step = 0; step < 51; step++, now += MS)
			EXPECT_EQ(0, advance(race.wheel, now));
		pthread_barrier_wait(&race.barrier);
		race_catch(&race, &caught);
		for (i = 0; i < TIMERS; i++)
			NEED(race.answer[i] ? race.answer[i] == -ENOENT &&
			     caught.events[i] == 1 : !caught.events[i]);
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

const struct ktap_test race_cancel_tests[] = {
	TEST(p4_cancel_against_the_clock),
	TEST(p4_cancel_against_another),
	{ NULL, NULL }
};
