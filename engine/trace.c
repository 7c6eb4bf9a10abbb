// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
