// SPDX-License-Identifier: GPL-2.0
/*
 * Call each function of libwheel, on its user-space backend, under callgrind. Ids are read from an
 * array and return values are checked, as in a program. The counters are dumped after each loop.
 */
#include <libwheel.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#define PENDING		10000
#define COUNTED		4096
#define BATCH		256
#define SECOND		1000000000ULL
#define FAR		(3000 * SECOND)

static struct libwheel *wheel;
static struct libwheel_timeouts *timeouts;
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

/*
 * Read the clock, in place of the function of the C library. Valgrind hides the vDSO. Reading the
 * clock would therefore be a system call and count as 9 instructions. In a program, it takes 10
 * instructions of the C library and 61 of the vDSO of Linux 6.18 on x86-64 (clock source tsc).
 * These were counted by mapping the vDSO under callgrind. This function executes the same number.
 * It is a constant, so the counts do not depend on the running kernel.
 */
#define CLOCK_READ	71

__attribute__((noinline)) int clock_gettime(clockid_t clock, struct timespec *ts)
{
	unsigned long pairs = (CLOCK_READ - 5) / 2;
	long ret = SYS_clock_gettime;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (pairs));
	__asm__ volatile("syscall" : "+a" (ret) : "D" (clock), "S" (ts) : "rcx", "r11", "memory");
	return ret ? -1 : 0;
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
	CALLGRIND_ZERO_STATS;						\
	for (uint32_t i = 0; i < (loops); i++)				\
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
	COUNT_OF("libwheel_rearm_in", BATCH, 256, libwheel_rearm_in(wheel, ids[i], 2 * FAR));
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
	need(submit(0));
	COUNT_OF("libwheel_arm_within", BATCH, 256,
		 libwheel_arm_within(wheel, newer(i), deadlines[i], SECOND, i));
	need(submit(0));
	COUNT_OF("libwheel_arm_every", BATCH, 256,
		 libwheel_arm_every(wheel, newer(i), deadlines[i], FAR, i));
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
	COUNT("libwheel_word_arm postpone", libwheel_word_arm(wheel, ids[i], later));
	COUNT("libwheel_word_notify", libwheel_word_notify(wheel, ids[i], deadlines[i]));
	expire_words(other);
	COUNT("libwheel_word_restart", libwheel_word_restart(wheel, events[i].id, deadlines[0]));
	need(libwheel_word_park(wheel, other));
	expire_words(other);
	COUNT("libwheel_word_reset", libwheel_word_reset(wheel, events[i].id));
	libwheel_close(wheel);
}

/* Not inlined, so that the time is computed. */
static __attribute__((noinline)) int use(struct libwheel_time time)
{
	__asm__ volatile("" : : "r" (time.ns));
	return 0;
}

static void count_timeouts(void)
{
	const struct libwheel_options on_virtual_clock = {
		.size = sizeof(on_virtual_clock), .clock = WHEEL_CLOCK_VIRTUAL,
	};
	struct libwheel_time later;
	uint32_t slot;

	COUNT_OF("libwheel_timeout_open", 1, 1, libwheel_timeout_open(&timeouts, COUNTED, NULL));
	/* Later than the deadlines before, however long the machine has been up. */
	later = libwheel_time_after(libwheel_timeout_now(timeouts), 4 * FAR);
	COUNT("libwheel_timeout_start first", libwheel_timeout_start(timeouts, i, FAR));
	COUNT("libwheel_timeout_start postpone", libwheel_timeout_start(timeouts, i, 2 * FAR));
	COUNT("libwheel_timeout_start_at postpone", libwheel_timeout_start_at(timeouts, i, later));
	COUNT("libwheel_timeout_stop", libwheel_timeout_stop(timeouts, i));
	COUNT("libwheel_timeout_start_at", libwheel_timeout_start_at(timeouts, i, later));
	COUNT("libwheel_timeout_now", use(libwheel_timeout_now(timeouts)));
	COUNT("libwheel_time_after", use(libwheel_time_after(later, i)));
	COUNT("libwheel_timeout_fd", libwheel_timeout_fd(timeouts));
	COUNT("libwheel_timeout_wheel", !libwheel_timeout_wheel(timeouts));
	COUNT_OF("libwheel_timeout_close", 1, 1, (libwheel_timeout_close(timeouts), 0));
	need(libwheel_timeout_open(&timeouts, COUNTED, &on_virtual_clock));
	for (slot = 0; slot < COUNTED; slot++)
		need(libwheel_timeout_start(timeouts, slot, 1));
	COUNT_OF("libwheel_timeout_advance", 1, 4096, libwheel_timeout_advance(timeouts, later));
	COUNT_OF("libwheel_timeout_wait", COUNTED / BATCH, 4096,
		 libwheel_timeout_wait(timeouts, events, BATCH, -1));
	libwheel_timeout_close(timeouts);
}

static void count_one_thread(void)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .mode = LIBWHEEL_ONE_THREAD,
	};
	struct libwheel_time late, later;

	need(libwheel_timeout_open(&timeouts, COUNTED, &options));
	late = libwheel_time_after(libwheel_timeout_now(timeouts), 4 * FAR);
	later = libwheel_time_after(late, FAR);
	COUNT("one thread libwheel_timeout_start_at first",
	      libwheel_timeout_start_at(timeouts, i, late));
	COUNT("one thread libwheel_timeout_start_at postpone",
	      libwheel_timeout_start_at(timeouts, i, later));
	COUNT("one thread libwheel_timeout_stop", libwheel_timeout_stop(timeouts, i));
	COUNT("libwheel_timeout_do_stop", libwheel_timeout_do_stop(timeouts, i) != -ENOENT);
	later = libwheel_time_after(later, FAR);
	COUNT("one thread libwheel_timeout_start_at",
	      libwheel_timeout_start_at(timeouts, i, later));
	COUNT("libwheel_timeout_do_start", libwheel_timeout_do_start(timeouts, i, later));
	libwheel_timeout_close(timeouts);
}

int main(void)
{
	/*
	 * The time to find a variable depends on the number of variables, and that to allocate
	 * memory on the address at which the heap begins.
	 */
	need(clearenv());
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
	setenv("LIBWHEEL_BACKEND", "user", 1);
	count_timers();
	count_events();
	count_words();
	count_timeouts();
	count_one_thread();
	return 0;
}
