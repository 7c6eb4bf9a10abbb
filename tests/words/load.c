// SPDX-License-Identifier: GPL-2.0
/*
 * A server under load, on a simulated clock. Free slots and requests in flight are in
 * arrays. Each new request replaces a random older one.
 */
#include <stdlib.h>

#include "load.h"
#include "machine.h"

#define TICK		1000000ULL
#define SECOND		1000000000ULL
#define SLOTS		131072
#define NOBODY		(~0U)

/**
 * struct server - simulated server
 * @load: load parameters
 * @wheel: wheel of the timers
 * @random: state of the random number generator
 * @free: ring of free slots
 * @head: index of the first free slot
 * @count: number of free slots
 * @flying: slots of the requests in flight
 * @flights: size of @flying
 * @result: results
 */
struct server {
	const struct load *load;
	struct libwheel *wheel;
	__u64 random;
	__u32 *free;
	__u32 head;
	__u32 count;
	__u32 *flying;
	__u64 flights;
	struct result result;
};

static __u64 draw(struct server *s, __u64 limit)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (s->random >> 16) % limit;
}

static void put(struct server *s, __u32 slot)
{
	s->free[(s->head + s->count++) % SLOTS] = slot;
}

static __u32 pick(struct server *s)
{
	__u32 *last = &s->free[(s->head + s->count - 1) % SLOTS];
	__u32 *any = &s->free[(s->head + draw(s, s->count)) % SLOTS];
	__u32 slot;

	s->count--;
	if (s->load->order == FIRST_FIRST)
		return s->free[s->head++ % SLOTS];
	if (s->load->order == LAST_FIRST)
		return *last;
	slot = *any;
	*any = *last;
	return slot;
}

static void complain(struct server *s, const char *what)
{
	if (!s->result.wrong)
		s->result.wrong = what;
}

/* Called when the wheel's timerfd would wake the event loop. */
static void take_events(struct server *s)
{
	struct wheel_event event;

	while (libwheel_expirations(s->wheel, &event, 1) == 1) {
		if (event.fired < event.deadline)
			complain(s, "a timer was early");
		if (event.fired >= event.deadline + 2 * TICK)
			complain(s, "a timer was late");
		if (libwheel_word_reset(s->wheel, event.id))
			complain(s, "a timer that had fired was in use");
		put(s, event.cookie);
		s->result.fired++;
	}
}

/* End a random request and start the next one in its place. */
static void request(struct server *s)
{
	__u64 timeout = s->load->timeout;
	__u32 *flight = &s->flying[draw(s, s->flights)];

	if (*flight != NOBODY && draw(s, 1000) >= s->load->expires &&
	    !libwheel_word_park(s->wheel, *flight))
		put(s, *flight);
	*flight = NOBODY;
	if (!s->count)
		return;
	*flight = pick(s);
	if (draw(s, 1000) < s->load->brief)
		timeout /= 100;
	if (libwheel_word_arm(s->wheel, *flight, machine_now() + timeout))
		complain(s, "a timer could not be armed");
	s->result.requests++;
}

static __u64 passes(struct server *s)
{
	struct wheel_stats stats;

	libwheel_stats(s->wheel, &stats);
	s->result.filed = stats.armed;
	return stats.passes;
}

static void run_second(struct server *s, bool counts)
{
	__u64 before = passes(s), gap = SECOND / s->load->rate, i, made;

	for (i = 0; i < s->load->rate; i++) {
		machine_pass(gap);
		if (machine_now() >= machine_alarm())
			take_events(s);
		request(s);
	}
	made = passes(s) - before;
	if (counts && made > s->result.passes)
		s->result.passes = made;
}

static void open_server(struct server *s)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER,
		.flags = WHEEL_SETUP_WORDS, .timers = SLOTS, .tick_ns = TICK,
		.scheme = WHEEL_HIERARCHICAL,
	};
	__u64 i;

	s->free = malloc(SLOTS * sizeof(*s->free));
	s->flying = malloc(s->flights * sizeof(*s->flying));
	if (!s->free || !s->flying || libwheel_open(&s->wheel, &options))
		abort();
	for (i = 0; i < s->flights; i++)
		s->flying[i] = NOBODY;
	for (i = SLOTS; i--; put(s, i)) {
		if (libwheel_word(s->wheel, WHEEL_ID(i, 1), i))
			abort();
	}
}

struct result load_run(const struct load *load)
{
	struct server s = {
		.load = load, .random = 88172645463325252ULL,
		.flights = load->life * load->rate / SECOND,
	};
	__u64 kicks = machine_kicks();
	__u32 second;

	open_server(&s);
	for (second = 0; second < load->seconds; second++)
		run_second(&s, second > 0);
	s.result.kicks = machine_kicks() - kicks;
	libwheel_close(s.wheel);
	free(s.free);
	free(s.flying);
	return s.result;
}
