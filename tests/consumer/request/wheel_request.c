// SPDX-License-Identifier: GPL-2.0
/*
 * Requests with a timeout: the example of Documentation/tutorials/module.rst.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/wheel_timer.h>

struct request {
	struct wheel_timer timeout;
	int number;
};

static struct wheel *wheel;
static struct request *silent, *answered;

static void request_timed_out(struct wheel_timer *timer)
{
	struct request *rq = from_wheel_timer(rq, timer, timeout);

	pr_info("request %d timed out\n", rq->number);
}

static struct request *request_start(int number, u64 timeout)
{
	struct request *rq = kzalloc(sizeof(*rq), GFP_KERNEL);

	if (!rq)
		return NULL;
	rq->number = number;
	wheel_timer_init(&rq->timeout, wheel, request_timed_out);
	if (wheel_timer_arm_in(&rq->timeout, timeout, 0)) {
		kfree(rq);
		return NULL;
	}
	return rq;
}

static void request_answer(struct request *rq)
{
	if (wheel_timer_cancel(&rq->timeout) == 0)
		pr_info("request %d completed in time\n", rq->number);
}

/* Afterwards, the callback does not run, and the timer cannot be armed, so it can be freed. */
static void request_end(struct request *rq)
{
	if (rq)
		wheel_timer_shutdown_sync(&rq->timeout);
	kfree(rq);
}

static int __init wheel_request_init(void)
{
	static const struct wheel_config config = {
		.name		= "requests",
		.scheme		= WHEEL_HIERARCHICAL,
		.tick_ns	= NSEC_PER_MSEC,
		.limit		= 100000,
	};

	wheel = wheel_create(&config);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	silent = request_start(1, 50 * NSEC_PER_MSEC);
	answered = request_start(2, 3600ULL * NSEC_PER_SEC);
	if (answered)
		request_answer(answered);
	return 0;
}

static void __exit wheel_request_exit(void)
{
	request_end(silent);
	request_end(answered);
	wheel_destroy(wheel);
}

module_init(wheel_request_init);
module_exit(wheel_request_exit);

MODULE_DESCRIPTION("Requests with a timeout on a wheel_timer");
MODULE_LICENSE("GPL");
