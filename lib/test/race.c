// SPDX-License-Identifier: MIT
#include "race.h"

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

pthread_t race_begin(struct race *race, struct libwheel *wheel,
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

void race_end(struct race *race, pthread_t thread)
{
	race->over = true;
	pthread_barrier_wait(&race->barrier);
	pthread_join(thread, NULL);
	libwheel_close(race->wheel);
}

void race_catch(struct race *race, struct caught *caught)
{
	struct wheel_event event;

	while (libwheel_expirations(race->wheel, &event, 1) == 1) {
		__u32 slot = WHEEL_ID_SLOT(event.id);

		NEED(slot < TIMERS && event.id == WHEEL_ID(slot, race->gen));
		caught->events[slot]++;
		caught->deadline[slot] = event.deadline;
	}
}
