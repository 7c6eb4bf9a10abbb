// SPDX-License-Identifier: MIT
/*
 * Eight bytes per step: by the CPU's instruction, or with one table for each position ("slicing by
 * 8").
 */
#include "crc32c.h"

#include <endian.h>
#include <string.h>

#define POLYNOMIAL	0x82f63b78	/* bits reversed */
#define SLICES		8

static uint32_t tables[SLICES][256];

static void make_tables(void)
{
	uint32_t n, crc;
	int bit, slice;

	for (n = 0; n < 256; n++) {
		for (crc = n, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][n] = crc;
	}
	for (slice = 1; slice < SLICES; slice++)
		for (n = 0; n < 256; n++) {
			crc = tables[slice - 1][n];
			tables[slice][n] = crc >> 8 ^ tables[0][crc & 0xff];
		}
}

static uint32_t add_eight(uint32_t crc, const unsigned char *bytes)
{
	uint64_t word;
	int slice;

	memcpy(&word, bytes, sizeof(word));
	word = le64toh(word) ^ crc;
	for (crc = 0, slice = SLICES - 1; slice >= 0; slice--, word >>= 8)
		crc ^= tables[slice][word & 0xff];
	return crc;
}

uint32_t crc32c_by_tables(uint32_t crc, const void *bytes, size_t count)
{
	const unsigned char *next = bytes;

	if (!tables[0][1])
		make_tables();
	crc = ~crc;
	for (; count >= SLICES; count -= SLICES, next += SLICES)
		crc = add_eight(crc, next);
	for (; count; count--, next++)
		crc = crc >> 8 ^ tables[0][(crc ^ *next) & 0xff];
	return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2")))
static uint32_t crc32c_by_instruction(uint32_t crc, const void *bytes, size_t count)
{
	const unsigned char *next = bytes;
	uint64_t word;

	crc = ~crc;
	for (; count >= sizeof(word); count -= sizeof(word), next += sizeof(word)) {
		memcpy(&word, next, sizeof(word));
		crc = __builtin_ia32_crc32di(crc, word);
	}
	for (; count; count--, next++)
		crc = __builtin_ia32_crc32qi(crc, *next);
	return ~crc;
}
#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t count)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_by_instruction(crc, bytes, count);
#endif
	return crc32c_by_tables(crc, bytes, count);
}
