/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs: each is one thing that a step of a program may do.
 */
#ifndef _VERBS_H
#define _VERBS_H

#include "program.h"

/* How a process ends that saw a broken promise; it has said which. */
#define EXIT_BROKEN	77

/**
 * struct verb - what a step does
 * @name: in text
 * @run: does it
 * @most: the greatest sensible one of each number
 */
struct verb {
	const char *name;
	void (*run)(const struct step *step);
	__u64 most[NUMBERS];
};

extern const struct verb verbs[];
extern const unsigned int verb_count;

void verbs_begin(void);
void verbs_run(const struct program *p);

#endif
