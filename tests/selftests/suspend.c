// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend: CLOCK_MONOTONIC stops, so its timers are not affected. BOOTTIME and REALTIME
 * continue, so timers that became due meanwhile expire right after resume.
 *
 * The tests suspend the machine, including its clocks, except for the last step: pm_test
 * makes it wait instead of powering off. Set the environment variable WHEEL_KEEP_AWAKE to
 * skip them.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define MEM_SLEEP	"/sys/power/mem_sleep"
#define PM_TEST		"/sys/power/pm_test"
#define PM_TEST_DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define STATE		"/sys/power/state"

/* Duration of the wait in seconds. A clock may measure it with a resolution of one second. */
#define ASLEEP		"2"

#define TIMERS		300
/* A timer that does not expire during the test, and one that the test waits for. */
#define FAR		TIMERS
#define NEXT		(TIMERS + 1)
#define TICK		WT_MS
/* Delay of the first deadline. All timers are armed by then. */
#define LEAD		(200 * WT_MS)
/* Less than the lateness of a timer that uses the wrong clock. */
#define WHILE		(500 * WT_MS)

static const struct kind {
	__u32 clock, scheme;
	bool parks;
	/* Range of the deadlines. */
	__u64 span;
} kinds[] = {
	{ WHEEL_CLOCK_MONOTONIC, WHEEL_HASHED, false, WT_SEC },
	{ WHEEL_CLOCK_MONOTONIC, WHEEL_HIERARCHICAL, false, WT_SEC },
	{ WHEEL_CLOCK_BOOTTIME, WHEEL_HASHED, false, 10 * WT_SEC },
	{ WHEEL_CLOCK_BOOTTIME, WHEEL_HIERARCHICAL, false, 10 * WT_SEC },
	{ WHEEL_CLOCK_BOOTTIME, WHEEL_HASHED, true, 10 * WT_SEC },
	{ WHEEL_CLOCK_REALTIME, WHEEL_HASHED, false, 10 * WT_SEC },
};

#define KINDS	ARRAY_SIZE(kinds)

/* A wheel, its timers, and the results. */
struct sleeper {
	const struct kind *kind;
	int fd;
	__u64 *words;
	__u64 whens[TIMERS];
	bool parked[TIMERS];
	unsigned int events[TIMERS + 2];
	unsigned int due, came, early, strange;
	struct wheel_stats before, after;
};

FIXTURE(suspend) {
	struct sleeper sleepers[KINDS];
	char mem_sleep[16], delay[16];
	__u64 seed;
};

static int put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = strlen(value);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, value, len) == len ? 0 : -errno;
	close(fd);
	return ret;
}

/* The first line of a file. Empty if the file does not exist. */
static const char *get(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, room - 1);

	text[got < 0 ? 0 : got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	close(fd);
	return text;
}

/* The word in brackets: the current value of a file that lists its possible values. */
static void get_chosen(const char *path, char *word, size_t room)
{
	char text[128], *from = strchr(get(path, text, sizeof(text)), '[');

	snprintf(word, room, "%.*s", from ? (int)strcspn(from + 1, "]") : 0,
		 from ? from + 1 : "");
}

static bool may_suspend(void)
{
	char text[128];

	return !getenv("WHEEL_KEEP_AWAKE") &&
		strstr(get(STATE, text, sizeof(text)), "mem") &&
		strstr(get(MEM_SLEEP, text, sizeof(text)), "deep") &&
		strstr(get(PM_TEST, text, sizeof(text)), "[none]") &&
		!access(STATE, W_OK);
}

static int open_sleeper(struct sleeper *s, const struct kind *kind)
{
	struct wheel_setup setup = {
		.flags = kind->parks ? WHEEL_SETUP_WORDS : 0,
		.clock = kind->clock, .scheme = kind->scheme, .tick_ns = TICK,
		.timers = TIMERS + 2,
	};

	s->kind = kind;
	s->fd = wt_open_setup(O_NONBLOCK, &setup);
	if (s->fd >= 0 && kind->parks)
		s->words = wt_map(s->fd, setup.timers);
	return s->fd < 0 ? s->fd : kind->parks && !s->words ? -ENOMEM : 0;
}

