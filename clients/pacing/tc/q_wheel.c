// SPDX-License-Identifier: GPL-2.0
/*
 * q_wheel.so, the plug-in by which tc sets and prints the options of the qdisc "wheel".
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "../pkt_wheel.h"
#include "plugin.h"

/* Maximum size of the message */
#define MESSAGE_SIZE	1024

/* The kinds of values */
enum kind {
	COUNT,
	SIZE,
	RATE,
	TIME,
	MASK,
	FLAG,
};

/* The options, in the order of tc(8)'s output. A flag has the value of its attribute. */
static const struct option {
	const char *name;
	enum kind kind;
	int attribute;
	unsigned char value;
} options[] = {
	{ "limit", COUNT, TCA_WHEEL_LIMIT, 0 },
	{ "flow_limit", COUNT, TCA_WHEEL_FLOW_LIMIT, 0 },
	{ "orphan_mask", MASK, TCA_WHEEL_ORPHAN_MASK, 0 },
	{ "quantum", SIZE, TCA_WHEEL_QUANTUM, 0 },
	{ "initial_quantum", SIZE, TCA_WHEEL_INITIAL_QUANTUM, 0 },
	{ "maxrate", RATE, TCA_WHEEL_MAXRATE, 0 },
	{ "ce_threshold", TIME, TCA_WHEEL_CE_THRESHOLD, 0 },
	{ "tick", TIME, TCA_WHEEL_TICK, 0 },
	{ "horizon", TIME, TCA_WHEEL_HORIZON, 0 },
	{ "horizon_cap", FLAG, TCA_WHEEL_HORIZON_DROP, 0 },
	{ "horizon_drop", FLAG, TCA_WHEEL_HORIZON_DROP, 1 },
	{ "offload", FLAG, TCA_WHEEL_OFFLOAD, 1 },
};

#define OPTIONS	(sizeof(options) / sizeof(*options))

static void usage(void)
{
	fprintf(stderr,
		"Usage: ... wheel [ limit PACKETS ] [ flow_limit PACKETS ]\n"
		"                 [ quantum BYTES ] [ initial_quantum BYTES ]\n"
		"                 [ maxrate RATE ] [ orphan_mask MASK ]\n"
		"                 [ tick TIME ] [ ce_threshold TIME ]\n"
		"                 [ horizon TIME ] [ { horizon_drop | horizon_cap } ]\n");
}

static const struct option *option_named(const char *name)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

/* Convert a value. The functions of tc accept units, and return 0 on success. */
static bool parse_value(const struct option *option, const char *text, uint32_t *value32,
			uint64_t *value64)
{
	int64_t time;

	switch (option->kind) {
	case COUNT:
	case MASK:
		return !get_unsigned(value32, text, 0);
	case SIZE:
		return !get_size(value32, text);
	case RATE:
		return !get_rate64(value64, text);
	case TIME:
		if (get_time64(&time, text) || time < 0)
			return false;
		*value64 = time;
		return true;
	default:
		return false;
	}
}

/* Add an option to the message. Returns the number of arguments used, or 0 after a message. */
static int add_option(const struct option *option, int argc, char **argv, struct nlmsghdr *message)
{
	uint32_t value32 = 0;
	uint64_t value64 = 0;
	bool wide = option->kind == RATE || option->kind == TIME;

	if (option->kind == FLAG) {
		addattr_l(message, MESSAGE_SIZE, option->attribute, &option->value,
			  option->attribute == TCA_WHEEL_OFFLOAD ? 0 : 1);
		return 1;
	}
	if (argc < 2) {
		fprintf(stderr, "wheel: \"%s\" needs a value\n", option->name);
		return 0;
	}
	if (!parse_value(option, argv[1], &value32, &value64)) {
		fprintf(stderr, "wheel: invalid %s \"%s\"\n", option->name, argv[1]);
		return 0;
	}
	addattr_l(message, MESSAGE_SIZE, option->attribute,
		  wide ? (void *)&value64 : (void *)&value32,
		  wide ? sizeof(value64) : sizeof(value32));
	return 2;
}

static int parse_options(const struct qdisc_util *util, int argc, char **argv,
			 struct nlmsghdr *message, const char *dev)
{
	struct rtattr *nest = addattr_nest(message, MESSAGE_SIZE,
					   TCA_OPTIONS | NLA_F_NESTED);
	int used;

	(void)util;
	(void)dev;
	for (; argc > 0; argc -= used, argv += used) {
		const struct option *option = option_named(*argv);

		if (!option) {
			if (strcmp(*argv, "help"))
				fprintf(stderr, "wheel: unknown option \"%s\"\n", *argv);
			usage();
			return -1;
		}
		used = add_option(option, argc, argv, message);
		if (!used)
			return -1;
	}
	addattr_nest_end(message, nest);
	return 0;
}

static uint64_t value_of(const struct rtattr *attribute)
{
	uint64_t value64;
	uint32_t value32;

	if (RTA_PAYLOAD(attribute) >= sizeof(value64)) {
		memcpy(&value64, RTA_DATA(attribute), sizeof(value64));
		return value64;
	}
	if (RTA_PAYLOAD(attribute) >= sizeof(value32)) {
		memcpy(&value32, RTA_DATA(attribute), sizeof(value32));
		return value32;
	}
	return RTA_PAYLOAD(attribute) ? *(unsigned char *)RTA_DATA(attribute) : 0;
}

