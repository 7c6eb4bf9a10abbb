// SPDX-License-Identifier: MIT
/*
 * One timer, watched: on a device that keeps its promises, and on one that does
 * not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fake.h"
#include "ktap.h"
#include "alarm.h"

#define START	(1000 * NSEC_PER_SEC)

static void look_away(const struct alarm *a, const struct wheel_event *event,
		      u64 received)
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
		.show = look_away,
	};
}

/* interrupt_seen() finds this when there was a SIGINT. */
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

/* Two periods pass before each event is read, which is no fault of the device. */
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

/* It is over when its next time is past the clock's end, which breaks no promise. */
static void last_period(void)
{
	struct alarm w = begin(NSEC_PER_MSEC, NSEC_PER_MSEC, 3);

	w.period = WHEEL_MAX_TIME - START - NSEC_PER_SEC;
	alarm_run(&w);
	KTAP_EXPECT(w.events == 2 && w.over && !alarm_broken(&w));
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
	/* Its tick ends after 20 s, and our patience after 10 more. */
	KTAP_EXPECT(fake.now == START + 30 * NSEC_PER_SEC);
}

/* It is stopped between any two steps, for longer than we wait for an event. */
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

/* It fires while it is being cancelled. */
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

const struct ktap_case alarm_cases[] = {
	{ "a watched timer", events },
	{ "a watched timer with a period", periods },
	{ "a watched timer with missed periods", missed_periods },
	{ "a watched timer whose period ends with the clock", last_period },
	{ "a watched timer with a long tick", long_tick },
	{ "a watched timer that is lost", lost },
	{ "a watched timer while we are stopped", stopped },
	{ "a watched timer that is wrong", wrong },
	{ "a watch that is interrupted", interrupts },
	{ "a watch that is interrupted too late", interrupts_too_late },
	{ NULL }
};
