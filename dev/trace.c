// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions of the tracepoints.
 */
#include "../slots/slots.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
