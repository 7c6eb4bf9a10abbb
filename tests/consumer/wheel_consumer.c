// SPDX-License-Identifier: GPL-2.0
/*
 * Sample module that uses timeouts of wheel_timer.
 *
 * It creates one wheel, whose callbacks run in softirq context. Three requests
 * get a timeout, each from a different context: the task that loads the module,
 * a softirq, and a hard interrupt. A heartbeat arms itself repeatedly. A lease
 * is so long that it is still pending when the module is unloaded. After all
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
#define LEASE_NS	(3600 * NSEC_PER_SEC)
#define BEATS		3

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

static struct wheel_timer lease;

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
	wheel_timer_arm(timer, wheel_timer_deadline(timer) + HEARTBEAT_NS, 0);
	if (++beats == BEATS)
		one_has_come();
}

static void lease_has_ended(struct wheel_timer *timer)
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

/* Check that the callback ran once, and not before the deadline. */
static bool request_is_fine(const struct request *request)
{
	u64 deadline = wheel_timer_deadline(&request->timeout);

	if (request->calls == 1 && request->timed_out_at >= deadline)
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
	wheel_timer_init(&lease, wheel, lease_has_ended);
	INIT_WORK(&report, report_all);
	hrtimer_setup(&hardirq, hardirq_comes, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);

	/* A slack of one minute: the lease may end later if this saves a wake-up. */
	error = wheel_timer_arm(&lease, now + LEASE_NS, 60 * NSEC_PER_SEC);
	if (!error)
		error = wheel_timer_arm(&heartbeat, now + HEARTBEAT_NS, 0);
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
	wheel_stop(wheel, &unfired);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del(&timer->node);
		pending++;
	}
	cancel_work_sync(&report);
	wheel_destroy(wheel);
	pr_info("%u timers pending at the end, %u beats\n", pending, beats);
}

module_init(wheel_consumer_init);
module_exit(wheel_consumer_exit);

MODULE_DESCRIPTION("Sample client of wheel_timer");
MODULE_LICENSE("GPL");
