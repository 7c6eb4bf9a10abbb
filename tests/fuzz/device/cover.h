/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coverage of the module by a process, from KCOV.
 */
#ifndef _COVER_H
#define _COVER_H

#include <stdbool.h>

bool cover_open(void);
void cover_begin(void);
unsigned int cover_take(void);

#endif
