/* SPDX-License-Identifier: MIT */
/*
 * A wheel that a process holds, seen from outside.
 */
#ifndef LOOK_H
#define LOOK_H

#include "holders.h"

/**
 * struct look - what can be seen of it
 * @holder: who has it
 * @setup: what kind of wheel it is; of its members those that fdinfo tells
 * @stats: its counters; unless @all those that fdinfo tells
 * @all: we had a descriptor of our own
 */
struct look {
	struct holder holder;
	struct wheel_setup setup;
	struct wheel_stats stats;
	bool all;
};

bool look_at(struct look *look, const struct holder *holder);
bool look_is_empty(const struct holder *holder);

#endif
