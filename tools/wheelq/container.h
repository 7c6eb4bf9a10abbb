/* SPDX-License-Identifier: MIT */
#ifndef CONTAINER_H
#define CONTAINER_H

#include <stddef.h>

/* What @pointer is the member of. */
#define container_of(pointer, type, member)				\
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
