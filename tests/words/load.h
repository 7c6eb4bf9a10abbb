/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server under load. Each request has a timeout, and nearly all requests end long before it.
 */
#ifndef _WHEEL_WORDS_LOAD_H
#define _WHEEL_WORDS_LOAD_H

#include <linux/types.h>
#include <stdbool.h>

/* The order in which free slots are used. */
enum order { LAST_FIRST, FIRST_FIRST, RANDOM, ORDERS };

/**
 * struct load - parameters of the load
 * @rate: requests per second
 * @life: mean duration of a request in nanoseconds; exponential distribution
 * @timeout: timeout in nanoseconds
 * @brief: number of requests in 1000 with one hundredth of @timeout
 * @expires: number of requests in 1000 that time out
 * @order: order in which free slots are used
 * @seconds: simulated time
 */
struct load {
	__u64 rate;
	__u64 life;
	__u64 timeout;
	__u32 brief;
	__u32 expires;
	enum order order;
	__u32 seconds;
};

/**
 * struct result - results: the work that the load caused in the wheel
 * @requests: number of requests
 * @passes: maximum number of passes in one second, except for the first second
 * @kicks: total number of kicks
 * @filed: number of queued timers
 * @fired: number of expired timers
 * @wrong: message of the first error, or NULL
 */
struct result {
	__u64 requests;
	__u64 passes;
	__u64 kicks;
	__u64 filed;
	__u64 fired;
	const char *wrong;
};

struct result load_run(const struct load *load);

#endif
