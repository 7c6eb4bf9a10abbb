// SPDX-License-Identifier: MIT
/*
 * A wheel that a process holds, seen from outside.
 */
#include "look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "fail.h"

/* The destination of a line of fdinfo. */
struct place {
	const char *key;
	u32 *number;
	u64 *count;
};

static void take_line(const struct place *places, char *line)
{
	char *value = strchr(line, ':');

	if (!value)
		return;
	*value++ = '\0';
	for (; places->key; places++) {
		if (strcmp(places->key, line))
			continue;
		if (places->number)
			*places->number = (u32)strtoul(value, NULL, 10);
		else
			*places->count = strtoull(value, NULL, 10);
	}
}

/* The kernel tells this of a file without its being opened or configured. */
static bool read_fdinfo(struct look *look)
{
	struct wheel_setup *setup = &look->setup;
	struct wheel_stats *stats = &look->stats;
	const struct place places[] = {
		{ "clock",	&setup->clock,	NULL },
		{ "scheme",	&setup->scheme,	NULL },
		{ "tick_ns",	NULL,		&setup->tick_ns },
		{ "timers",	&setup->timers,	NULL },
		{ "buckets",	&setup->buckets, NULL },
		{ "armed",	NULL,		&stats->armed },
		{ "fired",	NULL,		&stats->fired },
		{ "cancelled",	NULL,		&stats->cancelled },
		{ "pending",	NULL,		&stats->pending },
		{ "unread",	NULL,		&stats->unread },
		{ NULL }
	};
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", look->holder.pid,
		 look->holder.fd);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		take_line(places, line);
	fclose(file);
	return true;
}

/**
 * look_at - look at a wheel
 * @look: set up
 * @holder: who has it
 *
 * Configures nothing: a wheel on which nothing was armed may not be set up yet, and
 * to ask it for its counters would do that.
 *
 * Return: false when it is gone.
 */
bool look_at(struct look *look, const struct holder *holder)
{
	struct device device;
	int fd;

	memset(look, 0, sizeof(*look));
	look->holder = *holder;
	if (!read_fdinfo(look))
		return false;
	if (!look->setup.tick_ns)
		fail(EXIT_DEVICE, "%s: not a wheel, or a module too old for this program",
		     globals.device);
	if (!look->stats.armed)
		return true;
	fd = holder_borrow(holder);
	if (fd == -EBADF || fd == -ESRCH)
		return false;
	if (fd < 0)
		return true;
	device_adopt(&device, fd);
	device_info(&device, &look->setup);
	device_stats(&device, &look->stats);
	device_close(&device);
	look->all = true;
	return true;
}

/**
 * look_is_empty - was nothing armed on a wheel yet?
 * @holder: who has it
 *
 * Then it may not be set up, and whoever asks for its timers would do that.
 *
 * Return: whether nothing was.
 */
bool look_is_empty(const struct holder *holder)
{
	struct look look = { .holder = *holder };

	return read_fdinfo(&look) && !look.stats.armed;
}
