// SPDX-License-Identifier: GPL-2.0
/*
 * Sample module that uses timeouts of wheel_timer.
 *
 * It creates one wheel, whose callbacks run in softirq context. Three requests
 * get a timeout, each from a different context: the task that loads the module,
 * a softirq, and a hard interrupt. A heartbeat arms itself repeatedly. A
 * connection is moved and cancelled. Leases are armed and cancelled in batches;
 * some of them are still pending when the module is unloaded. After all
 * timeouts have expired and the heartbeat has fired a few times, the module
 * logs "wheel_consumer: ok".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/wheel_timer.h>
#include <linux/workqueue.h>

/* For hrtimer_setup() before 6.13. Users of wheel_timer do not need it. */
#include "compat.h"

#define TIMEOUT_NS	(5 * NSEC_PER_MSEC)
#define HEARTBEAT_NS	(10 * NSEC_PER_MSEC)
#define HOUR_NS		(3600 * NSEC_PER_SEC)
#define BEATS		3
#define LEASES		8
#define RETURNED	3

/* A request. Its timeout is embedded, not allocated. */
struct request {
	struct wheel_timer	timeout;
	const char		*armed_from;
	u64			timed_out_at;
	unsigned int		calls;
};

static struct wheel *wheel;

static struct request by_task = { .armed_from = "a task" };
static struct request by_softirq = { .armed_from = "a softirq" };
static struct request by_hardirq = { .armed_from = "a hard interrupt" };

static struct wheel_timer heartbeat;
static unsigned int beats;

static struct wheel_timer connection;
static struct wheel_timer leases[LEASES];

/* The three requests and the heartbeat. The last one schedules the report. */
static atomic_t awaited = ATOMIC_INIT(4);
static struct work_struct report;

static void one_has_come(void)
{
	if (atomic_dec_and_test(&awaited))
		schedule_work(&report);
}

/*
 * Callback of all requests. The timer is no longer pending. It could be armed
 * again here, or freed together with its request.
 */
static void request_timed_out(struct wheel_timer *timer)
{
	struct request *request = from_wheel_timer(request, timer, timeout);

	request->timed_out_at = ktime_get_ns();
	request->calls++;
	one_has_come();
}

/*
 * A periodic timer arms itself for its next period, relative to its previous
 * deadline, so that delays do not accumulate. Periods missed while the machine
 * was busy follow at the next ticks. After the timer was shut down, arming fails.
 */
static void heart_has_beaten(struct wheel_timer *timer)
{
	if (wheel_timer_arm(timer, wheel_timer_deadline(timer) + HEARTBEAT_NS, 0))
		return;
	if (++beats == BEATS)
		one_has_come();
}

static void hour_has_passed(struct wheel_timer *timer)
{
	pr_info("an hour already?\n");
}

/*
 * Called from a task, a softirq or a hard interrupt. Arming fails for an invalid
 * deadline, at the wheel's limit, and after the wheel was stopped. It neither
 * sleeps nor allocates memory.
 */
static void start_timeout(struct request *request)
{
	int error = wheel_timer_arm(&request->timeout,
				    ktime_get_ns() + TIMEOUT_NS, 0);

	if (error)
		pr_err("cannot arm from %s: %d\n", request->armed_from, error);
}

/* In softirq context. */
static void softirq_comes(struct timer_list *timer)
{
	start_timeout(&by_softirq);
}

static DEFINE_TIMER(softirq, softirq_comes);

/* In hard interrupt context. */
static enum hrtimer_restart hardirq_comes(struct hrtimer *timer)
{
	start_timeout(&by_hardirq);
	return HRTIMER_NORESTART;
}

static struct hrtimer hardirq;

/* A timeout that is moved while it is pending, and cancelled before its callback is called. */
static bool connection_is_fine(u64 now)
{
	u64 hour = now + HOUR_NS;

	/* 0: armed; 1: moved. */
	if (wheel_timer_mod(&connection, hour, 0) != 0 ||
	    wheel_timer_mod(&connection, hour + 1, 0) != 1)
		return false;
	/* A re-arm moves a pending timer to any deadline; a push only to a later one. */
	if (wheel_timer_rearm(&connection, hour, 0) ||
	    !wheel_timer_push(&connection, hour + 2) ||
	    wheel_timer_deadline(&connection) != hour + 2 ||
	    !wheel_timer_pending(&connection))
		return false;
	/* Afterwards, its callback neither runs nor will be called. */
	return wheel_timer_cancel_sync(&connection) == 0 &&
	       !wheel_timer_pending(&connection) &&
	       wheel_timer_cancel_sync(&connection) == -ENOENT;
}