FIXTURE_SETUP(suspend)
{
	unsigned int i;

	if (!may_suspend())
		SKIP(return, "suspend is not supported or not permitted");
	get_chosen(MEM_SLEEP, self->mem_sleep, sizeof(self->mem_sleep));
	get(PM_TEST_DELAY, self->delay, sizeof(self->delay));
	self->seed = wt_seed();
	for (i = 0; i < KINDS; i++)
		ASSERT_EQ(0, open_sleeper(&self->sleepers[i], &kinds[i]));
}

FIXTURE_TEARDOWN(suspend)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		close(self->sleepers[i].fd);
}

static int suspend(const char *mem_sleep, const char *delay)
{
	int ret = put(MEM_SLEEP, "deep");

	put(PM_TEST_DELAY, ASLEEP);
	ret = ret ?: put(PM_TEST, "core");
	ret = ret ?: put(STATE, "mem");
	put(PM_TEST, "none");
	put(PM_TEST_DELAY, delay);
	put(MEM_SLEEP, mem_sleep);
	return ret;
}

static int arm_all(struct sleeper *s, __u64 *seed)
{
	__u64 start = wt_now(s->kind->clock) + LEAD;
	__u32 flags = s->kind->parks ? WHEEL_OP_WORD : 0;
	struct wheel_op ops[TIMERS + 1];
	int i;

	for (i = 0; i < TIMERS; i++) {
		s->whens[i] = start + wt_below(seed, s->kind->span);
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), s->whens[i]);
		ops[i].flags = flags;
	}
	ops[FAR] = wt_op(WHEEL_OP_ARM, WHEEL_ID(FAR, 1), start + WT_HOUR);
	if (wt_batch(s->fd, ops, TIMERS + 1))
		return -1;
	for (i = 0; i <= TIMERS; i++)
		if (ops[i].res)
			return ops[i].res;
	return 0;
}

/* Park every other timer. Parked timers must not expire or cause wake-ups. */
static void park_some(struct sleeper *s)
{
	int i;

	for (i = 0; s->kind->parks && i < TIMERS; i += 2)
		s->parked[i] = wt_park(&s->words[i]);
}

static unsigned int count_due(const struct sleeper *s)
{
	__u64 now = wt_now(s->kind->clock);
	unsigned int i, n = 0;

	for (i = 0; i < TIMERS; i++)
		n += !s->parked[i] && wt_boundary(s->whens[i], TICK) <= now;
	return n;
}

static void take_event(struct sleeper *s, const struct wheel_event *e, __u64 now)
{
	__u32 slot = WHEEL_ID_SLOT(e->id);

	s->events[slot]++;
	s->early += e->deadline > e->fired || e->fired > now;
	if (slot >= TIMERS)
		return;
	s->came++;
	s->strange += e->deadline != s->whens[slot] || s->parked[slot];
}

/* Read up to one batch of events. Returns their number or a negative errno. */
static int take_events(struct sleeper *s)
{
	struct wheel_event events[64];
	int i, n = wt_read(s->fd, events, 64);
	/* P1 is checked with the test's own clock, read after the events. */
	__u64 now = wt_now(s->kind->clock);

	for (i = 0; i < n; i++)
		take_event(s, &events[i], now);
	return n;
}

/* Take events of all wheels until NEXT has expired @nexts times on the first. */
static int take_until(struct sleeper *sleepers, __u32 nexts)
{
	struct pollfd polled[KINDS];
	unsigned int i;
	int ret;

	for (i = 0; i < KINDS; i++)
		polled[i] = (struct pollfd){ sleepers[i].fd, POLLIN, 0 };
	while (sleepers->events[NEXT] < nexts) {
		if (poll(polled, KINDS, -1) < 0)
			return -errno;
		for (i = 0; i < KINDS; i++) {
			ret = polled[i].revents ? take_events(&sleepers[i]) : 0;
			if (ret < 0 && ret != -EAGAIN)
				return ret;
		}
	}
	return 0;
}

