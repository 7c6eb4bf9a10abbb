# SPDX-License-Identifier: MIT
# CROSS_COMPILE=aarch64-linux-gnu- builds for another machine, as in the kernel.

ifdef CROSS_COMPILE
CC	:= $(CROSS_COMPILE)gcc
AR	:= $(CROSS_COMPILE)ar
endif
OBJCOPY	?= $(CROSS_COMPILE)objcopy
