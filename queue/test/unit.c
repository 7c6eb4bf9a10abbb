// SPDX-License-Identifier: MIT
/*
 * unit [SEED [STEPS]]: compare the queue with its oracle; test checksums and timers. Prints KTAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model.h"
#include "queue.h"
#include "store/crc32c.h"
#include "timers.h"

static const struct model_config configs[] = {
	{ "16 loaded jobs, a horizon of 50 ms", 16, 50, 1000, 0 },
	{ "all in memory", 100000, 3600000, 1000, 0 },
	{ "16 loaded jobs", 16, 3600000, 1000, 0 },
	{ "a horizon of 50 ms", 100000, 50, 1000, 0 },
	{ "16 loaded jobs, a horizon of 20 ms", 16, 20, 1000, 0 },
	{ "three leases", 64, 200, 3, 0 },
	{ "20 timers", 100000, 3600000, 1000, 100991 },
};

#define COUNT(array)	((int)(sizeof(array) / sizeof(*(array))))

/* Run in a child process, because a store exits on errors. */
static bool passes(const struct model_config *config, uint64_t seed,
		   unsigned int steps)
{
	unsigned int done;
	const char *wrong;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		wrong = model_run(config, seed, steps, &done);
		if (wrong)
			printf("# step %u: failed expectation: %s\n", done,
			       wrong);
		else
			printf("# %u steps\n", done);
		exit(wrong ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* The digits with the polynomial of RFC 3720, and all lengths up to 64 bytes at all alignments. */
static bool checksums_match(void)
{
	char bytes[128];
	size_t from, count, i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * i * 37 + i;
	for (from = 0; from < 8; from++)
		for (count = 0; count <= 64; count++)
			if (crc32c(i, bytes + from, count) !=
			    crc32c_by_tables(i, bytes + from, count))
				return false;
	return crc32c(0, "123456789", 9) == 0xe3069283 &&
	       crc32c(crc32c(0, "1234", 4), "56789", 5) == 0xe3069283;
}

#define SLOTS	64

static int expired;

static void count_expired(struct timer *timer)
{
	(void)timer;
	expired++;
}

/*
 * All timers expire, and all but one are cancelled before their events are read. This leaves room
 * for others, and the remaining one still expires.
 */
static bool cancelled_timers_leave_room(void)
{
	struct timers_options options = { .timers = SLOTS, .by_hand = true };
	struct timers *timers = timers_open(&options);
	struct timer list[SLOTS] = { { .expired = count_expired } };
	bool ok;
	int i;

	for (i = 0; i < SLOTS; i++)
		timer_set(timers, CLOCK_QUEUE, &list[i], 1);
	timers_advance(timers, 2);
	for (i = 1; i < SLOTS; i++)
		timer_cancel(timers, &list[i]);
	ok = timers_have_room(timers, CLOCK_QUEUE) && !expired &&
	     timers_have_events(timers, CLOCK_QUEUE);
	timers_run(timers, CLOCK_QUEUE, SLOTS);
	timers_close(timers);
	return ok && expired == 1;
}

/* All timers are set again after they have expired, and before their events are read. */
static bool expired_timers_can_be_set(void)
{
	struct timers_options options = { .timers = SLOTS, .by_hand = true };
	struct timers *timers = timers_open(&options);
	struct timer list[SLOTS] = { { .id = 0 } };
	int i, round;

	expired = 0;
	for (round = 0; round < 2; round++) {
		for (i = 0; i < SLOTS; i++) {
			list[i].expired = count_expired;
			timer_set(timers, CLOCK_QUEUE, &list[i], 1 + 20 * round);
		}
		timers_advance(timers, 20);
	}
	timers_run(timers, CLOCK_QUEUE, SLOTS);
	timers_close(timers);
	return expired == SLOTS;
}

/*
 * A worker watches more tubes with a limit on the rate than there are timers. Each tube has a job,
 * and has served one. All jobs are served later.
 */
static bool rate_limits_need_few_timers(void)
{
	const struct queue_options options = {
		.loaded = SLOTS, .horizon = 1000, .reservations = SLOTS, .tubes = SLOTS,
		.numbers = 1000, .timers = 32 - 3 * SLOTS, .by_hand = true,
	};
	struct queue_job job = { .ttr = 1000000000 };
	const char *path = "/tmp/wheelq-unit";
	struct worker worker;
	struct queue queue;
	int i, round, served = 0;
	char name[8];

	model_forget(path);
	queue_open(&queue, sqlite_open(path), &options);
	worker_init(&worker);
	for (i = 0; i < SLOTS; i++) {
		struct tube *tube;

		snprintf(name, sizeof(name), "t%d", i);
		tube = queue_tube(&queue, name);
		worker_watch(&worker, tube);
		queue_limit(&queue, tube, 0, 1000);
		queue_reserve_id(&queue, &worker, queue_put(&queue, tube, &job, ""));
		queue_delete(&queue, &worker, queue_put(&queue, tube, &job, "") - 1);
	}
	for (round = 0; round < 10 * SLOTS; round++) {
		struct worker *waits = &worker;
		struct job *reserved = queue_reserve(&queue, &worker);

		if (!reserved) {
			worker_wait(&worker);
			waits = queue_process(&queue, &reserved);
			worker_stop_waiting(&worker);
		}
		if (waits)
			served += queue_delete(&queue, waits, reserved->rec.id);
		timers_advance(queue.timers, 1000);
		timers_run(queue.timers, CLOCK_QUEUE, SLOTS);
	}
	worker_clear(&worker);
	queue_close(&queue);
	model_forget(path);
	return served == SLOTS;
}

static bool report(bool ok, int number, const char *what)
{
	printf("%s %d %s\n", ok ? "ok" : "not ok", number, what);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) :
				   (uint64_t)time(NULL);
	unsigned int steps = argc > 2 ? strtoul(argv[2], NULL, 0) : 2000;
	/* A database is empty once. */
	int count = getenv("WHEELQ_POSTGRES") ? 1 : COUNT(configs);
	int failed = 0, i;

	printf("1..%d\n# repeat with: test/unit %llu %u\n", count + 4,
	       (unsigned long long)seed, steps);
	for (i = 0; i < count; i++) {
		bool ok = passes(&configs[i], seed, steps);

		printf("%s %d q6 q8 as the oracle: %s\n",
		       ok ? "ok" : "not ok", i + 1, configs[i].name);
		failed += !ok;
	}
	failed += !report(checksums_match(), i + 1, "checksums of bodies are crc32c");
	failed += !report(cancelled_timers_leave_room(), i + 2, "cancelled timers leave room");
	failed += !report(expired_timers_can_be_set(), i + 3, "expired timers can be set");
	failed += !report(rate_limits_need_few_timers(), i + 4, "rate limits need few timers");
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
