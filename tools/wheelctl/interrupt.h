/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-C: the first one asks for what there is, the second one ends it.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

int interrupt_open(void);
int interrupt_seen(int fd);

#endif
