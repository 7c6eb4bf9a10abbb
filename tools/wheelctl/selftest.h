/* SPDX-License-Identifier: MIT */
/*
 * A short exercise of the device.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "wheelctl.h"

int selftest_run(u64 timers);

#endif
