/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli), as used by iSCSI and ext4.
 */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* @crc: checksum of the preceding bytes; 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t count);
/* The same without the instruction of the CPU. */
uint32_t crc32c_by_tables(uint32_t crc, const void *bytes, size_t count);

#endif
