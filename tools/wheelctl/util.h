/* SPDX-License-Identifier: MIT */
/*
 * Error messages, memory, signals and text files.
 */
#ifndef UTIL_H
#define UTIL_H

#include <zlib.h>

#include "wheelctl.h"

#ifndef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#endif
#ifndef __noreturn
#define __noreturn	__attribute__((__noreturn__))
#endif

/* Print one line to stderr and exit. */
void __noreturn __printf(2, 3) fail(int status, const char *format, ...);
void flush_or_fail(void);

/* Open /dev/null for each standard descriptor that is closed. */
void open_standard_files(void);

/**
 * struct advice - part of a message, returned by value
 * @s: the text
 */
struct advice {
	char s[400];
};

/*
 * How to make the device appear. @modules is the directory of the kernel's modules, @path the
 * path of this program, and @sudo the prefix of commands that require root.
 */
struct advice advice_on_absence(const char *modules, const char *path, const char *sudo);
/* The same for this machine and this program. */
struct advice advice_here(void);

/* Allocate memory or exit. */
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);

/* Return a descriptor that SIGINT and SIGTERM make readable. */
int interrupt_open(void);

/*
 * Return 0, or 128 + the number of the signal that occurred. After the first signal, the
 * second one terminates the program. A negative @fd never reports a signal.
 */
int interrupt_seen(int fd);

/**
 * struct lines - text file that is read line by line, compressed or not
 * @path: name of the file
 * @file: open file
 * @number: number of the current line
 * @before: CRC-32 of the lines before the current one
 * @crc: CRC-32 including the current line
 * @text: current line without its line feed
 */
struct lines {
	const char *path;
	gzFile file;
	u32 number;
	u32 before;
	u32 crc;
	char text[4096];
};

/* Invalid files and lines terminate the program with a message. */
void lines_open(struct lines *l, const char *path);
bool lines_next(struct lines *l);
void lines_close(struct lines *l);
void __noreturn __printf(2, 3) lines_reject(const struct lines *l, const char *format, ...);

#endif
