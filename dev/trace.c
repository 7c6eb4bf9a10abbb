// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints' bodies.
 */
#include "../slots/slots.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
