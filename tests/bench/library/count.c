// SPDX-License-Identifier: GPL-2.0
/*
 * Call each function of libwheel, on its user-space backend, under callgrind. Ids are read from an
 * array and return values are checked, as in a program. The counters are dumped after each loop.
 */
#include <libwheel.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#define PENDING		10000
#define COUNTED		4096
#define BATCH		256
#define SECOND		1000000000ULL
#define FAR		(3000 * SECOND)

static struct libwheel *wheel;
static uint64_t ids[COUNTED];
static uint64_t deadlines[COUNTED];
static struct wheel_event events[COUNTED];
static struct wheel_op ops[COUNTED + PENDING];

/* No deadline is earlier than the first one. */
static uint64_t some_deadline(uint64_t now)
{
	static uint64_t state;

	state = state * 6364136223846793005 + 1442695040888963407;
	return now + FAR + (state >> 33) % 1000 * SECOND;
}

static void need(int ret)
{
	if (ret < 0)
		abort();
}

/* Open a wheel of COUNTED slots with some deadlines, and PENDING others that are in use. */
static void open_wheel(uint32_t clock, uint32_t flags)
{
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = WHEEL_HIERARCHICAL, .clock = clock,
		.flags = flags, .backend = LIBWHEEL_USER, .timers = COUNTED + PENDING,
	};
	uint64_t now;
	uint32_t i;

	need(libwheel_open(&wheel, &options));
	now = libwheel_now(wheel);
	for (i = 0; i < COUNTED; i++) {
		ids[i] = WHEEL_ID(i, 1);
		deadlines[i] = i ? some_deadline(now) : now + FAR;
	}
	for (i = COUNTED; i < COUNTED + PENDING && !flags; i++)
		need(libwheel_arm(wheel, WHEEL_ID(i, 1), some_deadline(now), 0));
}

