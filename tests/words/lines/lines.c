// SPDX-License-Identifier: GPL-2.0
/*
 * lines THREADS: arm, push and park timers with words of one wheel on THREADS threads. Each thread
 * has a range of slots and writes to @mark before and after its work. The threads run one after
 * the other, and all of them exist until the end, so that no stack is used twice.
 */
#include <libwheel.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define SLOTS	25000
/* One cache line of doorbells per slot used. */
#define STEP	512
/* A cache line of the summary has one bit per 64 doorbells: 2^15 slots. */
#define RANGE	(1 << 15)
#define MOST	4
#define HOUR	3600000000000ULL

static int mark __attribute__((aligned(64)));

static struct libwheel *wheel;
static uint64_t later;
static sem_t begin[MOST], ended;

static void need(int err)
{
	if (err)
		abort();
}

/* The doorbells are clear in the first pass, and set in the second one. */
static void use(uint32_t from)
{
	uint32_t slot;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		for (slot = from; slot < from + SLOTS; slot += STEP) {
			need(libwheel_word_arm(wheel, slot, later));
			need(libwheel_word_push(wheel, slot, later + 1));
			need(libwheel_word_park(wheel, slot));
		}
	}
}

static void *run(void *number)
{
	int nr = (int)(intptr_t)number;

	sem_wait(&begin[nr]);
	__atomic_store_n(&mark, nr, __ATOMIC_RELEASE);
	use(nr * RANGE);
	__atomic_store_n(&mark, nr, __ATOMIC_RELEASE);
	sem_post(&ended);
	sem_wait(&begin[nr]);
	return NULL;
}

/* The first arm of a word calls the backend, which then scans. Another timer is armed for that. */
static void prepare(int threads)
{
	uint32_t slot, last = threads * RANGE;

	struct libwheel_options options = {
		.size = sizeof(options), .flags = WHEEL_SETUP_WORDS, .timers = last + 1,
	};

	need(libwheel_open(&wheel, &options));
	later = libwheel_now(wheel) + 2 * HOUR;
	for (slot = 0; slot < last; slot += STEP)
		if (slot % RANGE < SLOTS)
			need(libwheel_word(wheel, WHEEL_ID(slot, 1), 0));
	need(libwheel_word(wheel, WHEEL_ID(last, 1), 0));
	need(libwheel_word_arm(wheel, last, later));
}

int main(int argc, char **argv)
{
	int i, threads = argc == 2 ? atoi(argv[1]) : MOST;
	pthread_t thread[MOST];

	prepare(threads);
	for (i = 0; i < threads; i++) {
		sem_init(&begin[i], 0, 0);
		need(pthread_create(&thread[i], NULL, run, (void *)(intptr_t)i));
	}
	for (i = 0; i < threads; i++) {
		sem_post(&begin[i]);
		sem_wait(&ended);
	}
	for (i = 0; i < threads; i++) {
		sem_post(&begin[i]);
		pthread_join(thread[i], NULL);
	}
	libwheel_close(wheel);
}
