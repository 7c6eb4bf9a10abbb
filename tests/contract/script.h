/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Random operations on two sides at once, of which every answer, event, word and
 * counter has to be the same.
 */
#ifndef _CONTRACT_SCRIPT_H
#define _CONTRACT_SCRIPT_H

#include "side.h"

/**
 * script_run - compare two sides
 * @a: side that is fresh
 * @b: another one, set up alike
 * @setup: what is in force
 * @seed: repeats the same operations
 * @operations: how many, about
 *
 * In the end both are stopped. Each difference is printed.
 *
 * Return: 0, or -1: they differ.
 */
int script_run(struct side *a, struct side *b, const struct wheel_setup *setup,
	       __u64 seed, __u64 operations);

#endif
