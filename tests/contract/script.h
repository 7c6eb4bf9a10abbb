/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Execute the same random operations on two sides. All results, events, words and
 * counters must be equal.
 */
#ifndef _CONTRACT_SCRIPT_H
#define _CONTRACT_SCRIPT_H

#include "side.h"

/**
 * script_run() - Compare two sides
 * @a: side that was not used before
 * @b: other side, with the same set-up
 * @setup: effective configuration
 * @seed: seed of the random operations
 * @operations: approximate number of operations
 *
 * At the end, both sides are stopped. Differences are printed.
 *
 * Return: 0 if both sides behave equally, or -1 if they differ.
 */
int script_run(struct side *a, struct side *b, const struct wheel_setup *setup,
	       __u64 seed, __u64 operations);

#endif
