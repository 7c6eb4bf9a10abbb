// SPDX-License-Identifier: MIT
/* Timers of libwheel with words. Arming, moving or cancelling one is one atomic exchange. */
#include <err.h>
#include <event2/event.h>
#include <libwheel.h>

#include "timers.h"

#define BATCH		256
#define NS_PER_MS	1000000ULL

static struct libwheel *wheel;
static uint64_t lengths[2];
static timers_fn *on_expired;

static void on_wheel(int fd, short what, void *arg)
{
	struct wheel_event events[BATCH];
	int i, n;

	do {
		n = libwheel_expirations(wheel, events, BATCH);
		for (i = 0; i < n; i++) {
			libwheel_word_reset(wheel, events[i].id);
			on_expired(WHEEL_ID_SLOT(events[i].id));
		}
	} while (n == BATCH);
}

static void keep(unsigned int nr)
{
	int error = libwheel_word(wheel, WHEEL_ID(nr, 1), 0);

	if (error)
		errx(1, "libwheel: %s", libwheel_strerror(error));
}

void timers_open(struct event_base *base, unsigned int count, unsigned int even_ms,
		 unsigned int odd_ms, timers_fn *expired)
{
	const struct libwheel_options options = {
		.size = sizeof(options),
		.flags = WHEEL_SETUP_WORDS,
		.timers = count,
	};
	int error = libwheel_open(&wheel, &options);
	unsigned int nr;

	if (error)
		errx(1, "libwheel: %s", libwheel_strerror(error));
	for (nr = 0; nr < count; nr++)
		keep(nr);
	lengths[0] = even_ms * NS_PER_MS;
	lengths[1] = odd_ms * NS_PER_MS;
	on_expired = expired;
	event_add(event_new(base, libwheel_fd(wheel), EV_READ | EV_PERSIST, on_wheel, NULL),
		  NULL);
}

void timers_arm(unsigned int nr)
{
	int error = libwheel_word_arm(wheel, nr, libwheel_now(wheel) + lengths[nr % 2]);

	/* -ENOENT: the timer has expired, and its event follows. */
	if (error && error != -ENOENT)
		errx(1, "libwheel: %s", libwheel_strerror(error));
}

void timers_cancel(unsigned int nr)
{
	int error = libwheel_word_park(wheel, nr);

	/* -ENOENT: the timer has expired, and its event follows. */
	if (error && error != -ENOENT)
		errx(1, "libwheel: %s", libwheel_strerror(error));
}
