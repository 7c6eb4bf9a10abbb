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

#include "memory.h"
#include "text.h"

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

static u64 number_of(const char *value)
{
	return strtoull(value, NULL, 10);
}

static void take_line(struct occupied *w, const char *line, bool *is_of_a_file)
{
	const char *value = strchr(line, ':');

	line += strspn(line, " ");
	if (!value)
		return;
	value += 2;
	if (!strncmp(line, "name:", 5))
		*is_of_a_file = !strncmp(value, "/dev/wheel", 10);
	else if (!strncmp(line, "tick:", 5))
		w->tick = number_of(value);
	else if (!strncmp(line, "armed:", 6))
		w->armed = number_of(value);
	else if (!strncmp(line, "fired:", 6))
		w->fired = number_of(value);
	else if (!strncmp(line, "cancelled:", 10))
		w->cancelled = number_of(value);
	else if (!strncmp(line, "busy_of_", 8))
		take_busy(&w->occupancy, line + 8);
}

static void add(struct occupied_list *all, const struct occupied *w)
{
	all->list = memory_resized(all->list, all->count + 1, sizeof(*all->list));
	all->list[all->count++] = *w;
}

/**
 * occupied_read - read which wheels there are
 * @all: set up
 * @wheels: the file in debugfs, read up to its end
 */
void occupied_read(struct occupied_list *all, FILE *wheels)
{
	struct occupied wheel = { 0 };
	bool is_of_a_file = false;
	bool more = true;
	char line[1024];

	memset(all, 0, sizeof(*all));
	while (more) {
		more = fgets(line, sizeof(line), wheels);
		if (more && strncmp(line, "- wheel:", 8)) {
			take_line(&wheel, line, &is_of_a_file);
			continue;
		}
		if (is_of_a_file && wheel.occupancy.groups)
			add(all, &wheel);
		wheel = (struct occupied){ 0 };
		is_of_a_file = false;
	}
}

void occupied_free(struct occupied_list *all)
{
	free(all->list);
}

static bool is_between(u64 number, u64 least, u64 most)
{
	return number >= least && number <= most;
}

static bool fits(const struct occupied *w, const struct look *before,
		 const struct look *now)
{
	return w->tick == now->setup.tick_ns &&
	       is_between(w->armed, before->stats.armed, now->stats.armed) &&
	       is_between(w->fired, before->stats.fired, now->stats.fired) &&
	       is_between(w->cancelled, before->stats.cancelled, now->stats.cancelled);
}

/**
 * occupancy_find - find the wheel that we look at
 * @o: set up
 * @all: what the file said
 * @before: a look at the wheel before the file was read
 * @now: a look at it afterwards
 *
 * Return: whether there is one, and no other that could be it.
 */
bool occupancy_find(struct occupancy *o, const struct occupied_list *all,
		    const struct look *before, const struct look *now)
{
	u32 found = 0;
	size_t i;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < all->count; i++) {
		if (!fits(&all->list[i], before, now))
			continue;
		*o = all->list[i].occupancy;
		found++;
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
