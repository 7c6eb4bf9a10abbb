// SPDX-License-Identifier: MIT
/*
 * Tests of wheelctl arm, with a device that keeps its guarantees and with one that breaks them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "arm.h"
#include "fake.h"
#include "cases.h"

#define START	(1000 * NSEC_PER_SEC)

static void ignore(const struct alarm *a, const struct wheel_event *event, u64 received)
{
	(void)a;
	(void)event;
	(void)received;
}

static struct alarm begin(u64 tick, u64 delay, u64 count)
{
	static struct device device = { .fd = -1 };

	memset(&fake, 0, sizeof(fake));
	fake.now = START;
	fake.tick = tick;
	return (struct alarm){
		.device = &device,
		.interrupt = -1,
		.tick = tick,
		.delay = delay,
		.count = count,
		.show = ignore,
	};
}

/* A descriptor for interrupt_seen() that reports a SIGINT. */
static int interrupted(void)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGINT };
	int ends[2];

	if (pipe2(ends, O_NONBLOCK) ||
	    write(ends[1], &info, sizeof(info)) != sizeof(info))
		abort();
	close(ends[1]);
	return ends[0];
}

static void events(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 5);

	alarm_run(&w);
	KTAP_EXPECT(w.events == 5 && w.late.count == 5);
	KTAP_EXPECT(!alarm_broken(&w) && !w.status && !w.cancelled);
	samples_free(&w.late);
}

static void periods(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 5);

	w.period = 3 * NSEC_PER_MSEC;
	alarm_run(&w);
	KTAP_EXPECT(w.events == 5 && !alarm_broken(&w));
	KTAP_EXPECT(w.gen == 1 && w.deadline - w.began == 25 * NSEC_PER_MSEC);
	samples_free(&w.late);
}

/* Two periods pass before each event is read, which is not an error of the device. */
static void missed_periods(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 5);

	w.period = 3 * NSEC_PER_MSEC;
	fake.sleepy = 7 * NSEC_PER_MSEC;
	alarm_run(&w);
	KTAP_EXPECT(w.events == 5 && !alarm_broken(&w));
	KTAP_EXPECT(w.deadline - w.began == 55 * NSEC_PER_MSEC);
	samples_sort(&w.late);
	KTAP_EXPECT(samples_percentile(&w.late, 1000) < NSEC_PER_MSEC);
	samples_free(&w.late);
}

/* The timer ends without a violation if its next deadline is after the end of the clock. */
static void last_period(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, NSEC_PER_MSEC, 3);

	w.period = WHEEL_MAX_TIME - START - NSEC_PER_SEC;
	alarm_run(&w);
	KTAP_EXPECT(w.events == 2 && w.ended && !alarm_broken(&w));
	samples_free(&w.late);
}

static void long_tick(void)
{
	static const u64 ticks[] = {
		30 * NSEC_PER_SEC, 3600 * NSEC_PER_SEC, WHEEL_MAX_TIME / 2,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		struct alarm w = begin(ticks[i], NSEC_PER_MSEC, 1);

		alarm_run(&w);
		KTAP_EXPECT(w.events == 1 && !alarm_broken(&w));
		KTAP_EXPECT(fake.now - START > 10 * NSEC_PER_SEC);
		samples_free(&w.late);
	}
}

static void lost(void)
{
	struct alarm w = begin(30 * NSEC_PER_SEC, NSEC_PER_MSEC, 1);

	fake.fault = FAULT_LOSE;
	alarm_run(&w);
	KTAP_EXPECT(!w.events && w.lost == 1 && alarm_broken(&w));
	/* The tick ends after 20 s, and the event is lost after 10 more. */
	KTAP_EXPECT(fake.now == START + 30 * NSEC_PER_SEC);
}

/* The program stops between any two steps for longer than it waits for an event. */
static void stopped(void)
{
	u64 readings;

	for (readings = 0; readings < 10; readings++) {
		struct alarm w = begin(NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 2);

		fake.stopped = 20 * NSEC_PER_SEC;
		fake.readings = readings;
		alarm_run(&w);
		KTAP_EXPECT(!fake.stopped && w.events == 2 && !alarm_broken(&w));
		samples_free(&w.late);
	}
}

static void wrong(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, NSEC_PER_MSEC, 1);

	fake.fault = FAULT_DEADLINE;
	alarm_run(&w);
	KTAP_EXPECT(w.wrong == 1);
	samples_free(&w.late);

	w = begin(NSEC_PER_MSEC, NSEC_PER_MSEC, 1);
	fake.fault = FAULT_EARLY;
	alarm_run(&w);
	KTAP_EXPECT(w.early == 1);
}

static void interrupts(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, NSEC_PER_SEC, 1);

	w.interrupt = interrupted();
	alarm_run(&w);
	close(w.interrupt);
	KTAP_EXPECT(w.status == 128 + SIGINT && w.cancelled);
	KTAP_EXPECT(!w.events && !alarm_broken(&w));
	KTAP_EXPECT(fake.stats.cancelled == 1);
}

/* The timer fires before the cancel. */
static void interrupts_too_late(void)
{
	struct alarm w = begin(1000, 0, 2);

	w.interrupt = interrupted();
	alarm_run(&w);
	close(w.interrupt);
	KTAP_EXPECT(w.status == 128 + SIGINT && !w.cancelled);
	KTAP_EXPECT(w.events == 1 && !alarm_broken(&w));
	samples_free(&w.late);

	w = begin(1000, 0, 2);
	w.period = NSEC_PER_SEC;
	w.interrupt = interrupted();
	alarm_run(&w);
	close(w.interrupt);
	KTAP_EXPECT(!w.cancelled && w.events == 1 && !alarm_broken(&w));
	samples_free(&w.late);

	w = begin(1000, 0, 2);
	fake.fault = FAULT_LOSE;
	w.interrupt = interrupted();
	alarm_run(&w);
	close(w.interrupt);
	KTAP_EXPECT(w.lost == 1);
}

const struct ktap_test arm_cases[] = {
	{ "arm receives each event", events },
	{ "arm receives the event of each period", periods },
	{ "arm accepts missed periods", missed_periods },
	{ "arm stops at the end of the clock", last_period },
	{ "arm waits for the end of a long tick", long_tick },
	{ "arm detects a lost event", lost },
	{ "arm loses no event while it is stopped", stopped },
	{ "arm detects a wrong event", wrong },
	{ "arm cancels the timer if interrupted", interrupts },
	{ "arm waits for a timer that expired before the cancel", interrupts_too_late },
	{ NULL }
};
