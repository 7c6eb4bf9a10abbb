/* SPDX-License-Identifier: MIT */
/*
 * Promises that were broken: how often, and how it began.
 */
#ifndef BREACH_H
#define BREACH_H

#include "fail.h"
#include "wheelctl.h"

enum breach {
	/* P1: fired before its deadline. */
	BREACH_EARLY,
	/* P8: due, but no event came. */
	BREACH_LOST,
	/* P3, P4: an event for a timer that is not outstanding. */
	BREACH_DUPLICATE,
	/* P5: a timer that was due later came first. */
	BREACH_ORDER,
	/* P3: an event or a listed timer that is not what we asked for. */
	BREACH_WRONG,
	/* P4: an operation was answered as it must not be. */
	BREACH_ANSWER,
	/* P11: the device counts otherwise than we do. */
	BREACH_COUNTER,
	BREACHES
};

/**
 * struct breaches - all of them
 * @count: of each kind
 * @first: what the first one of each kind was
 */
struct breaches {
	u64 count[BREACHES];
	char first[BREACHES][120];
};

void __printf(3, 4) breach_add(struct breaches *b, enum breach kind,
			       const char *format, ...);
u64 breach_total(const struct breaches *b);
const char *breach_name(enum breach kind);
void breach_print(const struct breaches *b);
void breach_json(const struct breaches *b);

#endif
