// SPDX-License-Identifier: MIT
/*
 * purgatory OPERATIONS: delayed operations, as a message broker has them. An
 * operation waits for something, here until enough has been written to a topic,
 * but no longer than its timeout; it completes once, by the one or by the other.
 *
 *	cc -O2 purgatory.c $(pkg-config --cflags --libs libwheel) -o purgatory
 *
 * Timers are kept: an operation that waits takes a slot from a free list, and gives it
 * back when it is completed. Parking answers who was first, so nothing completes twice.
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
 * @next: the next one that waits for the same topic
 * @slot: of its timer
 * @offset: what it waits for: the topic's end to reach this
 * @deadline: or until then
 * @completed: how often it was completed
 */
struct operation {
	struct operation *next;
	__u32 slot;
	__u64 offset;
	__u64 deadline;
	int completed;
};

/**
 * struct topic - where messages are written
 * @waiting: operations that wait for it
 * @end: how much has been written
 */
struct topic {
	struct operation *waiting;
	__u64 end;
};

/**
 * struct purgatory - all operations that wait
 * @wheel: their timeouts
 * @topics: what they wait for
 * @owner: by slot, the operation that waits
 * @free: slots whose timers are parked
 * @count: how many are free
 * @kept: how many slots were ever taken
 * @satisfied: completed as they got what they waited for
 * @expired: completed as their time was up
 */
struct purgatory {
	struct libwheel *wheel;
	struct topic topics[TOPICS];
	struct operation *owner[SLOTS];
	__u32 free[SLOTS];
	__u32 count;
	__u32 kept;
	__u64 satisfied;
	__u64 expired;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "purgatory: %s: %s\n", what,
		err < 0 ? libwheel_strerror(err) : strerror(err));
	exit(1);
}

/* A slot whose timer is parked: one that came back, or one more. */
static __u32 take_slot(struct purgatory *p)
{
	uint64_t id = WHEEL_ID(p->kept, 1);
	int err;

	if (p->count)
		return p->free[--p->count];
	err = libwheel_keep(p->wheel, &id, 0);
	if (err)
		die("keep", err);
	return p->kept++;
}

/* Completed: its timer is parked. */
static void complete(struct purgatory *p, struct operation *o)
{
	p->free[p->count++] = o->slot;
	o->completed++;
}

/* Let an operation wait, unless it has what it wants. */
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
	err = libwheel_keep_arm(p->wheel, o->slot, o->deadline);
	if (err)
		die("arm", err);
	o->next = topic->waiting;
	topic->waiting = o;
}

/*
 * Something was written: complete who waited for it. A timer that cannot be parked has
 * fired, and its event, which is on its way, completes the operation.
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
		if (o->completed || libwheel_park(p->wheel, o->slot))
			continue;
		complete(p, o);
		p->satisfied++;
	}
}

/* Their time is up. They leave their topic's list when it is walked next. */
static void expire(struct purgatory *p, __u64 now)
{
	struct wheel_event events[BATCH];
	int i, n;

	while ((n = libwheel_expirations(p->wheel, events, BATCH)) > 0) {
		for (i = 0; i < n; i++) {
			struct operation *o = p->owner[WHEEL_ID_SLOT(events[i].id)];

			if (now < o->deadline)
				die("an operation expired early", EPROTO);
			libwheel_keep_rest(p->wheel, events[i].id);
			complete(p, o);
			p->expired++;
		}
	}
}

/*
 * A day of a broker, on a clock that we move ourselves: a millisecond a step, some
 * messages come, some operations begin.
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
		"Plays a day of a message broker: so many operations wait for data, but no\n"
		"longer than their timeouts, and each completes once:\n"
		"	purgatory 100000\n");
	exit(2);
}

/* A number, at most so large, and nothing else. */
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
		.scheme = WHEEL_HIERARCHICAL, .flags = WHEEL_SETUP_TOUCH,
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
