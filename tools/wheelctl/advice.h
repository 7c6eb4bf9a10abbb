/* SPDX-License-Identifier: MIT */
/*
 * Advice for a machine that has no device.
 */
#ifndef ADVICE_H
#define ADVICE_H

/**
 * struct advice - one clause, returned by value
 * @s: the clause
 */
struct advice {
	char s[400];
};

struct advice advice_on_absence(const char *modules, const char *program,
				const char *sudo);
struct advice advice_here(void);

#endif