/* Print a value with a unit, and as a number of nanoseconds or bytes in JSON. */
static void print_time(const char *key, const char *format, uint64_t time)
{
	char buffer[64];

	print_color_u64(PRINT_JSON, COLOR_NONE, key, NULL, time);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, format, sprint_time64(time, buffer));
}

static void print_option(const struct option *option, uint64_t value)
{
	char format[64], buffer[64];

	switch (option->kind) {
	case COUNT:
		snprintf(format, sizeof(format), "%s %%up ", option->name);
		print_color_uint(PRINT_ANY, COLOR_NONE, option->name, format, value);
		break;
	case MASK:
		snprintf(format, sizeof(format), "%s %%u ", option->name);
		print_color_uint(PRINT_ANY, COLOR_NONE, option->name, format, value);
		break;
	case SIZE:
		snprintf(format, sizeof(format), "%s %%s ", option->name);
		print_color_uint(PRINT_JSON, COLOR_NONE, option->name, NULL, value);
		print_color_string(PRINT_FP, COLOR_NONE, NULL, format,
				   sprint_size(value, buffer));
		break;
	case RATE:
		snprintf(format, sizeof(format), "%s %%s ", option->name);
		if (value != UINT64_MAX)
			tc_print_rate(PRINT_ANY, option->name, format, value);
		break;
	case TIME:
		snprintf(format, sizeof(format), "%s %%s ", option->name);
		if (value != UINT64_MAX)
			print_time(option->name, format, value);
		break;
	case FLAG:
		snprintf(format, sizeof(format), "%s ", option->name);
		if (value == option->value)
			print_color_null(PRINT_ANY, COLOR_NONE, option->name, format, NULL);
		break;
	}
}

static int print_options(const struct qdisc_util *util, FILE *file, struct rtattr *nest)
{
	struct rtattr *tb[TCA_WHEEL_MAX + 1];

	(void)util;
	(void)file;
	if (!nest)
		return 0;
	parse_rtattr_flags(tb, TCA_WHEEL_MAX, RTA_DATA(nest), RTA_PAYLOAD(nest), NLA_F_NESTED);
	for (size_t i = 0; i < OPTIONS; i++)
		if (tb[options[i].attribute])
			print_option(&options[i], value_of(tb[options[i].attribute]));
	return 0;
}

/* Counters that are printed only if they are not zero, except in JSON */
static const struct counter {
	const char *name;
	size_t offset;
} counters[] = {
	{ "collected", offsetof(struct tc_wheel_xstats, collected) },
	{ "flow_limit_drops", offsetof(struct tc_wheel_xstats, flow_limit_drops) },
	{ "horizon_drops", offsetof(struct tc_wheel_xstats, horizon_drops) },
	{ "horizon_caps", offsetof(struct tc_wheel_xstats, horizon_caps) },
	{ "ce_marks", offsetof(struct tc_wheel_xstats, ce_marks) },
	{ "alloc_errors", offsetof(struct tc_wheel_xstats, alloc_errors) },
	{ "long_gaps", offsetof(struct tc_wheel_xstats, long_gaps) },
};

static void print_counter(const struct counter *counter, const struct tc_wheel_xstats *stats)
{
	char format[64];
	uint64_t value;

	memcpy(&value, (const char *)stats + counter->offset, sizeof(value));
	snprintf(format, sizeof(format), " %s %%" PRIu64, counter->name);
	print_color_u64(value ? PRINT_ANY : PRINT_JSON, COLOR_NONE, counter->name, format, value);
}

static int print_stats(const struct qdisc_util *util, FILE *file, struct rtattr *attribute)
{
	struct tc_wheel_xstats stats = {};
	size_t size;

	(void)util;
	(void)file;
	if (!attribute)
		return 0;
	/* Another version of the module may have fewer or more members. */
	size = RTA_PAYLOAD(attribute);
	memcpy(&stats, RTA_DATA(attribute), size < sizeof(stats) ? size : sizeof(stats));
	print_color_uint(PRINT_ANY, COLOR_NONE, "flows", "  flows %u", stats.flows);
	print_color_uint(PRINT_ANY, COLOR_NONE, "idle", " (idle %u", stats.idle);
	print_color_uint(PRINT_ANY, COLOR_NONE, "waiting", " waiting %u)", stats.waiting);
	print_color_u64(PRINT_ANY, COLOR_NONE, "direct", " direct %" PRIu64, stats.direct);
	print_color_u64(PRINT_ANY, COLOR_NONE, "throttled", " throttled %" PRIu64,
			stats.throttled);
	print_color_u64(PRINT_ANY, COLOR_NONE, "interrupts", " interrupts %" PRIu64,
			stats.interrupts);
	print_color_string(PRINT_FP, COLOR_NONE, NULL, "%s", "\n ");
	print_time("late_p50", " late p50 <%s", stats.late[0]);
	print_time("late_p99", " p99 <%s", stats.late[1]);
	print_time("late_max", " max <%s", stats.late[2]);
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		print_counter(&counters[i], &stats);
	return 0;
}

/* tc looks for this symbol. */
extern struct qdisc_util wheel_qdisc_util;

struct qdisc_util wheel_qdisc_util = {
	.id		= "wheel",
	.parse_qopt	= parse_options,
	.print_qopt	= print_options,
	.print_xstats	= print_stats,
};
