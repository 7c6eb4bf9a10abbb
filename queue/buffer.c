// SPDX-License-Identifier: MIT
#include "buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

#define LEAST_ROOM	256
#define READ_BYTES	65536
/* Most lines are shorter. */
#define USUAL		64

char *buffer_room(struct buffer *buffer, size_t count)
{
	size_t used = buffer_count(buffer), room = LEAST_ROOM;

	if (buffer->room - buffer->to >= count)
		return buffer->bytes + buffer->to;
	if (used)
		memmove(buffer->bytes, buffer_bytes(buffer), used);
	buffer->from = 0;
	buffer->to = used;
	while (room < used + count)
		room *= 2;
	if (room > buffer->room) {
		buffer->bytes = grow(buffer->bytes, room);
		buffer->room = room;
	}
	return buffer->bytes + buffer->to;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t count)
{
	if (count)
		memcpy(buffer_room(buffer, count), bytes, count);
	buffer->to += count;
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
	va_list args, again;
	int length, room = USUAL;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(buffer_room(buffer, room), room, format, args);
	if (length >= room)
		vsnprintf(buffer_room(buffer, length + 1), length + 1, format,
			  again);
	buffer->to += length;
	va_end(again);
	va_end(args);
}

void buffer_take(struct buffer *buffer, size_t count)
{
	buffer->from += count;
	if (buffer->from == buffer->to)
		buffer_clear(buffer);
}

void buffer_clear(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){ 0 };
}

bool buffer_read(struct buffer *buffer, int fd, bool *has_ended)
{
	/* Shared by all connections, to save memory. */
	static char bytes[READ_BYTES];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got > 0)
		buffer_add(buffer, bytes, got);
	else if (!got)
		*has_ended = true;
	else
		return errno == EAGAIN || errno == EINTR;
	return true;
}

bool buffer_send(struct buffer *buffer, int fd)
{
	ssize_t sent;

	while (buffer_count(buffer)) {
		sent = send(fd, buffer_bytes(buffer), buffer_count(buffer), MSG_NOSIGNAL);
		if (sent > 0)
			buffer_take(buffer, sent);
		else if (errno != EINTR)
			return errno == EAGAIN;
	}
	return true;
}
