// SPDX-License-Identifier: MIT
#include "disk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

/* A new log is as large as it is when SQLite begins it again: 1000 pages. */
#define LOG_BYTES	(1024 * (4096 + 24))
#define ZEROS		65536

/**
 * struct disk_tail - what follows SQLite's own of a file
 * @methods: SQLite's, but for two
 * @real: SQLite's
 * @fd: of the same file
 */
struct disk_tail {
	struct sqlite3_io_methods methods;
	const struct sqlite3_io_methods *real;
	int fd;
};

static int real_size;

static struct disk_tail *tail_of(sqlite3_file *file)
{
	return (struct disk_tail *)((char *)file + real_size);
}

static int disk_sync(sqlite3_file *file, int flags)
{
	(void)flags;
	return fdatasync(tail_of(file)->fd) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

/* SQLite first: to close any descriptor of a file ends its locks. */
static int disk_close(sqlite3_file *file)
{
	struct disk_tail *tail = tail_of(file);
	int err = tail->real->xClose(file);

	close(tail->fd);
	return err;
}

/* Zeros are no log: SQLite begins a new one over them. */
static int fill_log(int fd)
{
	static const char zeros[ZEROS];
	off_t at;

	if (lseek(fd, 0, SEEK_END))
		return 0;
	for (at = 0; at < LOG_BYTES; at += ZEROS)
		if (pwrite(fd, zeros, ZEROS, at) != ZEROS)
			return -1;
	return fsync(fd);
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
		     int flags, int *got)
{
	sqlite3_vfs *real = vfs->pAppData;
	struct disk_tail *tail = tail_of(file);
	int err = real->xOpen(real, name, file, flags, got);

	if (err || !name || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
		return err;
	tail->fd = open(name, O_RDWR | O_CLOEXEC);
	if (tail->fd < 0 || (flags & SQLITE_OPEN_WAL && fill_log(tail->fd))) {
		file->pMethods->xClose(file);
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	tail->real = file->pMethods;
	tail->methods = *tail->real;
	tail->methods.xSync = disk_sync;
	tail->methods.xClose = disk_close;
	file->pMethods = &tail->methods;
	return SQLITE_OK;
}

void disk_register(void)
{
	static sqlite3_vfs vfs;
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);

	if (vfs.zName)
		return;
	if (!real)
		fail(EXIT_FAILED, "SQLite knows no files");
	vfs = *real;
	vfs.zName = DISK_NAME;
	vfs.pAppData = real;
	/* What follows is aligned like what precedes it. */
	real_size = (real->szOsFile + 15) / 16 * 16;
	vfs.szOsFile = real_size + sizeof(struct disk_tail);
	vfs.xOpen = disk_open;
	if (sqlite3_vfs_register(&vfs, 0))
		fail(EXIT_FAILED, "SQLite takes no other files");
}
