/* SPDX-License-Identifier: MIT */
/*
 * What kind of wheel it is, shown.
 */
#ifndef SETUP_H
#define SETUP_H

#include "wheelctl.h"

void setup_print(const struct wheel_setup *setup);
void setup_json(const struct wheel_setup *setup);

#endif
