# SPDX-License-Identifier: GPL-2.0
CFLAGS += -std=gnu11 -O2 -Wall -pthread
CFLAGS += $(KHDR_INCLUDES) $(TOOLS_INCLUDES)

SHARED := $(wildcard wheel_*.c contract/*.c)
TEST_GEN_PROGS := $(filter-out $(basename $(SHARED)),$(basename $(wildcard *.c)))
LOCAL_HDRS := $(wildcard *.h contract/*.h)

include ../lib.mk

$(TEST_GEN_PROGS): $(SHARED)
