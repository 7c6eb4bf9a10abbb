// SPDX-License-Identifier: MIT
/*
 * purgatory OPERATIONS: delayed operations, as in a message broker. An operation waits until
 * enough data was written to a topic, or until its timeout. It completes exactly once.
 *
 *	cc -O2 purgatory.c $(pkg-config --cflags --libs libwheel) -o purgatory
 *
 * The timers have words. A waiting operation allocates a slot from a free list, and returns it on
 * completion. Parking the timer decides between data and timeout, so no operation completes
 * twice.
 */
#include <ctype.h>
#include <libwheel.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOPICS	16
#define BATCH	128
#define SLOTS	(1 << 20)

/**
 * struct operation - a fetch that waits for data
 * @next: next operation that waits for the same topic
 * @slot: slot of its timer
 * @offset: end of the topic that it waits for
 * @deadline: timeout
 * @completed: number of times that it was completed
 */
struct operation {
	struct operation *next;
	__u32 slot;
	__u64 offset;
	__u64 deadline;
	int completed;
};

/**
 * struct topic - a log to which messages are appended
 * @waiting: operations that wait for data
 * @end: amount of data written
 */
struct topic {
	struct operation *waiting;
	__u64 end;
};

/**
 * struct purgatory - all waiting operations
 * @wheel: their timeouts
 * @topics: topics that they wait for
 * @owner: waiting operation of each slot
 * @free: slots whose timers are parked
 * @count: number of entries of @free
 * @used: number of slots that have a timer
 * @satisfied: number of operations completed by data
 * @expired: number of operations completed by their timeout
 */
struct purgatory {
	struct libwheel *wheel;
	struct topic topics[TOPICS];
	struct operation *owner[SLOTS];
	__u32 free[SLOTS];
	__u32 count;
	__u32 used;
	__u64 satisfied;
	__u64 expired;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "purgatory: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

/* Allocate a slot whose timer is parked: from the free list, or a new one. */
static __u32 take_slot(struct purgatory *p)
{
	uint64_t id = WHEEL_ID(p->used, 1);
	int err;

	if (p->count)
		return p->free[--p->count];
	err = libwheel_word(p->wheel, id, 0);
	if (err)
		die("keep", err);
	return p->used++;
}

/* Complete an operation whose timer is parked. */
static void complete(struct purgatory *p, struct operation *o)
{
	p->free[p->count++] = o->slot;
	o->completed++;
}

/* Add an operation to a topic, or complete it if the data is available. */
static void watch(struct purgatory *p, struct operation *o, struct topic *topic)
{
	int err;

	if (o->offset <= topic->end) {
		o->completed++;
		p->satisfied++;
		return;
	}
	o->slot = take_slot(p);
	p->owner[o->slot] = o;
	err = libwheel_word_arm(p->wheel, o->slot, o->deadline);
	if (err)
		die("arm", err);
	o->next = topic->waiting;
	topic->waiting = o;
}

/*
 * Append data to a topic, and complete the operations that waited for it. A timer that cannot be
 * parked has expired, and its event completes the operation.
 */
static void append(struct purgatory *p, struct topic *topic, __u64 count)
{
	struct operation **link = &topic->waiting;

	topic->end += count;
	while (*link) {
		struct operation *o = *link;

		if (!o->completed && o->offset > topic->end) {
			link = &o->next;
			continue;
		}
		*link = o->next;
		if (o->completed || libwheel_word_park(p->wheel, o->slot))
			continue;
		complete(p, o);
		p->satisfied++;
	}
}

/* Complete expired operations. append() removes them from the list of their topic. */
static void expire(struct purgatory *p, __u64 now)
{
	struct wheel_event events[BATCH];
	int i, n;

	while ((n = libwheel_expirations(p->wheel, events, BATCH)) > 0) {
		for (i = 0; i < n; i++) {
			struct operation *o = p->owner[WHEEL_ID_SLOT(events[i].id)];

			if (now < o->deadline)
				die("an operation expired early", EPROTO);
			libwheel_word_reset(p->wheel, events[i].id);
			complete(p, o);
			p->expired++;
		}
	}
}

/*
 * Simulate a broker on a VIRTUAL clock. In each step of one millisecond, data is appended to a
 * topic, and operations begin.
 */
static void simulate(struct purgatory *p, struct operation *operations,
		     unsigned long count)
{
	unsigned long begun = 0;
	unsigned int seed = 1;
	__u64 now = 0;

	while (begun < count || p->satisfied + p->expired < count) {
		int err = libwheel_advance(p->wheel, now += 1000000, NULL);

		if (err)
			die("advance", err);
		expire(p, now);
		append(p, &p->topics[rand_r(&seed) % TOPICS], rand_r(&seed) % 9);
		for (int i = 0; i < 50 && begun < count; i++, begun++) {
			struct operation *o = &operations[begun];
			struct topic *topic = &p->topics[begun % TOPICS];

			o->offset = topic->end + rand_r(&seed) % 200;
			o->deadline = now + rand_r(&seed) % 1000 * 1000000ULL;
			watch(p, o, topic);
		}
	}
}

static void explain(void)
{
	fprintf(stderr,
		"usage: purgatory OPERATIONS\n"
		"Simulates a message broker: OPERATIONS operations wait for data or their\n"
		"timeout, and each completes exactly once:\n"
		"	purgatory 100000\n");
	exit(2);
}

/* A number of at most @most, and nothing else. */
static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n > most)
		explain();
	return n;
}

int main(int argc, char **argv)
{
	static struct purgatory p;
	struct libwheel_options options = {
		.size = sizeof(options),
		.flags = WHEEL_SETUP_WORDS,
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = SLOTS,
	};
	struct operation *operations;
	unsigned long count, i;
	int err;

	if (argc != 2)
		explain();
	count = number(argv[1], UINT_MAX);
	operations = calloc(count, sizeof(*operations));
	err = operations ? libwheel_open(&p.wheel, &options) : -ENOMEM;
	if (err)
		die("open", err);
	simulate(&p, operations, count);
	for (i = 0; i < count; i++)
		if (operations[i].completed != 1)
			die("an operation was not completed once", EPROTO);
	printf("operations %lu satisfied %llu expired %llu\n", count,
	       p.satisfied, p.expired);
	if (fflush(stdout))
		die("stdout", errno);
	libwheel_close(p.wheel);
	free(operations);
	return 0;
}
