// SPDX-License-Identifier: MIT
/*
 * How many buckets of a wheel hold timers, by the file that the module has in debugfs.
 *
 * There a wheel has a number of its own, and no file that it belongs to. A wheel that fits
 * between two looks at the counters of ours is ours, unless two wheels fit.
 */
#include "occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* One entry of the file, as far as it has been read. */
struct entry {
	bool fits;
	struct occupancy occupancy;
};

static bool is_between(const char *value, u64 least, u64 most)
{
	u64 number = strtoull(value, NULL, 10);

	return number >= least && number <= most;
}

static void take_busy(struct occupancy *o, const char *text)
{
	char *end;

	o->of = (u32)strtoul(text, &end, 10);
	o->groups = 0;
	for (end = strchr(end, '['); end && *end != ']'; o->groups++) {
		if (o->groups == ARRAY_SIZE(o->busy))
			return;
		o->busy[o->groups] = (u32)strtoul(end + 1, &end, 10);
		if (*end != ',' && *end != ']')
			return;
	}
}

static void take_line(struct entry *e, const char *line,
		      const struct look *before, const struct look *now)
{
	const char *value = strchr(line, ':');

	line += strspn(line, " ");
	if (!value)
		return;
	value += 2;
	if (!strncmp(line, "name:", 5))
		e->fits &= !strncmp(value, "/dev/wheel", 10);
	else if (!strncmp(line, "tick:", 5))
		e->fits &= is_between(value, now->setup.tick_ns, now->setup.tick_ns);
	else if (!strncmp(line, "armed:", 6))
		e->fits &= is_between(value, before->stats.armed, now->stats.armed);
	else if (!strncmp(line, "fired:", 6))
		e->fits &= is_between(value, before->stats.fired, now->stats.fired);
	else if (!strncmp(line, "cancelled:", 10))
		e->fits &= is_between(value, before->stats.cancelled,
				      now->stats.cancelled);
	else if (!strncmp(line, "busy_of_", 8))
		take_busy(&e->occupancy, line + 8);
}

/**
 * occupancy_find - find the wheel that we look at
 * @o: set up
 * @wheels: the file in debugfs, read up to its end
 * @before: a look at the wheel before the file was read
 * @now: a look at it afterwards
 *
 * Return: whether there is one, and no other that could be it.
 */
bool occupancy_find(struct occupancy *o, FILE *wheels, const struct look *before,
		    const struct look *now)
{
	struct entry entry = { 0 };
	bool more = true;
	char line[1024];
	u32 found = 0;

	memset(o, 0, sizeof(*o));
	while (more) {
		more = fgets(line, sizeof(line), wheels);
		if (more && strncmp(line, "- wheel:", 8)) {
			take_line(&entry, line, before, now);
			continue;
		}
		if (entry.fits && entry.occupancy.groups) {
			*o = entry.occupancy;
			found++;
		}
		entry = (struct entry){ .fits = true };
	}
	if (found != 1)
		o->groups = 0;
	return found == 1;
}

/**
 * occupancy_draw - a letter for each group, the fuller the higher
 * @to: where
 * @o: found
 */
void occupancy_draw(FILE *to, const struct occupancy *o)
{
	static const char *const blocks[] = {
		"\u2581", "\u2582", "\u2583", "\u2584",
		"\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char *const letters[] = {
		".", ":", "-", "=", "+", "*", "%", "#",
	};
	const char *const *steps = text_unicode() ? blocks : letters;
	u64 busy = 0;
	u32 i;

	fputs("buckets    [", to);
	for (i = 0; i < o->groups; i++) {
		busy += o->busy[i];
		fputs(o->busy[i] ? steps[(o->busy[i] * 8ULL - 1) / o->of] : " ", to);
	}
	fprintf(to, "] %s of %s hold timers\n", text_count(busy).s,
		text_count((u64)o->groups * o->of).s);
}
