/* SPDX-License-Identifier: MIT */
/*
 * A queue of bytes.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct buffer - bytes
 * @bytes: allocated memory
 * @from: index of the first byte
 * @to: index after the last byte
 * @room: size of the allocated memory
 */
struct buffer {
	char *bytes;
	size_t from;
	size_t to;
	size_t room;
};

static inline size_t buffer_count(const struct buffer *buffer)
{
	return buffer->to - buffer->from;
}

static inline char *buffer_bytes(const struct buffer *buffer)
{
	return buffer->bytes + buffer->from;
}

/* Allocate memory for @count more bytes. The caller fills it and then adds them to @to. */
char *buffer_room(struct buffer *buffer, size_t count);
void buffer_add(struct buffer *buffer, const void *bytes, size_t count);
__attribute__((format(printf, 2, 3)))
void buffer_print(struct buffer *buffer, const char *format, ...);
/* Remove the first bytes. An empty buffer uses no memory. */
void buffer_take(struct buffer *buffer, size_t count);
void buffer_clear(struct buffer *buffer);
/*
 * Read once from a socket, or send what the peer takes, without blocking. Return: false if the
 * peer is unreachable. *@has_ended is set if it sends no more.
 */
bool buffer_read(struct buffer *buffer, int fd, bool *has_ended);
bool buffer_send(struct buffer *buffer, int fd);

#endif
