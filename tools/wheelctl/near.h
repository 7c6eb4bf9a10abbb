/* SPDX-License-Identifier: MIT */
/*
 * The word that was meant by one that does not exist.
 */
#ifndef NEAR_H
#define NEAR_H

#include <stddef.h>

/**
 * struct near - a search
 * @word: what was written
 * @best: the nearest word so far, or NULL: none is near
 * @distance: of @best
 */
struct near {
	const char *word;
	const char *best;
	size_t distance;
};

void near_begin(struct near *n, const char *word);
void near_offer(struct near *n, const char *candidate);

#endif
