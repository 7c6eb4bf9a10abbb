// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend: MONOTONIC stops over it, so what runs on it does not notice; BOOTTIME
 * and REALTIME go on, so what came to be due meanwhile fires at once afterwards.
 *
 * The machine is suspended for real, down to its clocks, as far as the last step:
 * there pm_test has it wait instead of turning off. Env WHEEL_KEEP_AWAKE forbids
 * that.
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

/* How long it waits, in seconds; a clock may have to guess from whole ones. */
#define ASLEEP		"2"

#define TIMERS		300
/* One that is not due before the test is over, and one that the test waits for. */
#define FAR		TIMERS
#define NEXT		(TIMERS + 1)
#define TICK		WT_MS
/* The first deadline: all are armed by then. */
#define LEAD		(200 * WT_MS)
/* Less than who runs by the wrong clock is late. */
#define WHILE		(500 * WT_MS)

static const struct kind {
	__u32 clock, scheme;
	bool parks;
	/* Of the deadlines. */
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

/* A wheel, what it was asked for, and what came of it. */
struct sleeper {
	const struct kind *kind;
	int fd;
	__u64 *words;
	__u64 whens[TIMERS];
	bool parked[TIMERS];
	/* Were all armed before the first was due, so that their order is known? */
	bool in_time;
	unsigned int events[TIMERS + 2];
	unsigned int due, came, early, strange, disordered;
	__u64 last;
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

/* The text of the file: none if there is no file. */
static const char *get(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, room - 1);

	text[got < 0 ? 0 : got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	close(fd);
	return text;
}

/* The one in brackets, of the words that the file has to choose from. */
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
		.flags = kind->parks ? WHEEL_SETUP_TOUCH : 0,
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
		SKIP(return, "the machine cannot be suspended, or may not be");
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
	__u32 flags = s->kind->parks ? WHEEL_OP_TOUCH : 0;
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
	s->in_time = wt_now(s->kind->clock) < start;
	return 0;
}

/* Every other one: these shall not come, nor wake anybody in vain. */
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

/* P5: by due tick, then as they were armed, which was by slot. */
static __u64 rank(const struct sleeper *s, __u32 slot)
{
	return wt_boundary(s->whens[slot], TICK) + slot;
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
	s->disordered += s->in_time && rank(s, slot) < s->last;
	s->last = rank(s, slot);
}

/* Reads the events that are there, up to a batch: how many, or a negative errno. */
static int take_events(struct sleeper *s)
{
	struct wheel_event events[64];
	int i, n = wt_read(s->fd, events, 64);
	/* The witness of P1 is our own clock, read after the event came. */
	__u64 now = wt_now(s->kind->clock);

	for (i = 0; i < n; i++)
		take_event(s, &events[i], now);
	return n;
}

/* Take what comes, on all wheels, until NEXT came on the first. */
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

/* How far clocks that do not stop are ahead of one that does. */
static __u64 gap(void)
{
	return wt_now(WHEEL_CLOCK_BOOTTIME) - wt_now(WHEEL_CLOCK_MONOTONIC);
}

/* Timers that fired twice, or far too early, or are not accounted for. */
static unsigned int miscounted(const struct sleeper *s, __u64 unfired)
{
	unsigned int i, n = s->events[FAR], expected = 1;

	for (i = 0; i < TIMERS; i++) {
		n += s->events[i] > 1;
		expected += !s->parked[i];
	}
	return n + (s->came + unfired != expected);
}

/* Has a wheel not fired yet what was due? */
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
		SKIP(return, "it was not suspended: %s", strerror(-ret));
	slept = gap() - slept;
	if (slept < WT_SEC)
		SKIP(return, "no clock noticed that it was suspended");

	/*
	 * A timer that is due by now comes before one that is due in a while. A busy machine
	 * may have another wheel's interrupt later, but not by the time that it slept.
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
		/* From due tick to due tick: none in the gap is waited for. */
		EXPECT_GE(ticks + 2, s->after.wakeups - s->before.wakeups);
		EXPECT_GE(ticks + 2 + TIMERS / 64,
			  s->after.passes - s->before.passes);
		ASSERT_EQ(0, wt_stop(s->fd, &unfired));
		while ((ret = take_events(s)) > 0)
			continue;
		EXPECT_EQ(-ESHUTDOWN, ret);
		EXPECT_EQ(0, s->early);
		EXPECT_EQ(0, s->strange);
		EXPECT_EQ(0, s->disordered);
		EXPECT_EQ(0, miscounted(s, unfired));
		ASSERT_EQ(0, wt_stats(s->fd, &s->after));
		EXPECT_TRUE(wt_balanced(&s->after));
		EXPECT_EQ(s->came + s->events[NEXT], s->after.fired);
		EXPECT_EQ(0, s->after.pending);
	}
}

TEST_HARNESS_MAIN
