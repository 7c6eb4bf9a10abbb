// SPDX-License-Identifier: MIT
/*
 * wheelctl info: shows the default configuration of a wheel and the features of the module.
 */
#include <stdio.h>

#include "device.h"
#include "setup.h"
#include "text.h"

static bool has_scheme(u64 features, u32 scheme)
{
	return features & WHEEL_HAS_SCHEME(scheme);
}

static bool has_clock(u64 features, u32 clock)
{
	return features & WHEEL_HAS_CLOCK(clock);
}

static void print_names(const char *title, u64 features, u32 last,
			bool (*has)(u64 features, u32 which), const char *(*name)(u32 which))
{
	u32 i;

	printf("%-11s", title);
	for (i = 0; i <= last; i++)
		if (has(features, i))
			printf(" %s", name(i));
	putchar('\n');
}

static void json_names(const char *key, u64 features, u32 last,
		       bool (*has)(u64 features, u32 which), const char *(*name)(u32 which))
{
	u32 i;

	json_open(key, '[');
	for (i = 0; i <= last; i++)
		if (has(features, i))
			json_string(NULL, name(i));
	json_close(']');
}

static void print_features(u64 features)
{
	print_names("schemes", features, WHEEL_OVERFLOW, has_scheme, scheme_name);
	print_names("clocks", features, WHEEL_CLOCK_VIRTUAL, has_clock, clock_name);
	printf("words       %s\n", features & WHEEL_HAS_WORDS ? "yes" : "no");
	printf("rings       %s\n", features & WHEEL_HAS_RINGS ? "yes" : "no");
}

static void json_features(u64 features)
{
	json_open("features", '{');
	json_names("schemes", features, WHEEL_OVERFLOW, has_scheme, scheme_name);
	json_names("clocks", features, WHEEL_CLOCK_VIRTUAL, has_clock, clock_name);
	json_bool("words", features & WHEEL_HAS_WORDS);
	json_bool("rings", features & WHEEL_HAS_RINGS);
	json_close('}');
}

static int run(const char *none)
{
	struct wheel_setup setup;
	struct device device;

	(void)none;
	device_open(&device);
	device_info(&device, &setup);
	device_close(&device);
	if (globals.json) {
		json_open(NULL, '{');
		json_string("device", globals.device);
		setup_json(&setup);
		json_features(setup.features);
		json_close('}');
		return 0;
	}
	puts("Default configuration of a wheel:\n");
	setup_print(&setup);
	puts("\nFeatures of this module:\n");
	print_features(setup.features);
	return 0;
}

const struct command info_command = {
	.name = "info",
	.summary = "show the default configuration and the module's features",
	.details =
	"Shows the configuration of a wheel whose program does not set one, and the\n"
	"clocks, schemes and features of the module.",
	.options = (const struct option_spec[]){ { NULL } },
	.run = run,
};
