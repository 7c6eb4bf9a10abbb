/* SPDX-License-Identifier: MIT */
#ifndef CONTAINER_H
#define CONTAINER_H

#include <stddef.h>

/* The structure of this type whose @member @pointer points to. */
#define container_of(pointer, type, member)				\
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif
