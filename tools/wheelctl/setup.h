/* SPDX-License-Identifier: MIT */
/*
 * Shows what kind of wheel it is.
 */
#ifndef SETUP_H
#define SETUP_H

#include "wheelctl.h"

/* wheel_setup.scheme before setup_settle(): whichever suits the clock. */
#define SETUP_BEST_SCHEME	(~0U)

void setup_settle(struct wheel_setup *setup);
void setup_print(const struct wheel_setup *setup);
void setup_json(const struct wheel_setup *setup);

#endif
