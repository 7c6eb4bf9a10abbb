// SPDX-License-Identifier: MIT
/*
 * tasks REQUESTS THREADS: timers that call functions, in a pool of threads.
 *
 *	cc -O2 tasks.c $(pkg-config --cflags --libs libwheel) -lpthread -o tasks
 *
 * The cookie of each timer points to a task, which is part of a larger object. A thread takes one
 * event at a time, so a function that sleeps delays only its own thread. No lock is held during a
 * call: the function may arm and cancel timers, and free its object.
 *
 * Requests have no numbers, so libwheel allocates the slots of their timeouts. If a timeout cannot
 * be cancelled, its function has been called or will be called. From then on, that function owns
 * the request and its slot.
 */
#include <ctype.h>
#include <libwheel.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS	1024
#define MS		1000000ULL

/**
 * struct task - a function to call when a timer expires
 * @run: the function
 */
struct task {
	void (*run)(struct task *task, const struct wheel_event *event);
};

/**
 * struct request - a request that waits for its response
 * @timeout: its timeout
 */
struct request {
	struct task timeout;
};

static struct libwheel *wheel;
static unsigned int expired;

static void die(const char *what, int err)
{
	fprintf(stderr, "tasks: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

/* A thread of the pool: call functions until the wheel was stopped and all events were taken. */
static void *work(void *arg)
{
	struct wheel_event event;
	int ret;

	do {
		ret = libwheel_wait(wheel, &event, 1, -1);
		if (ret == 1) {
			struct task *task = (struct task *)(uintptr_t)event.cookie;

			task->run(task, &event);
		}
	} while (ret >= 0 || ret == -EINTR);
	if (ret != -ESHUTDOWN)
		die("wait", ret);
	return arg;
}

/* Signals are blocked, so that other threads receive them. */
static void start(pthread_t *threads, unsigned int count)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (count--) {
		err = pthread_create(&threads[count], NULL, work, NULL);
		if (err)
			die("thread", err);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The request has timed out. Others time out while this function sleeps. */
static void time_out(struct task *task, const struct wheel_event *event)
{
	struct request *request = (struct request *)task;
	struct timespec delay = { .tv_nsec = 100000 };

	nanosleep(&delay, NULL);
	libwheel_slot_put(wheel, event->id);
	free(request);
	__atomic_fetch_add(&expired, 1, __ATOMIC_RELAXED);
}

/* Send a request. Returns the id of its timeout. The request may be freed at any time from now. */
static uint64_t begin(struct request *request, __u64 timeout)
{
	uint64_t id;
	int err = libwheel_slot_get(wheel, &id);

	if (err)
		die("slot", err);
	request->timeout.run = time_out;
	err = libwheel_arm_in(wheel, id, timeout, (uintptr_t)request);
	if (err)
		die("arm", err);
	return id;
}

/* The response of a request has arrived. Returns 0 if the request has timed out. */
static int complete(struct request *request, uint64_t id)
{
	if (libwheel_cancel(wheel, id))
		return 0;
	libwheel_slot_put(wheel, id);
	free(request);
	return 1;
}

/* Stop the timers, and wait for the calls of those that have expired. */
static void stop(pthread_t *threads, unsigned int count)
{
	int err = libwheel_stop(wheel, NULL);

	if (err)
		die("stop", err);
	while (count--)
		pthread_join(threads[count], NULL);
}

/* Free the requests whose timers had not expired. Returns their number. */
static unsigned int discard(void)
{
	unsigned int count = 0;
	uint32_t cursor = 0;
	struct wheel_op op;

	for (; libwheel_list(wheel, 0, &op, 1, &cursor) == 1; count++)
		free((struct request *)(uintptr_t)op.cookie);
	return count;
}

static void explain(void)
{
	fprintf(stderr,
		"usage: tasks REQUESTS THREADS\n"
		"Sends REQUESTS requests, of which some receive a response and others time out,\n"
		"in THREADS threads:\n"
		"	tasks 20000 4\n");
	exit(2);
}

/* A number from 1 to @most, and nothing else. */
static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || !n || n > most)
		explain();
	return n;
}

int main(int argc, char **argv)
{
	struct libwheel_options options = { .size = sizeof(options) };
	unsigned int requests, count, i, completed = 0, stopped, seed = 1;
	pthread_t threads[MOST_THREADS];
	int err;

	if (argc != 3)
		explain();
	requests = number(argv[1], WHEEL_MAX_TIMERS);
	count = number(argv[2], MOST_THREADS);
	options.timers = requests;
	err = libwheel_open(&wheel, &options);
	if (err)
		die("open", err);
	start(threads, count);
	for (i = 0; i < requests; i++) {
		struct request *request = malloc(sizeof(*request));
		uint64_t id;

		if (!request)
			die("request", ENOMEM);
		id = begin(request, rand_r(&seed) % (20 * MS));
		completed += rand_r(&seed) % 2 && complete(request, id);
	}
	stop(threads, count);
	stopped = discard();
	if (completed + expired + stopped != requests)
		die("a request did not end once", EPROTO);
	printf("requests %u completed %u expired %u stopped %u\n", requests, completed, expired,
	       stopped);
	if (fflush(stdout))
		die("stdout", errno);
	libwheel_close(wheel);
	return 0;
}
