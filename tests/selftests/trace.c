// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints report what happened, with the program's own numbers.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "wheel_test.h"

/* A separate trace instance, which contains no events of others. */
#define TRACE	"/sys/kernel/tracing/instances/wheel_selftest"

#define TIMERS	1000
#define ROOM	1048576

/* Size of the words of TIMERS timers, in whole pages. */
#define WORDS	8192

static char text[ROOM];

/* Switch the events on or off. */
static bool enable(const char *events, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), TRACE "/%s", events);
	return wt_write_file(path, value);
}

/* Read a file into text. Returns 0 or a negative errno. */
static int slurp(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, text + len, ROOM - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0);
	close(fd);
	text[len] = 0;
	return n < 0 ? -errno : 0;
}

/* The next event @name in @after, or NULL. */
static const char *event(const char *after, const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %s: ", name);
	return strstr(after, word);
}

static int count(const char *name)
{
	const char *at = text;
	int n = 0;

	while ((at = event(at, name))) {
		at++;
		n++;
	}
	return n;
}

/* The value of the key @word in this line, or ~0 if it is not present. */
static __u64 number(const char *line, const char *word)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), " %s", word);
	at = line ? strstr(line, key) : NULL;
	if (!at || at > strchrnul(line, '\n'))
		return ~0ULL;
	return strtoull(at + strlen(key), NULL, 0);
}

static int trace_begin(const char *events)
{
	if (mkdir(TRACE, 0700) && errno != EEXIST)
		return -errno;
	return enable(events, "1") ? 0 : -EIO;
}

static int trace_end(const char *events)
{
	return enable(events, "0") ? slurp(TRACE "/trace") : -EIO;
}

FIXTURE(trace) {
	int fd;
	struct wheel_event event;
};

/* A virtual clock, so that all values are known. */
FIXTURE_SETUP(trace)
{
	if (access("/sys/kernel/tracing/events/wheel_timer", F_OK))
		SKIP(return, "no tracefs, or no permission");
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	ASSERT_EQ(0, trace_begin("events/wheel_timer/enable"));
}

FIXTURE_TEARDOWN(trace)
{
	close(self->fd);
	rmdir(TRACE);
}

WT_TEST(trace, a_timer_that_fires)
{
	const char *arm, *expire;

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(7, 1), 2 * WT_SEC - 1));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * WT_SEC, NULL));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	EXPECT_EQ(1, count("wheel_timer_arm"));
	EXPECT_EQ(1, count("wheel_timer_expire"));
	EXPECT_EQ(0, count("wheel_timer_cancel"));

	arm = event(text, "wheel_timer_arm");
	ASSERT_NE(NULL, arm);
	EXPECT_EQ(2 * WT_SEC - 1, number(arm, "deadline="));
	EXPECT_EQ(2 * WT_SEC, number(arm, "due="));
	EXPECT_EQ(0, number(arm, "order="));

	expire = event(arm, "wheel_timer_expire");
	ASSERT_NE(NULL, expire);
	EXPECT_EQ(number(arm, "wheel="), number(expire, "wheel="));
	EXPECT_EQ(2 * WT_SEC - 1, number(expire, "deadline="));
	EXPECT_EQ(3 * WT_SEC, number(expire, "fired="));
	EXPECT_EQ(WT_SEC + 1, number(expire, "late="));
}

WT_TEST(trace, a_timer_that_is_moved_and_cancelled)
{
	const char *rearm, *cancel;

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(7, 1), 2 * WT_SEC));
	ASSERT_EQ(0, wt_rearm(self->fd, WHEEL_ID(7, 1), 3 * WT_SEC));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(7, 1)));
	ASSERT_EQ(0, wt_advance(self->fd, 4 * WT_SEC, NULL));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	EXPECT_EQ(1, count("wheel_timer_arm"));
	EXPECT_EQ(1, count("wheel_timer_rearm"));
	EXPECT_EQ(1, count("wheel_timer_cancel"));
	EXPECT_EQ(0, count("wheel_timer_expire"));
	rearm = event(text, "wheel_timer_rearm");
	EXPECT_EQ(3 * WT_SEC, number(rearm, "deadline="));
	cancel = event(text, "wheel_timer_cancel");
	EXPECT_EQ(3 * WT_SEC, number(cancel, "deadline="));
}

/* The events of the device contain the id and the cookie of the timer. */
WT_TEST(trace, names_of_a_timer)
{
	static const char * const names[] = {
		"wheel_dev_arm", "wheel_dev_event", "wheel_dev_cancel",
	};
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(7, 5), 2 * WT_SEC);
	const char *at;
	int i;

	op.cookie = 0xc00c1e;
	op.period = WT_SEC;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_SEC, NULL));
	ASSERT_EQ(1, wt_cancel(self->fd, WHEEL_ID(7, 5)));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, count(names[i]));
		at = event(text, names[i]);
		EXPECT_EQ(WHEEL_ID(7, 5), number(at, "id="));
		EXPECT_EQ(7, number(at, "slot="));
		EXPECT_EQ(5, number(at, "gen="));
		EXPECT_EQ(0xc00c1e, number(at, "cookie="));
		EXPECT_EQ(2 * WT_SEC, number(at, "deadline="));
		EXPECT_EQ(WT_SEC, number(at, "period="));
	}
}

/* A push takes effect at the old deadline: the timer is requeued. */
WT_TEST(trace, a_timer_that_was_pushed)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = TIMERS,
		.flags = WHEEL_SETUP_WORDS,
	};
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(7, 1), 2 * WT_SEC);
	__u64 *words;
	int fd;

	fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, fd);
	words = mmap(NULL, WORDS, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     WHEEL_OFF_WORDS);
	ASSERT_NE(MAP_FAILED, words);
	op.flags = WHEEL_OP_WORD;
	ASSERT_EQ(0, wt_do(fd, &op));
	__atomic_store_n(&words[7], 5 * WT_SEC, __ATOMIC_SEQ_CST);
	ASSERT_EQ(0, wt_advance(fd, 2 * WT_SEC, NULL));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	EXPECT_EQ(1, count("wheel_timer_requeue"));
	EXPECT_EQ(5 * WT_SEC, number(event(text, "wheel_timer_requeue"),
				     "deadline="));
	EXPECT_EQ(0, count("wheel_timer_expire"));
	close(fd);
}

/* Each timer that STOP returns as unfired is traced as cancelled. */
WT_TEST(trace, timers_that_are_stopped)
{
	__u64 unfired;

	ASSERT_EQ(0, wt_arm_many(self->fd, 100, 1, 2 * WT_SEC));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	EXPECT_EQ(100, count("wheel_timer_arm"));
	EXPECT_EQ(100, count("wheel_timer_cancel"));
}

/* Each pass has a begin and an end event, which report all expiries. */
WT_TEST(trace, passes)
{
	const char *at = text;
	__u64 fired = 0, last = 0;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, 2 * WT_SEC));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * WT_SEC, NULL));
	ASSERT_EQ(0, trace_end("events/wheel_timer/enable"));
	EXPECT_EQ(count("wheel_pass_begin"), count("wheel_pass_end"));
	EXPECT_EQ(TIMERS, count("wheel_timer_expire"));
	while ((at = event(at + 1, "wheel_pass_end"))) {
		fired += number(at, "fired=");
		last = number(at, "more=");
	}
	EXPECT_EQ(TIMERS, fired);
	EXPECT_EQ(0, last);
	/* All other passes ended because of the budget. */
	EXPECT_LT(1, count("wheel_pass_begin"));
}

TEST_HARNESS_MAIN
