// SPDX-License-Identifier: GPL-2.0
#include "../slots/slots.h"

#define CREATE_TRACE_POINTS
#include "../slots/trace.h"
