// SPDX-License-Identifier: MIT
/*
 * Wheels in Prometheus' text format, version 0.0.4: all samples of a metric stand
 * together, behind what it is.
 */
#include "prometheus.h"

#include <stdio.h>

#include "counters.h"
#include "histogram.h"
#include "parse.h"

/* From 1 us to 137 s: the same edges each time, whatever was late. */
#define FIRST_EDGE	9
#define LAST_EDGE	36

static void put_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putchar('\\');
		if (*text == '\n')
			fputs("\\n", stdout);
		else
			putchar(*text);
	}
}

/* The name of a sample and all of its labels but what @more adds. */
static void put_sample(const struct look *l, const char *name,
		       const char *suffix, const char *more)
{
	printf("wheel_%s%s{pid=\"%d\",fd=\"%d\",command=\"", name, suffix,
	       l->holder.pid, l->holder.fd);
	put_escaped(l->holder.command);
	printf("\",clock=\"%s\",scheme=\"%s\"%s} ", clock_name(l->setup.clock),
	       scheme_name(l->setup.scheme), more);
}

static void put_head(const char *name, const char *suffix, const char *type,
		     const char *meaning)
{
	printf("# HELP wheel_%s%s %s\n# TYPE wheel_%s%s %s\n", name, suffix,
	       meaning, name, suffix, type);
}

static void put_seconds(u64 ns)
{
	printf("%llu.%09llu", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void put_counter(const struct counter *c, const struct look *looks,
			size_t count)
{
	const char *suffix = c->goes_down ? "" : "_total";
	size_t i;

	put_head(c->name, suffix, c->goes_down ? "gauge" : "counter",
		 c->meaning);
	for (i = 0; i < count; i++) {
		if (!looks[i].all && !c->told)
			continue;
		put_sample(&looks[i], c->name, suffix, "");
		printf("%llu\n", counter_value(c, &looks[i].stats));
	}
}

static void put_setup(const struct look *looks, size_t count)
{
	size_t i;

	put_head("capacity", "", "gauge", "timers that the wheel can hold");
	for (i = 0; i < count; i++) {
		put_sample(&looks[i], "capacity", "", "");
		printf("%u\n", looks[i].setup.timers);
	}
	put_head("tick_seconds", "", "gauge", "what times are rounded up to");
	for (i = 0; i < count; i++) {
		put_sample(&looks[i], "tick_seconds", "", "");
		put_seconds(looks[i].setup.tick_ns);
		putchar('\n');
	}
}

/* A bucket's times are whole nanoseconds below its end: "le" is one less. */
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
		snprintf(edge, sizeof(edge), ",le=\"%llu.%09llu\"",
			 last / NSEC_PER_SEC, last % NSEC_PER_SEC);
		put_sample(l, "late_seconds", "_bucket", edge);
		printf("%llu\n", seen);
	}
	put_sample(l, "late_seconds", "_bucket", ",le=\"+Inf\"");
	printf("%llu\n", seen);
	put_sample(l, "late_seconds", "_count", "");
	printf("%llu\n", seen);
}

/**
 * prometheus_print - everything
 * @looks: at the wheels
 * @count: how many
 * @hidden: processes that we may not look into
 */
void prometheus_print(const struct look *looks, size_t count, u64 hidden)
{
	const struct counter *c;
	size_t i;

	for (c = counters; c->name; c++)
		put_counter(c, looks, count);
	put_setup(looks, count);
	put_head("late_seconds", "", "histogram",
		 "how long after their deadlines timers fired");
	for (i = 0; i < count; i++)
		if (looks[i].all)
			put_buckets(&looks[i]);
	put_head("hidden_processes", "", "gauge",
		 "processes that could not be looked into");
	printf("wheel_hidden_processes %llu\n", hidden);
}
