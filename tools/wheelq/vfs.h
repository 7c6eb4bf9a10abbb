/* SPDX-License-Identifier: MIT */
/*
 * How SQLite's files get to the disk: by fdatasync(2), and a log that grows in large
 * steps, and to which all pages of a commit are written at once.
 *
 * SQLite calls fsync(2), which writes the time of the last change, too: that is a
 * commit of the file system's own journal, for nothing. A log that has its size
 * already needs none of these.
 */
#ifndef VFS_H
#define VFS_H

/* The name by which SQLite finds this. */
#define VFS_NAME	"wheelq"

struct reserve;

/* Register the VFS. The reserve is released when the disk is full. */
void vfs_register(struct reserve *reserve);

#endif
