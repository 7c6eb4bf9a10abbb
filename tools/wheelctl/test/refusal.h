/* SPDX-License-Identifier: MIT */
/*
 * Code that ends the program, run in a process of its own.
 */
#ifndef REFUSAL_H
#define REFUSAL_H

#include <stddef.h>

int refusal_of(void (*run)(const void *data), const void *data, char *said,
	       size_t size);

#endif
