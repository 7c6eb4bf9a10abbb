/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device fuzzer makes up programs of steps. As text a step is a line of its
 * verb, the number of its file, and numbers; those that are left out are 0.
 *
 *	setup 0 1 4 1 64
 */
#ifndef _PROGRAM_H
#define _PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

#define STEPS	40
#define NUMBERS	8
#define FILES	4

/**
 * struct step - one thing that a program does
 * @verb: place in the table of verbs
 * @file: which of its files it does it to
 * @number: how, as the verb reads them
 */
struct step {
	unsigned int verb;
	unsigned int file;
	__u64 number[NUMBERS];
};

/**
 * struct program - all of them
 * @steps: how many there are
 * @step: each
 */
struct program {
	unsigned int steps;
	struct step step[STEPS];
};

void program_make(struct program *p, __u64 *seed);
void program_change(struct program *p, const struct program *other, __u64 *seed);
void program_print(const struct program *p, FILE *to);
bool program_read(struct program *p, const char *path);

#endif
