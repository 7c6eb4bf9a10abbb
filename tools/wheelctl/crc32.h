/* SPDX-License-Identifier: MIT */
/*
 * The CRC-32 of gzip, zlib and Ethernet.
 */
#ifndef CRC32_H
#define CRC32_H

#include "wheelctl.h"

u32 crc32_add(u32 crc, const void *data, size_t length);

#endif
