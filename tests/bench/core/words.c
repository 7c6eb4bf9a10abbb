// SPDX-License-Identifier: GPL-2.0
/*
 * libwheel's timers with words on its user-space backend, without the module. Arming and cancelling
 * exchange one word. The backend requests its wake-up with timerfd_settime(), which is
 * overridden here.
 */
#include <libwheel.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#include "contestant.h"

#define TICK_NS	1000000
#define BATCH	64

static struct libwheel *wheel;
static u64 alarm_at = ~(u64)0;

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	u64 at = (u64)new->it_value.tv_sec * 1000000000 + (u64)new->it_value.tv_nsec;

	(void)fd;
	(void)flags;
	(void)old;
	alarm_at = at ? at : ~(u64)0;
	return 0;
}

static bool create(u32 count)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER,
		.flags = WHEEL_SETUP_WORDS, .timers = count, .tick_ns = TICK_NS,
		.scheme = WHEEL_HIERARCHICAL,
	};
	u32 i;

	if (libwheel_open(&wheel, &options))
		return false;
	for (i = 0; i < count; i++) {
		if (libwheel_word(wheel, WHEEL_ID(i, 1), i))
			return false;
	}
	return true;
}

static void need(int err)
{
	if (err)
		abort();
}

static void arm(u32 i, u64 deadline)
{
	need(libwheel_word_arm(wheel, i, deadline * TICK_NS));
}

static void cancel(u32 i)
{
	need(libwheel_word_park(wheel, i));
}

static void rearm(u32 i, u64 deadline)
{
	need(libwheel_word_push(wheel, i, deadline * TICK_NS));
}

static void advance(void)
{
	struct wheel_event events[BATCH];
	int i, n;

	if (bench_now * TICK_NS < alarm_at)
		return;
	do {
		n = libwheel_expirations(wheel, events, BATCH);
		for (i = 0; i < n; i++) {
			libwheel_word_reset(wheel, events[i].id);
			bench_fire();
		}
	} while (n == BATCH);
}

const struct contestant word_timers = {
	"word", create, arm, rearm, cancel, advance,
};
