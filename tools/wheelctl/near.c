// SPDX-License-Identifier: MIT
/*
 * The word that was meant by one that does not exist.
 */
#include "near.h"

#include <string.h>

/* Longer words are not compared: no command and no option is. */
#define LONGEST	32

static size_t least(size_t a, size_t b, size_t c)
{
	if (a > b)
		a = b;
	return a < c ? a : c;
}

/*
 * How many letters have to be added, left out, exchanged or swapped with their
 * neighbour to make @b of @a. row[i][j] is that distance between the first i letters
 * of @a and the first j of @b; only three rows are needed at a time.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[3][LONGEST + 1];
	size_t wide = strlen(b);
	size_t i, j;

	for (j = 0; j <= wide; j++)
		row[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *now = row[i % 3];
		const size_t *last = row[(i + 2) % 3];
		const size_t *older = row[(i + 1) % 3];

		now[0] = i;
		for (j = 1; j <= wide; j++) {
			size_t swapped;

			now[j] = least(last[j] + 1, now[j - 1] + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i < 2 || j < 2 || a[i - 1] != b[j - 2] ||
			    a[i - 2] != b[j - 1])
				continue;
			swapped = older[j - 2] + 1;
			if (swapped < now[j])
				now[j] = swapped;
		}
	}
	return row[strlen(a) % 3][wide];
}

/**
 * near_begin - look for the word that was meant
 * @n: set up
 * @word: what was written
 */
void near_begin(struct near *n, const char *word)
{
	n->word = word;
	n->best = NULL;
	/* A third of the letters may be wrong, and in short words one. */
	n->distance = strlen(word) / 3 + 1;
	if (n->distance < 2)
		n->distance = 2;
}

/**
 * near_offer - could it be this one?
 * @n: search
 * @candidate: a word that exists
 */
void near_offer(struct near *n, const char *candidate)
{
	size_t length = strlen(n->word);
	size_t d;

	if (!length || length > LONGEST || strlen(candidate) > LONGEST)
		return;
	/* The beginning of a word means it, however much is missing. */
	d = strncmp(n->word, candidate, length) ?
		    distance(n->word, candidate) : 1;
	if (d < n->distance) {
		n->distance = d;
		n->best = candidate;
	}
}
