// SPDX-License-Identifier: MIT
/*
 * Several threads that use one wheel.
 */
#include <pthread.h>

#include "test.h"

#define TIMERS	256

/**
 * struct crowd - a thread that arms and cancels timers and takes events
 * @wheel: common wheel
 * @number: number of the thread, which selects its range of slots
 * @armed: number of successful arms
 * @cancelled: number of successful cancels
 * @taken: number of events taken
 */
struct crowd {
	struct libwheel *wheel;
	int number;
	__u64 armed;
	__u64 cancelled;
	__u64 taken;
};

static void *crowd_thread(void *arg)
{
	struct crowd *crowd = arg;
	__u64 state = test_seed() + crowd->number;
	struct wheel_event events[16];
	__u64 gen;

	for (gen = 1; gen <= 3000; gen++) {
		__u32 slot = crowd->number * 64 + random_below(&state, 64);
		int n;

		crowd->armed += !arm(crowd->wheel, WHEEL_ID(slot, gen),
				     libwheel_now(crowd->wheel) +
				     random_below(&state, 2 * MS));
		if (random_below(&state, 2))
			crowd->cancelled += !libwheel_cancel(crowd->wheel,
						WHEEL_ID(slot, gen));
		n = libwheel_expirations(crowd->wheel, events, 16);
		NEED(n >= 0);
		crowd->taken += n;
	}
	return NULL;
}

/* The sums of the counts of all threads equal the counters of the wheel. */
static void p11_counters_of_many_threads(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	struct crowd sum = { 0 };
	struct crowd crowd[4];
	pthread_t threads[4];
	struct wheel_stats stats;
	struct wheel_event event;
	int i;

	for (i = 0; i < 4; i++) {
		crowd[i] = (struct crowd){ .wheel = wheel, .number = i };
		NEED(!pthread_create(&threads[i], NULL, crowd_thread,
				     &crowd[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		sum.armed += crowd[i].armed;
		sum.cancelled += crowd[i].cancelled;
		sum.taken += crowd[i].taken;
	}
	/* A timer may have fired whose event is not counted as unread yet. */
	for (;;) {
		stats = balanced_stats(wheel);
		if (!stats.pending && sum.taken >= stats.fired)
			break;
		NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
		sum.taken++;
	}
	EXPECT_EQ(sum.armed, stats.armed);
	EXPECT_EQ(sum.cancelled, stats.cancelled);
	EXPECT_EQ(sum.taken, stats.fired);
	libwheel_close(wheel);
}

static void *wait_thread(void *wheel)
{
	struct wheel_event event;
	long ret;

	do {
		ret = libwheel_wait(wheel, &event, 1, -1);
	} while (ret > 0);
	return (void *)ret;
}

/* A waiting thread is woken when another thread arms a timer or stops the wheel. */
static void wait_in_a_thread(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	pthread_t threads[3];
	void *ret;
	int i;

	for (i = 0; i < 3; i++)
		NEED(!pthread_create(&threads[i], NULL, wait_thread, wheel));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(i, 1),
				 libwheel_now(wheel) + i % 5 * 100 * US));
	while (balanced_stats(wheel).pending || balanced_stats(wheel).unread)
		;
	EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], &ret);
		EXPECT_EQ(-ESHUTDOWN, (long)ret);
	}
	libwheel_close(wheel);
}

#define LONG_BATCH	4096

/*
 * Submits batches that are long enough for other threads to contend for the lock. Starts by
 * arming slot 2, and ends when the last slot was armed.
 */
static void *batch_thread(void *wheel)
{
	static struct wheel_op ops[LONG_BATCH];
	int i;

	for (i = 0; i < LONG_BATCH; i++)
		ops[i] = (struct wheel_op){
			.op = WHEEL_OP_QUERY, .id = WHEEL_ID(0, 1),
		};
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), libwheel_now(wheel) + HOUR));
	do {
		EXPECT_EQ(0, libwheel_submit(wheel, ops, LONG_BATCH, NULL));
	} while (query(wheel, WHEEL_ID(TIMERS - 1, 1)));
	return NULL;
}

/* A thread that waits for the lock is woken. */
static void operations_wait_for_a_batch(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	__u64 far = libwheel_now(wheel) + HOUR;
	pthread_t thread;
	__u64 gen;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(0, 1), far));
	NEED(!pthread_create(&thread, NULL, batch_thread, wheel));
	while (query(wheel, WHEEL_ID(2, 1)))
		;
	for (gen = 1; gen <= 100; gen++) {
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, gen), far));
		EXPECT_EQ(0, libwheel_rearm(wheel, WHEEL_ID(1, gen), far + HOUR));
		EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(1, gen)));
	}
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(TIMERS - 1, 1), far));
	pthread_join(thread, NULL);
	EXPECT_EQ(103, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

static void *taking_thread(void *wheel)
{
	struct wheel_event event;

	pthread_cancel(pthread_self());
	EXPECT_EQ(1, libwheel_expirations(wheel, &event, 1));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return wheel;
}

/*
 * Only a wait is a cancellation point. If taking events were one, an event would be lost with the
 * thread.
 */
static void cancelled_thread_takes_no_event_along(void)
{
	struct libwheel *wheel = open_virtual(TIMERS);
	pthread_t thread;
	void *ended;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), MS));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), MS));
	EXPECT_EQ(0, advance(wheel, MS));
	NEED(!pthread_create(&thread, NULL, taking_thread, wheel));
	pthread_join(thread, &ended);
	EXPECT(ended == wheel);
	EXPECT_EQ(0, next_id(wheel));
	libwheel_close(wheel);
}

const struct ktap_test crowd_tests[] = {
	TEST(p11_counters_of_many_threads),
	TEST(operations_wait_for_a_batch),
	TEST(wait_in_a_thread),
	TEST(cancelled_thread_takes_no_event_along),
	{ NULL, NULL }
};
