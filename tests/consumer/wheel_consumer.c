// SPDX-License-Identifier: GPL-2.0
/*
 * A sample client of wheel_timer: what a module does to have timeouts, to copy
 * from.
 *
 * It makes one wheel, whose callbacks come in softirq context. Three requests
 * are given a timeout, each from another context: the task that loads the
 * module, a softirq, and a hard interrupt. A heartbeat arms itself again and
 * again. A lease is so long that it still pends when the module is unloaded.
 * When every timeout has fired and the heart has beaten a few times, the log
 * says "wheel_consumer: ok".
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

/* For hrtimer_setup() on kernels before 6.13; the wheel's users need it not. */
#include "compat.h"

#define TIMEOUT_NS	(5 * NSEC_PER_MSEC)
#define HEARTBEAT_NS	(10 * NSEC_PER_MSEC)
#define LEASE_NS	(3600 * NSEC_PER_SEC)
#define BEATS		3

/* A client keeps this of a request: its timeout is embedded, not allocated. */
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
static u64 beats_missed;

static struct wheel_timer lease;

/* The three requests and the heartbeat; who is last has it reported. */
static atomic_t awaited = ATOMIC_INIT(4);
static struct work_struct report;

static void one_has_come(void)
{
	if (atomic_dec_and_test(&awaited))
		schedule_work(&report);
}

/*
 * The callback of all requests. The timer is not pending any more: here it
 * could be armed again, or freed with the request around it.
 */
static void request_timed_out(struct wheel_timer *timer)
{
	struct request *request = from_wheel_timer(request, timer, timeout);

	request->timed_out_at = ktime_get_ns();
	request->calls++;
	one_has_come();
}

/*
 * A periodic timer arms itself for its next period, on the grid of its first
 * deadline, so that delays do not add up. Periods that passed while the machine
 * was busy are not made up for, but told.
 */
static void heart_has_beaten(struct wheel_timer *timer)
{
	u64 missed = wheel_timer_arm_next(timer, HEARTBEAT_NS);

	if (missed != WHEEL_NEVER)
		beats_missed += missed;
	if (++beats == BEATS)
		one_has_come();
}

static void lease_has_ended(struct wheel_timer *timer)
{
	pr_info("an hour already?\n");
}

/*
 * Arms from where it is called: a task, a softirq or a hard interrupt. It may
 * fail for a bad deadline, at the wheel's limit, and once the wheel is stopped;
 * it never sleeps and allocates nothing.
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

/* Called once each, and not before the deadline that was armed. */
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

	/* A timer belongs to one wheel and has one function. */
	wheel_timer_init(&by_task.timeout, wheel, request_timed_out);
	wheel_timer_init(&by_softirq.timeout, wheel, request_timed_out);
	wheel_timer_init(&by_hardirq.timeout, wheel, request_timed_out);
	wheel_timer_init(&heartbeat, wheel, heart_has_beaten);
	wheel_timer_init(&lease, wheel, lease_has_ended);
	INIT_WORK(&report, report_all);
	hrtimer_setup(&hardirq, hardirq_comes, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);

	/* The lease may end a minute later, if that saves a wake-up. */
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
 * First whoever arms, then the timers, then what their callbacks use, and the
 * wheel last.
 */
static void __exit wheel_consumer_exit(void)
{
	struct wheel_timer *timer, *next;
	unsigned int pending = 0;
	LIST_HEAD(unfired);

	timer_delete_sync(&softirq);
	hrtimer_cancel(&hardirq);

	/*
	 * Of a single timer: afterwards its callback does not run and cannot
	 * arm it again. This is how an object goes while its wheel stays.
	 */
	wheel_timer_shutdown_sync(&heartbeat);

	/*
	 * Of all others at once: afterwards no callback runs, and the timers
	 * that had not fired are ours again, to be freed or done with.
	 */
	wheel_stop(wheel, &unfired);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del(&timer->node);
		pending++;
	}
	cancel_work_sync(&report);
	wheel_destroy(wheel);
	pr_info("%u timers pending at the end, %u beats, %llu missed\n",
		pending, beats, beats_missed);
}

module_init(wheel_consumer_init);
module_exit(wheel_consumer_exit);

MODULE_DESCRIPTION("Sample client of wheel_timer");
MODULE_LICENSE("GPL");
