/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of the device fuzzer, which consist of steps. In text form, a step is a line
 * with its verb, the number of its file, and its parameters. Missing parameters are 0.
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
 * struct step - one step of a program
 * @verb: index in verbs[]
 * @file: index of the file that the step uses
 * @number: parameters of the verb
 */
struct step {
	unsigned int verb;
	unsigned int file;
	__u64 number[NUMBERS];
};

/**
 * struct program - sequence of steps
 * @steps: number of steps
 * @step: the steps
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
