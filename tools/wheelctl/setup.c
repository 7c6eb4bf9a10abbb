// SPDX-License-Identifier: MIT
/*
 * What kind of wheel it is, shown.
 */
#include "setup.h"

#include <stdio.h>

#include "json.h"
#include "parse.h"
#include "text.h"

/**
 * setup_print - what is in force, for people
 * @setup: of the device
 */
void setup_print(const struct wheel_setup *setup)
{
	printf("clock       %s\n", clock_name(setup->clock));
	printf("scheme      %s\n", scheme_name(setup->scheme));
	printf("tick        %s\n", text_time(setup->tick_ns).s);
	printf("timers      %s\n", text_count(setup->timers).s);
	printf("slots       %s\n", text_count(setup->slots).s);
	if (setup->events || setup->ops)
		printf("rings       %u events, %u operations\n", setup->events,
		       setup->ops);
	if (setup->flags)
		printf("flags      %s%s\n",
		       setup->flags & WHEEL_SETUP_ANY_SLOT ? " any-slot" : "",
		       setup->flags & WHEEL_SETUP_TOUCH ? " touch" : "");
}

/**
 * setup_json - the same as members of the open object
 * @setup: of the device
 */
void setup_json(const struct wheel_setup *setup)
{
	json_string("clock", clock_name(setup->clock));
	json_string("scheme", scheme_name(setup->scheme));
	json_u64("tick_ns", setup->tick_ns);
	json_u64("timers", setup->timers);
	json_u64("slots", setup->slots);
	json_u64("events", setup->events);
	json_u64("ops", setup->ops);
	json_u64("flags", setup->flags);
}
