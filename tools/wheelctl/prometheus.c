// SPDX-License-Identifier: MIT
/*
 * wheelctl stats --prometheus: totals of the wheels of each program, or each wheel.
 */
#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "text.h"
#include "util.h"

/* Limits of the Prometheus histogram, from 1 us to 137 s; they are constant. */
#define FIRST_EDGE	9
#define LAST_EDGE	36

/* The samples are those of single wheels, which have more labels. */
static bool detailed;

static void put_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putchar('\\');
		putchar(*text);
	}
}

/* Print the name and the labels of a sample: of a wheel, or of all wheels of a program. */
static void put_sample(const struct look *l, const char *name, const char *suffix,
		       const char *more)
{
	printf("wheel_%s%s{user=\"", name, suffix);
	put_escaped(l->holder.user);
	printf("\",command=\"");
	put_escaped(l->holder.command);
	putchar('"');
	if (detailed)
		printf(",pid=\"%d\",fd=\"%d\",clock=\"%s\",scheme=\"%s\"", l->holder.pid,
		       l->holder.fd, clock_name(l->setup.clock), scheme_name(l->setup.scheme));
	printf("%s} ", more);
}

static void put_head(const char *name, const char *suffix, const char *type,
		     const char *meaning)
{
	printf("# HELP wheel_%s%s %s\n# TYPE wheel_%s%s %s\n", name, suffix, meaning, name,
	       suffix, type);
}

static void put_counter(const struct counter *c, const struct looks *looks)
{
	const char *suffix = c->is_gauge ? "" : "_total";
	size_t i;

	put_head(c->name, suffix, c->is_gauge ? "gauge" : "counter", c->meaning);
	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];

		if (!counter_is_known(c, l))
			continue;
		put_sample(l, c->name, suffix, "");
		printf("%llu\n", counter_value(c, l));
	}
}

static void put_tick(const struct looks *looks)
{
	size_t i;

	put_head("tick_seconds", "", "gauge", "times are rounded up to multiples of this");
	for (i = 0; i < looks->count; i++) {
		u64 ns = looks->list[i].setup.tick_ns;

		put_sample(&looks->list[i], "tick_seconds", "", "");
		printf("%llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
	}
}

static void put_capacity(const struct looks *looks, const u64 *capacity)
{
	size_t i;

	put_head("capacity", "", "gauge", "number of timers that the wheels can hold");
	for (i = 0; i < looks->count; i++) {
		if (!capacity[i])
			continue;
		put_sample(&looks->list[i], "capacity", "", "");
		printf("%llu\n", capacity[i]);
	}
}

static void put_memory(const struct looks *looks)
{
	size_t i;

	put_head("memory_bytes", "", "gauge", "memory of the wheels");
	for (i = 0; i < looks->count; i++) {
		if (looks->list[i].memory == NEVER)
			continue;
		put_sample(&looks->list[i], "memory_bytes", "", "");
		printf("%llu\n", looks->list[i].memory);
	}
}

static bool is_first_of_user(const struct looks *looks, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (looks->list[i].user_memory != NEVER &&
		    !strcmp(looks->list[i].holder.user, looks->list[at].holder.user))
			return false;
	return true;
}

/* The limit depends on RLIMIT_MEMLOCK of the process; that of the first one is printed. */
static void put_user(const struct looks *looks, const char *name, size_t member,
		     const char *meaning)
{
	size_t i;

	put_head(name, "", "gauge", meaning);
	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];
		u64 value = *(const u64 *)((const char *)l + member);

		if (l->user_memory == NEVER || value == NEVER || !is_first_of_user(looks, i))
			continue;
		printf("wheel_%s{user=\"", name);
		put_escaped(l->holder.user);
		printf("\"} %llu\n", value);
	}
}

/* Times are whole nanoseconds below the end of a bucket, so "le" is one less. */
static void put_buckets(const struct look *l)
{
	u64 seen = 0;
	char edge[48];
	u32 i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		u64 last = (2ULL << i) - 1;

		seen += l->stats.late[i];
		if (i < FIRST_EDGE || i > LAST_EDGE)
			continue;
		snprintf(edge, sizeof(edge), ",le=\"%llu.%09llu\"", last / NSEC_PER_SEC,
			 last % NSEC_PER_SEC);
		put_sample(l, "late_seconds", "_bucket", edge);
		printf("%llu\n", seen);
	}
	put_sample(l, "late_seconds", "_bucket", ",le=\"+Inf\"");
	printf("%llu\n", seen);
	put_sample(l, "late_seconds", "_count", "");
	printf("%llu\n", seen);
}

