// SPDX-License-Identifier: MIT
/*
 * The CRC-32 of gzip, zlib and Ethernet.
 */
#include "crc32.h"

#define POLYNOMIAL	0xedb88320U

/**
 * crc32_add - the checksum of more data
 * @crc: of what came before, 0 at the start
 * @data: what comes now
 * @length: its bytes
 *
 * Return: the checksum of both.
 */
u32 crc32_add(u32 crc, const void *data, size_t length)
{
	const u8 *byte = data;
	int bit;

	crc = ~crc;
	for (; length; length--) {
		crc ^= *byte++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	return ~crc;
}
