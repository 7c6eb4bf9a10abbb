// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../../selftests/wheel_machine.h"
#include "program.h"
#include "verbs.h"

/* Boundary values of the ABI. */
static const __u64 edges[] = {
	0, 1, 2, 63, 64, 65, 511, 512, 4095, 4096, 4097, 1 << 20, (1 << 24) - 1, 1 << 24,
	0xffffffff, 1ULL << 62, (1ULL << 63) - 1, 1ULL << 63, ~0ULL - 1, ~0ULL,
};

/* Returns a random number, in most cases small and valid for the verb. */
static __u64 some_number(const struct verb *verb, unsigned int i, __u64 *seed)
{
	if (wt_below(seed, 8))
		return wt_below(seed, (verb->most[i] >> wt_below(seed, 16)) + 1);
	if (wt_below(seed, 4))
		return edges[wt_below(seed, sizeof(edges) / sizeof(*edges))];
	return wt_random(seed) >> wt_below(seed, 64);
}

static struct step some_step(__u64 *seed)
{
	struct step step = { .verb = wt_below(seed, verb_count) };
	unsigned int i;

	step.file = wt_below(seed, 4) ? 0 : wt_below(seed, FILES);
	for (i = 0; i < NUMBERS; i++)
		step.number[i] = some_number(&verbs[step.verb], i, seed);
	return step;
}

/**
 * program_make() - Generate a random program
 * @p: generated program
 * @seed: state of the random number generator
 */
void program_make(struct program *p, __u64 *seed)
{
	unsigned int i;

	p->steps = 1 + wt_below(seed, STEPS);
	for (i = 0; i < p->steps; i++)
		p->step[i] = some_step(seed);
}

static void insert(struct program *p, unsigned int at, struct step step)
{
	if (p->steps == STEPS)
		p->steps--;
	if (at > p->steps)
		at = p->steps;
	memmove(&p->step[at + 1], &p->step[at], (p->steps - at) * sizeof(step));
	p->step[at] = step;
	p->steps++;
}

static void cut(struct program *p, unsigned int at)
{
	p->steps--;
	memmove(&p->step[at], &p->step[at + 1], (p->steps - at) * sizeof(*p->step));
}

/* Replace the steps from @at by those of the other program from @from. */
static void splice(struct program *p, const struct program *other, unsigned int at,
		   unsigned int from)
{
	while (at < STEPS && from < other->steps)
		p->step[at++] = other->step[from++];
	p->steps = at;
}

static void change_once(struct program *p, const struct program *other, __u64 *seed)
{
	unsigned int at = wt_below(seed, p->steps);
	struct step *step = &p->step[at];
	unsigned int i = wt_below(seed, NUMBERS);

	switch (wt_below(seed, 8)) {
	case 0:
		insert(p, at, some_step(seed));
		break;
	case 1:
		if (p->steps > 1)
			cut(p, at);
		break;
	case 2:
		insert(p, wt_below(seed, p->steps + 1), *step);
		break;
	case 3:
		splice(p, other, at, wt_below(seed, other->steps));
		break;
	case 4:
		step->file = wt_below(seed, FILES);
		break;
	case 5:
		step->number[i] = p->step[wt_below(seed, p->steps)].number[i];
		break;
	default:
		step->number[i] = some_number(&verbs[step->verb], i, seed);
		break;
	}
}

/**
 * program_change() - Change a program at random
 * @p: program to change
 * @other: program from which steps may be copied
 * @seed: state of the random number generator
 */
void program_change(struct program *p, const struct program *other, __u64 *seed)
{
	unsigned int changes = 1 + wt_below(seed, 6);

	while (changes--)
		change_once(p, other, seed);
	if (!p->steps)
		program_make(p, seed);
}

/**
 * program_print() - Print a program as text, followed by an empty line
 * @p: program
 * @to: output stream
 */
void program_print(const struct program *p, FILE *to)
{
	unsigned int i, n, last;

	for (i = 0; i < p->steps; i++) {
		const struct step *step = &p->step[i];

		for (last = NUMBERS; last && !step->number[last - 1]; last--)
			;
		fprintf(to, "%s %u", verbs[step->verb].name, step->file);
		for (n = 0; n < last; n++)
			fprintf(to, " %llu", (unsigned long long)step->number[n]);
		fputc('\n', to);
	}
	fputc('\n', to);
	fflush(to);
}

static bool read_step(struct step *step, const char *line)
{
	unsigned long long n[NUMBERS] = {};
	unsigned int i;
	char name[16];

	if (sscanf(line, "%15s %u %llu %llu %llu %llu %llu %llu %llu %llu", name, &step->file,
		   &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]) < 2)
		return false;
	for (i = 0; i < NUMBERS; i++)
		step->number[i] = n[i];
	for (i = 0; i < verb_count; i++) {
		step->verb = i;
		if (!strcmp(verbs[i].name, name))
			return step->file < FILES;
	}
	return false;
}

/**
 * program_read() - Read a program from a text file
 * @p: program read
 * @path: path of the file; empty lines and lines that begin with # are ignored
 *
 * Return: true if the file contains a valid program.
 */
bool program_read(struct program *p, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];
	bool ok = f;

	memset(p, 0, sizeof(*p));
	while (ok && fgets(line, sizeof(line), f))
		if (*line != '#' && *line != '\n')
			ok = p->steps < STEPS && read_step(&p->step[p->steps++], line);
	if (f)
		fclose(f);
	return ok && p->steps;
}
