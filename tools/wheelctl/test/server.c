// SPDX-License-Identifier: MIT
#include "server.h"

/* Half of its timers pend; of those that fired, one in a hundred was two seconds late. */
const struct look server = {
	.holder = { .pid = 1234, .fd = 5, .command = "server" },
	.setup = {
		.scheme = WHEEL_HIERARCHICAL, .tick_ns = NSEC_PER_MSEC,
		.timers = 65536, .buckets = 704,
	},
	.stats = {
		.armed = 21000, .fired = 10100, .pending = 32768,
		.late = { [20] = 10000, [30] = 100 },
	},
	.all = true,
};

const struct occupancy server_buckets = {
	.busy = { 64, 1, 0 }, .groups = 3, .of = 64,
};