/* Time that the clocks which continue during suspend are ahead of CLOCK_MONOTONIC. */
static __u64 gap(void)
{
	return wt_now(WHEEL_CLOCK_BOOTTIME) - wt_now(WHEEL_CLOCK_MONOTONIC);
}

/* The number of timers that expired twice or too early, plus 1 if some are unaccounted for. */
static unsigned int miscounted(const struct sleeper *s, __u64 unfired)
{
	unsigned int i, n = s->events[FAR], expected = 1;

	for (i = 0; i < TIMERS; i++) {
		n += s->events[i] > 1;
		expected += !s->parked[i];
	}
	return n + (s->came + unfired != expected);
}

/* Check whether a wheel has not yet expired all due timers. */
static bool overdue(struct sleeper *s, const struct sleeper *end)
{
	for (; s < end; s++)
		if (wt_stats(s->fd, &s->after) || s->after.fired < s->due)
			return true;
	return false;
}

WT_TEST(suspend, p1_never_early_p2_bounded_late_p3_exactly_once)
{
	struct sleeper *s, *first = self->sleepers, *end = first + KINDS;
	__u64 slept = gap(), begun = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u64 ticks, unfired, until;
	__u32 round, nexts = 0;
	int ret;

	for (s = first; s < end; s++) {
		ASSERT_EQ(0, arm_all(s, &self->seed));
		park_some(s);
		ASSERT_EQ(0, wt_stats(s->fd, &s->before));
	}
	ret = suspend(self->mem_sleep, self->delay);
	if (ret)
		SKIP(return, "suspend failed: %s", strerror(-ret));
	slept = gap() - slept;
	if (slept < WT_SEC)
		SKIP(return, "no clock shows that the machine was suspended");

	/*
	 * Timers that are due now expire before NEXT, which is due later. On a busy machine,
	 * the interrupt of another wheel may come after that, but within the time asleep.
	 */
	for (round = 1; round <= 2; round++) {
		for (s = first; s < end; s++)
			s->due = count_due(s);
		until = wt_now(WHEEL_CLOCK_MONOTONIC) + slept - WHILE;
		do {
			ASSERT_EQ(0, wt_arm_rel(first->fd, WHEEL_ID(NEXT, ++nexts), WHILE));
			ASSERT_EQ(0, take_until(first, nexts));
		} while (overdue(first, end) && wt_now(WHEEL_CLOCK_MONOTONIC) < until);
		for (s = first; s < end; s++) {
			ASSERT_EQ(0, wt_stats(s->fd, &s->after));
			EXPECT_LE(s->due, s->after.fired);
		}
		if (round == 1)
			TH_LOG("%llu ms asleep: %u of %d were due", slept / WT_MS,
			       end[-1].due, TIMERS);
	}

	ticks = (wt_now(WHEEL_CLOCK_MONOTONIC) - begun) / TICK;
	for (s = first; s < end; s++) {
		/* Wheels are woken for due ticks only, and for no tick during the suspend. */
		EXPECT_GE(ticks + 2, s->after.wakeups - s->before.wakeups);
		EXPECT_GE(ticks + 2 + TIMERS / 64,
			  s->after.passes - s->before.passes);
		ASSERT_EQ(0, wt_stop(s->fd, &unfired));
		while ((ret = take_events(s)) > 0)
			continue;
		EXPECT_EQ(-ESHUTDOWN, ret);
		EXPECT_EQ(0, s->early);
		EXPECT_EQ(0, s->strange);
		EXPECT_EQ(0, miscounted(s, unfired));
		ASSERT_EQ(0, wt_stats(s->fd, &s->after));
		EXPECT_TRUE(wt_balanced(&s->after));
		EXPECT_EQ(s->came + s->events[NEXT], s->after.fired);
		EXPECT_EQ(0, s->after.pending);
	}
}

TEST_HARNESS_MAIN
