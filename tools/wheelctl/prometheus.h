/* SPDX-License-Identifier: MIT */
/*
 * Wheels in Prometheus' text format.
 */
#ifndef PROMETHEUS_H
#define PROMETHEUS_H

#include "look.h"

void prometheus_print(const struct look *looks, size_t count, u64 hidden);

#endif