/* Version 0.0.4 of the format: a metric's description precedes all of its samples. */
static void put_metrics(const struct looks *looks, const u64 *capacity)
{
	const struct counter *c;
	size_t i;

	for (c = counters; c->name; c++)
		put_counter(c, looks);
	put_capacity(looks, capacity);
	put_memory(looks);
	put_user(looks, "user_memory_bytes", offsetof(struct look, user_memory),
		 "memory of all wheels of a user");
	put_user(looks, "user_memory_limit_bytes", offsetof(struct look, user_limit),
		 "limit of the memory of all wheels of a user");
	if (detailed)
		put_tick(looks);
	put_head("late_seconds", "", "histogram", "time from the deadlines to the expiries");
	for (i = 0; i < looks->count; i++)
		if (looks->list[i].all)
			put_buckets(&looks->list[i]);
	put_head("hidden_processes", "", "gauge", "processes that could not be inspected");
	printf("wheel_hidden_processes %llu\n", looks->hidden);
}

/* A wheel that several processes share is counted once. */
static bool is_counted(const struct looks *looks, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (looks->list[i].number == looks->list[at].number)
			return looks->list[at].number != NEVER;
	return false;
}

static struct look *total_of(struct looks *totals, const struct look *look)
{
	struct look *total;
	size_t i;

	for (i = 0; i < totals->count; i++) {
		total = &totals->list[i];
		if (!strcmp(total->holder.user, look->holder.user) &&
		    !strcmp(total->holder.command, look->holder.command))
			return total;
	}
	total = &totals->list[totals->count++];
	*total = *look;
	memset(&total->stats, 0, sizeof(total->stats));
	total->all = true;
	total->memory = 0;
	return total;
}

static void add_stats(struct wheel_stats *sum, const struct wheel_stats *stats)
{
	const struct counter *c;
	size_t i;

	for (c = counters; c->name; c++)
		*(u64 *)((char *)sum + c->offset) +=
			*(const u64 *)((const char *)stats + c->offset);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum->late[i] += stats->late[i];
}

/* Add up the wheels of each program, so that the number of samples does not depend on them. */
static void put_totals(const struct looks *looks)
{
	struct looks totals = { .list = xcalloc(looks->count, sizeof(struct look)),
				.hidden = looks->hidden };
	u64 *capacity = xcalloc(looks->count, sizeof(*capacity));
	u64 *wheels = xcalloc(looks->count, sizeof(*wheels));
	size_t i;

	for (i = 0; i < looks->count; i++) {
		const struct look *l = &looks->list[i];
		struct look *total;

		if (is_counted(looks, i))
			continue;
		total = total_of(&totals, l);
		wheels[total - totals.list]++;
		capacity[total - totals.list] += l->setup.timers;
		add_stats(&total->stats, &l->stats);
		/* A wheel on which no timer was armed has no counters. */
		total->all &= l->all || !l->stats.armed;
		total->memory = l->memory == NEVER ? NEVER : total->memory + l->memory;
	}
	put_head("open", "", "gauge", "number of wheels");
	for (i = 0; i < totals.count; i++) {
		put_sample(&totals.list[i], "open", "", "");
		printf("%llu\n", wheels[i]);
	}
	put_metrics(&totals, capacity);
	free(totals.list);
	free(capacity);
	free(wheels);
}

static void put_details(const struct looks *looks)
{
	u64 *capacity = xcalloc(looks->count, sizeof(*capacity));
	size_t i;

	for (i = 0; i < looks->count; i++)
		capacity[i] = looks->list[i].setup.timers;
	put_metrics(looks, capacity);
	free(capacity);
}

void prometheus_print(const struct looks *looks, bool details)
{
	detailed = details;
	if (details)
		put_details(looks);
	else
		put_totals(looks);
}
