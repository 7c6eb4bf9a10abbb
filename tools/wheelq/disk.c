// SPDX-License-Identifier: MIT
#include "disk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

/* The log grows by so much at a time. */
#define LOG_STEP	(4 << 20)
#define ZEROS		65536

/**
 * struct disk_tail - what follows SQLite's own of a file
 * @methods: SQLite's, but for three
 * @real: SQLite's
 * @fd: of the same file
 * @end: of the file, as far as this program knows
 * @is_named: its name is on the disk
 */
struct disk_tail {
	struct sqlite3_io_methods methods;
	const struct sqlite3_io_methods *real;
	int fd;
	off_t end;
	bool is_named;
};

static int real_size;

static struct disk_tail *tail_of(sqlite3_file *file)
{
	return (struct disk_tail *)((char *)file + real_size);
}

/* SQLite's own sync is for a file's folder, too, which has to know a new name. */
static int disk_sync(sqlite3_file *file, int flags)
{
	struct disk_tail *tail = tail_of(file);

	if (tail->is_named)
		return fdatasync(tail->fd) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
	tail->is_named = true;
	return tail->real->xSync(file, flags);
}

/* SQLite first: to close any descriptor of a file ends its locks. */
static int disk_close(sqlite3_file *file)
{
	struct disk_tail *tail = tail_of(file);
	int err = tail->real->xClose(file);

	close(tail->fd);
	return err;
}

/*
 * Zeros are no log: SQLite writes over them. They begin where it will write next, as
 * what is before may be log, whoever wrote it. A disk that is too full for them may
 * still have room for what is to be written.
 */
static void grow_log(struct disk_tail *tail, off_t at)
{
	static const char zeros[ZEROS];
	off_t to = at + LOG_STEP;

	if (tail->end < at)
		tail->end = at;
	while (tail->end < to &&
	       pwrite(tail->fd, zeros, ZEROS, tail->end) == ZEROS)
		tail->end += ZEROS;
}

static int log_write(sqlite3_file *file, const void *bytes, int count,
		     sqlite3_int64 at)
{
	struct disk_tail *tail = tail_of(file);

	if (at + count > tail->end)
		grow_log(tail, at);
	return tail->real->xWrite(file, bytes, count, at);
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
	if (tail->fd < 0) {
		file->pMethods->xClose(file);
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	tail->real = file->pMethods;
	tail->methods = *tail->real;
	tail->methods.xSync = disk_sync;
	tail->methods.xClose = disk_close;
	tail->end = lseek(tail->fd, 0, SEEK_END);
	tail->is_named = false;
	if (flags & SQLITE_OPEN_WAL)
		tail->methods.xWrite = log_write;
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