/*
 * Arm all leases under one lock hold, and cancel the first of them. With a slack of one minute,
 * the others may end later if this saves a wake-up.
 */
static bool leases_are_fine(u64 now)
{
	struct wheel_timer *returned[RETURNED];
	struct wheel_arm arms[LEASES];
	int res[RETURNED];
	unsigned int i;

	for (i = 0; i < LEASES; i++) {
		wheel_timer_init(&leases[i], wheel, hour_has_passed);
		arms[i] = (struct wheel_arm) {
			.timer		= &leases[i],
			.deadline	= now + HOUR_NS,
			.slack		= 60 * NSEC_PER_SEC,
		};
	}
	for (i = 0; i < RETURNED; i++)
		returned[i] = &leases[i];
	if (wheel_arm_batch(wheel, arms, LEASES) != LEASES ||
	    wheel_cancel_batch(wheel, returned, res, RETURNED) != RETURNED)
		return false;
	for (i = 0; i < LEASES; i++) {
		bool ended = i < RETURNED;

		if (arms[i].res || wheel_timer_pending(&leases[i]) == ended)
			return false;
	}
	return true;
}

/* Check that the callback ran once, and not before the deadline. */
static bool request_is_fine(const struct request *request)
{
	u64 deadline = wheel_timer_deadline(&request->timeout);

	if (request->calls == 1 && request->timed_out_at >= deadline &&
	    wheel_timer_fired(&request->timeout) >= deadline)
		return true;
	pr_err("armed from %s: %u calls, the last one at %llu for %llu\n",
	       request->armed_from, request->calls, request->timed_out_at,
	       deadline);
	return false;
}

static void report_all(struct work_struct *work)
{
	bool fine = request_is_fine(&by_task);

	fine &= request_is_fine(&by_softirq);
	fine &= request_is_fine(&by_hardirq);
	if (fine)
		pr_info("ok\n");
}

static int __init wheel_consumer_init(void)
{
	const struct wheel_config config = {
		.name		= KBUILD_MODNAME,
		.clock		= WHEEL_CLOCK_MONOTONIC,
		.scheme		= WHEEL_HASHED,
		.tick_ns	= NSEC_PER_MSEC,
	};
	u64 now = ktime_get_ns();
	int error;

	wheel = wheel_create(&config);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);

	/* A timer belongs to one wheel and has one callback. */
	wheel_timer_init(&by_task.timeout, wheel, request_timed_out);
	wheel_timer_init(&by_softirq.timeout, wheel, request_timed_out);
	wheel_timer_init(&by_hardirq.timeout, wheel, request_timed_out);
	wheel_timer_init(&heartbeat, wheel, heart_has_beaten);
	wheel_timer_init(&connection, wheel, hour_has_passed);
	INIT_WORK(&report, report_all);
	hrtimer_setup(&hardirq, hardirq_comes, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);

	error = wheel_timer_arm(&heartbeat, now + HEARTBEAT_NS, 0);
	if (!error && (!connection_is_fine(now) || !leases_are_fine(now)))
		error = -EIO;
	if (error) {
		wheel_destroy(wheel);
		return error;
	}
	start_timeout(&by_task);
	mod_timer(&softirq, jiffies + 1);
	hrtimer_start(&hardirq, NSEC_PER_MSEC, HRTIMER_MODE_REL_HARD);
	return 0;
}

/*
 * Stop the callers that arm timers first, then the timers, then the work that
 * the callbacks schedule. Destroy the wheel last.
 */
static void __exit wheel_consumer_exit(void)
{
	struct wheel_timer *timer, *next;
	unsigned int pending = 0;
	struct wheel_stats stats;
	LIST_HEAD(unfired);

	timer_delete_sync(&softirq);
	hrtimer_cancel(&hardirq);

	/*
	 * For a single timer: its callback neither runs nor can arm it again
	 * afterwards. Use this to free an object while its wheel remains.
	 */
	wheel_timer_shutdown_sync(&heartbeat);

	/*
	 * For all other timers: no callback runs afterwards. The timers that
	 * had not expired are returned in a list, and may be freed.
	 */
	wheel_read_stats(wheel, &stats);
	wheel_stop(wheel, &unfired);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del(&timer->node);
		pending++;
	}
	cancel_work_sync(&report);
	wheel_destroy(wheel);
	if (pending == stats.pending && pending == LEASES - RETURNED)
		pr_info("%u pending timers returned, %u beats\n", pending, beats);
}

module_init(wheel_consumer_init);
module_exit(wheel_consumer_exit);

MODULE_DESCRIPTION("Sample client of wheel_timer");
MODULE_LICENSE("GPL");
