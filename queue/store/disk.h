/* SPDX-License-Identifier: MIT */
/*
 * Disk space and writes of the store in SQLite.
 *
 * The reserve is disk space that is allocated in advance, in a file. It is released when the disk
 * is full, so that jobs can still be reserved, released, buried and deleted. SQLite writes through
 * a VFS, which releases the reserve.
 */
#ifndef DISK_H
#define DISK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct reserve - allocated disk space
 * @fd: the file
 * @wanted: size in bytes
 * @is_full: true if the disk was full since the file last had this size
 */
struct reserve {
	int fd;
	uint64_t wanted;
	bool is_full;
};

/* Open the file next to a store, and create it if it does not exist. */
void reserve_open(struct reserve *reserve, const char *store);
void reserve_close(struct reserve *reserve);
/* Allocate the space that is missing. Return: true if all of it is allocated. */
bool reserve_fill(struct reserve *reserve);
/* The disk is full. Return: true if space was released. */
bool reserve_release(struct reserve *reserve);
/* Bytes that are available on the disk, except the reserve. */
uint64_t reserve_available(const struct reserve *reserve);

/* The name by which SQLite finds the VFS. */
#define VFS_NAME	"wheelq"

/* Register the VFS, with the reserve of the store that is opened next. */
void vfs_register(struct reserve *reserve);

#endif