/* The count includes the loop itself, about five instructions, and the update of the ids. */
#define COUNT_OF(name, loops, operations, call)				\
do {									\
	uint32_t i;							\
									\
	CALLGRIND_ZERO_STATS;						\
	for (i = 0; i < (loops); i++)					\
		need(call);						\
	CALLGRIND_DUMP_STATS_AT("library," name ",10000,hierarchical,instructions," #operations); \
} while (0)

#define COUNT(name, call)	COUNT_OF(name, COUNTED, 4096, call)

static uint64_t newer(uint32_t i)
{
	return ids[i] += WHEEL_ID(0, 1);
}

static int arm_and_cancel(uint32_t i)
{
	int err = libwheel_arm(wheel, newer(i), deadlines[i], i);

	return err ? err : libwheel_cancel(wheel, ids[i]);
}

static int do_arm(uint32_t i)
{
	struct wheel_op op = { .op = WHEEL_OP_ARM, .id = newer(i), .when = deadlines[i] };

	return libwheel_do(wheel, &op);
}

static void arm_all(uint64_t when)
{
	uint32_t i;

	for (i = 0; i < COUNTED; i++)
		need(libwheel_arm(wheel, newer(i), when ? when : deadlines[i], i));
}

static int submit(uint32_t i)
{
	uint32_t j;

	for (j = i * BATCH; j < (i + 1) * BATCH; j++)
		ops[j] = (struct wheel_op){ .op = WHEEL_OP_CANCEL, .id = ids[j] };
	return -libwheel_submit(wheel, &ops[i * BATCH], BATCH, NULL);
}

static int list_all(void)
{
	uint32_t cursor = 0;

	return libwheel_list(wheel, 0, ops, COUNTED + PENDING, &cursor);
}

static int clock_now(void)
{
	struct timespec ts;

	return clock_gettime(CLOCK_MONOTONIC, &ts) || !(ts.tv_sec * SECOND + ts.tv_nsec);
}

static void count_timers(void)
{
	struct wheel_setup info;
	struct wheel_stats stats;
	uint64_t when;

	open_wheel(WHEEL_CLOCK_MONOTONIC, 0);
	/* The first arm of a slot allocates its memory. */
	COUNT("libwheel_do arm", do_arm(i));
	COUNT("libwheel_cancel", libwheel_cancel(wheel, ids[i]));
	COUNT("libwheel_arm", libwheel_arm(wheel, newer(i), deadlines[i], i));
	COUNT("libwheel_rearm", libwheel_rearm(wheel, ids[i], deadlines[COUNTED - 1 - i]));
	COUNT("libwheel_rearm_or_arm pending",
	      libwheel_rearm_or_arm(wheel, &ids[i], deadlines[i], i));
	COUNT("libwheel_query", libwheel_query(wheel, ids[i], &when));
	COUNT_OF("libwheel_submit", COUNTED / BATCH, 4096, submit(i));
	COUNT("libwheel_rearm_or_arm idle",
	      libwheel_rearm_or_arm(wheel, &ids[i], deadlines[i], i));
	COUNT_OF("libwheel_list", 1, 14096, list_all());
	need(submit(0));
	COUNT_OF("arm + cancel", BATCH, 256, arm_and_cancel(i));
	COUNT_OF("libwheel_arm_in", BATCH, 256, libwheel_arm_in(wheel, newer(i), FAR, i));
	COUNT("clock_gettime", clock_now());
	COUNT("libwheel_now", !libwheel_now(wheel));
	COUNT("libwheel_next", libwheel_next(wheel, &when));
	COUNT("libwheel_stats", libwheel_stats(wheel, &stats));
	COUNT("libwheel_info", libwheel_info(wheel, &info));
	COUNT("libwheel_fd", libwheel_fd(wheel));
	COUNT("libwheel_backend", libwheel_backend(wheel));
	COUNT("libwheel_version", !libwheel_version());
	COUNT("libwheel_strerror", !libwheel_strerror(-ENOENT));
	COUNT_OF("libwheel_stop", 1, 14096, libwheel_stop(wheel, NULL));
	COUNT_OF("libwheel_close", 1, 1, (libwheel_close(wheel), 0));
	COUNT_OF("libwheel_open", 1, 1, libwheel_open(&wheel, NULL));
	COUNT("libwheel_slot_get", libwheel_slot_get(wheel, &ids[i]));
	COUNT("libwheel_slot_put", (libwheel_slot_put(wheel, ids[i]), 0));
	libwheel_close(wheel);
}

/* On a clock that stands still, and with all timers due at once. */
static void count_events(void)
{
	open_wheel(WHEEL_CLOCK_VIRTUAL, 0);
	arm_all(1);
	COUNT_OF("libwheel_advance", 1, 4096, libwheel_advance(wheel, SECOND, NULL));
	COUNT_OF("libwheel_expirations", COUNTED / BATCH, 4096,
		 libwheel_expirations(wheel, &events[i * BATCH], BATCH));
	arm_all(1);
	need(libwheel_advance(wheel, 2 * SECOND, NULL));
	COUNT("libwheel_wait", libwheel_wait(wheel, events, 1, -1));
	libwheel_close(wheel);
}

/* Let all words expire, and take their events. Another word is armed, so that a scan follows. */
static void expire_words(uint64_t other)
{
	uint32_t i;

	for (i = 0; i < COUNTED; i++)
		need(libwheel_word_arm(wheel, ids[i], 1));
	usleep(20000);
	need(libwheel_word_arm(wheel, other, deadlines[0]));
	need(libwheel_expirations(wheel, events, COUNTED));
}

/* The doorbell of a slot is clear when it is armed for the first time. */
static void count_words(void)
{
	const uint64_t other = WHEEL_ID(COUNTED, 1);
	uint64_t later;

	open_wheel(WHEEL_CLOCK_MONOTONIC, WHEEL_SETUP_WORDS);
	later = deadlines[0] + FAR;
	need(libwheel_word(wheel, other, 0));
	COUNT("libwheel_word", libwheel_word(wheel, ids[i], i));
	COUNT("libwheel_word_arm and doorbell", libwheel_word_arm(wheel, ids[i], deadlines[i]));
	COUNT("libwheel_word_push", libwheel_word_push(wheel, ids[i], later));
	COUNT("libwheel_word_park", libwheel_word_park(wheel, ids[i]));
	COUNT("libwheel_word_arm", libwheel_word_arm(wheel, ids[i], deadlines[i]));
	COUNT("libwheel_word_notify", libwheel_word_notify(wheel, ids[i], deadlines[i]));
	expire_words(other);
	COUNT("libwheel_word_restart", libwheel_word_restart(wheel, events[i].id, deadlines[0]));
	need(libwheel_word_park(wheel, other));
	expire_words(other);
	COUNT("libwheel_word_reset", libwheel_word_reset(wheel, events[i].id));
	libwheel_close(wheel);
}

static void expire_timeouts(void)
{
	uint32_t i;

	for (i = 0; i < COUNTED; i++)
		need(libwheel_timeout_start(wheel, i, 1));
	usleep(20000);
}

static void count_timeouts(void)
{
	static struct epoll_event ready[BATCH];
	struct epoll_event entry = { .events = EPOLLIN };
	int epoll = epoll_create1(0);

	COUNT_OF("libwheel_timeout_open", 1, 1, libwheel_timeout_open(&wheel, COUNTED));
	COUNT("libwheel_timeout_start first", libwheel_timeout_start(wheel, i, FAR));
	COUNT("libwheel_timeout_start", libwheel_timeout_start(wheel, i, FAR));
	COUNT("libwheel_timeout_stop", libwheel_timeout_stop(wheel, i));
	expire_timeouts();
	COUNT_OF("libwheel_timeout_wait", COUNTED / BATCH, 4096,
		 libwheel_timeout_wait(wheel, events, BATCH, -1));
	entry.data.fd = libwheel_fd(wheel);
	need(epoll_ctl(epoll, EPOLL_CTL_ADD, libwheel_fd(wheel), &entry));
	expire_timeouts();
	/* It takes 64 at a time. */
	COUNT_OF("libwheel_timeout_epoll", COUNTED / 64, 4096,
		 libwheel_timeout_epoll(wheel, epoll, ready, BATCH));
	libwheel_close(wheel);
}

int main(void)
{
	setenv("LIBWHEEL_BACKEND", "user", 1);
	count_timers();
	count_events();
	count_words();
	count_timeouts();
	return 0;
}
