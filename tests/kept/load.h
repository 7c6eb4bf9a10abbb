/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server under load: each request has a timeout, and nearly all are over long before it.
 */
#ifndef _KEPT_LOAD_H
#define _KEPT_LOAD_H

#include <linux/types.h>
#include <stdbool.h>

/* The order in which free slots are used. */
enum order { LAST_FIRST, FIRST_FIRST, RANDOM, ORDERS };

/**
 * struct load - how busy the server is
 * @rate: requests a second
 * @life: of a request, in nanoseconds, the mean of an exponential distribution
 * @timeout: in nanoseconds
 * @brief: of so many in a thousand the timeout is a hundredth
 * @expires: so many in a thousand are left to their timeouts
 * @order: of free slots
 * @seconds: how long
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
 * struct heard - what the wheel heard of it
 * @requests: how many there were
 * @passes: in the second that had most, but for the first one
 * @kicks: in all
 * @filed: timers
 * @fired: timers
 * @wrong: what was seen that may not be, or NULL
 */
struct heard {
	__u64 requests;
	__u64 passes;
	__u64 kicks;
	__u64 filed;
	__u64 fired;
	const char *wrong;
};

struct heard load_run(const struct load *load);

#endif
