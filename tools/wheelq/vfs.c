// SPDX-License-Identifier: MIT
#include "vfs.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "reserve.h"

/* The log grows by this part of the reserve at a time. */
#define LOG_PARTS	22
#define ZEROS		65536
/* Bytes of the log that wait to be written: SQLite writes less than 128 KiB at once. */
#define HELD		65536
/* As SQLite documents the locks of a file with a log: who has this one may write. */
#define WRITE_LOCK	0

/**
 * struct vfs_tail - what follows SQLite's own of a file
 * @methods: SQLite's, but for some
 * @real: SQLite's
 * @fd: of the same file
 * @end: of the file, as far as this program knows
 * @is_named: its name is on the disk
 * @is_locked: nobody else may write
 * @held: of a log, bytes that are to be written when they are to be read or synced
 * @held_at: where they belong in the file
 * @held_count: how many they are
 */
struct vfs_tail {
	struct sqlite3_io_methods methods;
	const struct sqlite3_io_methods *real;
	int fd;
	off_t end;
	bool is_named;
	bool is_locked;
	char *held;
	off_t held_at;
	int held_count;
};

static int real_size;
static struct reserve *reserve;

static struct vfs_tail *tail_of(sqlite3_file *file)
{
	return (struct vfs_tail *)((char *)file + real_size);
}

/* SQLite's own sync is for a file's folder, too, which has to know a new name. */
static int vfs_sync(sqlite3_file *file, int flags)
{
	struct vfs_tail *tail = tail_of(file);

	if (tail->is_named)
		return fdatasync(tail->fd) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
	tail->is_named = true;
	return tail->real->xSync(file, flags);
}

/* A full disk has the space of the reserve, once. */
static bool is_retry(int err)
{
	return err == SQLITE_FULL && reserve_release(reserve);
}

static int vfs_write(sqlite3_file *file, const void *bytes, int count,
		      sqlite3_int64 at)
{
	struct vfs_tail *tail = tail_of(file);
	int err = tail->real->xWrite(file, bytes, count, at);

	return is_retry(err) ? tail->real->xWrite(file, bytes, count, at) : err;
}

/* The index of the log grows with the log. */
static int vfs_map(sqlite3_file *file, int region, int size, int may_grow,
		    void volatile **memory)
{
	struct vfs_tail *tail = tail_of(file);
	int err = tail->real->xShmMap(file, region, size, may_grow, memory);

	if (err != SQLITE_IOERR_SHMSIZE || !is_retry(SQLITE_FULL))
		return err;
	return tail->real->xShmMap(file, region, size, may_grow, memory);
}

/* SQLite first: to close any descriptor of a file ends its locks. */
static int vfs_close(sqlite3_file *file)
{
	struct vfs_tail *tail = tail_of(file);
	int err = tail->real->xClose(file);

	close(tail->fd);
	free(tail->held);
	return err;
}

/*
 * Zeros are no log: SQLite writes over them. They begin where it will write next, as
 * what is before may be log, whoever wrote it. A disk that is too full for them may
 * still have room for what is to be written.
 */
static void grow_log(struct vfs_tail *tail, off_t at)
{
	static const char zeros[ZEROS];
	off_t to = at;

	if (!reserve->is_full)
		to += reserve->wanted / LOG_PARTS;
	if (tail->end < at)
		tail->end = at;
	while (tail->end < to &&
	       pwrite(tail->fd, zeros, ZEROS, tail->end) == ZEROS)
		tail->end += ZEROS;
}

/* SQLite writes a log in pieces, two a page: here they become one. */
static int write_held(sqlite3_file *file)
{
	struct vfs_tail *tail = tail_of(file);
	int count = tail->held_count;

	if (!count)
		return SQLITE_OK;
	tail->held_count = 0;
	if (tail->held_at + count > tail->end)
		grow_log(tail, tail->held_at);
	return vfs_write(file, tail->held, count, tail->held_at);
}

static int log_write(sqlite3_file *file, const void *bytes, int count,
		     sqlite3_int64 at)
{
	struct vfs_tail *tail = tail_of(file);
	int err;

	if (at != tail->held_at + tail->held_count ||
	    count > HELD - tail->held_count) {
		err = write_held(file);
		if (err)
			return err;
		tail->held_at = at;
	}
	memcpy(tail->held + tail->held_count, bytes, count);
	tail->held_count += count;
	return SQLITE_OK;
}

static int log_sync(sqlite3_file *file, int flags)
{
	return write_held(file) ?: vfs_sync(file, flags);
}

static int log_read(sqlite3_file *file, void *bytes, int count,
		    sqlite3_int64 at)
{
	return write_held(file) ?:
	       tail_of(file)->real->xRead(file, bytes, count, at);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return write_held(file) ?: tail_of(file)->real->xFileSize(file, size);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct vfs_tail *tail = tail_of(file);

	if (size < tail->end)
		tail->end = size;
	return write_held(file) ?: tail->real->xTruncate(file, size);
}

/*
 * SQLite locks the file for each transaction that writes, and unlocks it. Nobody else
 * is to write while the server has it, so it stays locked, which saves two calls each.
 */
static int vfs_lock(sqlite3_file *file, int at, int count, int flags)
{
	struct vfs_tail *tail = tail_of(file);
	int err;

	if (at != WRITE_LOCK)
		return tail->real->xShmLock(file, at, count, flags);
	if (tail->is_locked || flags & SQLITE_SHM_UNLOCK)
		return SQLITE_OK;
	err = tail->real->xShmLock(file, at, count, flags);
	tail->is_locked = !err;
	return err;
}

static void hold_log(struct vfs_tail *tail)
{
	tail->held = zeroed(1, HELD);
	tail->held_count = 0;
	tail->methods.xWrite = log_write;
	tail->methods.xSync = log_sync;
	tail->methods.xRead = log_read;
	tail->methods.xFileSize = log_size;
	tail->methods.xTruncate = log_truncate;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
		     int flags, int *got)
{
	sqlite3_vfs *real = vfs->pAppData;
	struct vfs_tail *tail = tail_of(file);
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
	tail->methods.xSync = vfs_sync;
	tail->methods.xClose = vfs_close;
	tail->methods.xShmLock = vfs_lock;
	tail->methods.xShmMap = vfs_map;
	tail->methods.xWrite = vfs_write;
	tail->end = lseek(tail->fd, 0, SEEK_END);
	tail->is_named = false;
	tail->is_locked = false;
	tail->held = NULL;
	if (flags & SQLITE_OPEN_WAL)
		hold_log(tail);
	file->pMethods = &tail->methods;
	return SQLITE_OK;
}

void vfs_register(struct reserve *r)
{
	static sqlite3_vfs vfs;
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);

	reserve = r;
	if (vfs.zName)
		return;
	if (!real)
		fail(EXIT_FAILED, "SQLite knows no files");
	vfs = *real;
	vfs.zName = VFS_NAME;
	vfs.pAppData = real;
	/* What follows is aligned like what precedes it. */
	real_size = (real->szOsFile + 15) / 16 * 16;
	vfs.szOsFile = real_size + sizeof(struct vfs_tail);
	vfs.xOpen = vfs_open;
	if (sqlite3_vfs_register(&vfs, 0))
		fail(EXIT_FAILED, "SQLite takes no other files");
}
