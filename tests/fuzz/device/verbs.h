/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs: the operations that a step of a program can execute.
 */
#ifndef _VERBS_H
#define _VERBS_H

#include "program.h"

/* Exit status of a process that found a violation, after printing it. */
#define EXIT_BROKEN	77

/**
 * struct verb - operation of a step
 * @name: name in text form
 * @run: executes the step
 * @most: maximum reasonable value of each parameter
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
