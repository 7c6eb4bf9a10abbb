/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli), as iSCSI and ext4 have it.
 */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* @crc: of the bytes before these, 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t count);

#endif
