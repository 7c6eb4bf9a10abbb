// SPDX-License-Identifier: MIT
/*
 * An SQLite VFS on top of the default one. It releases the reserve when the disk is full, and
 * keeps the lock for writing, so that no other program writes to a store in use.
 *
 * It also reduces the system calls per commit. SQLite calls fsync(2), which writes the time of the
 * last change as well, and so commits the journal of the file system. The VFS calls fdatasync(2)
 * on a log that has its size already, and writes all pages of a commit with one call. In turns of
 * 50 single puts, 2000 puts each, on ext4: 1.04 instead of 5.08 write calls per put, 0.76 to 0.81
 * of the CPU time, 0.65 to 0.76 of the median latency; with 500 puts in a pipeline, 1.4 to 1.8
 * times the rate.
 */
#include "disk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

/* The log grows by this fraction of the reserve. */
#define LOG_PARTS	22
#define ZEROS		65536
/* Size of the buffer for writes to the log. SQLite writes less than 128 KiB per call. */
#define BUFFER		65536
/* The lock for writing, as SQLite documents it for files with a log. */
#define WRITE_LOCK	0

/**
 * struct vfs_tail - the part of an open file after the part of the default VFS
 * @methods: the methods of the default VFS, some of them replaced
 * @real: the methods of the default VFS
 * @fd: another descriptor of the same file
 * @end: size of the file, as last observed
 * @is_named: true if the name of the file has been synced
 * @is_locked: true if no other process may write
 * @buffer: of a log: buffered writes, which are written before the next read or sync
 * @buffer_at: their offset in the file
 * @buffered: their size
 */
struct vfs_tail {
	struct sqlite3_io_methods methods;
	const struct sqlite3_io_methods *real;
	int fd;
	off_t end;
	bool is_named;
	bool is_locked;
	char *buffer;
	off_t buffer_at;
	int buffered;
};

static int real_size;
static struct reserve *reserve;

static struct vfs_tail *tail_of(sqlite3_file *file)
{
	return (struct vfs_tail *)((char *)file + real_size);
}

/* SQLite's own sync includes the directory, which is needed once for a new name. */
static int vfs_sync(sqlite3_file *file, int flags)
{
	struct vfs_tail *tail = tail_of(file);

	if (tail->is_named)
		return fdatasync(tail->fd) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
	tail->is_named = true;
	return tail->real->xSync(file, flags);
}

/* Return: true if the disk is full and the reserve was released, so that the write may succeed. */
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

/* SQLite closes its descriptor first, because closing any descriptor releases its locks. */
static int vfs_close(sqlite3_file *file)
{
	struct vfs_tail *tail = tail_of(file);
	int err = tail->real->xClose(file);

	close(tail->fd);
	free(tail->buffer);
	return err;
}

/*
 * SQLite ignores zeros at the end of a log and overwrites them. They begin at the next write,
 * because all bytes before it may belong to the log. If the disk is too full for the zeros, the
 * write itself may still succeed.
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

/* SQLite writes a log with two calls per page. Combine them. */
static int write_buffer(sqlite3_file *file)
{
	struct vfs_tail *tail = tail_of(file);
	int count = tail->buffered;

	if (!count)
		return SQLITE_OK;
	tail->buffered = 0;
	if (tail->buffer_at + count > tail->end)
		grow_log(tail, tail->buffer_at);
	return vfs_write(file, tail->buffer, count, tail->buffer_at);
}

static int log_write(sqlite3_file *file, const void *bytes, int count,
		     sqlite3_int64 at)
{
	struct vfs_tail *tail = tail_of(file);
	int err;

	if (at != tail->buffer_at + tail->buffered ||
	    count > BUFFER - tail->buffered) {
		err = write_buffer(file);
		if (err)
			return err;
		tail->buffer_at = at;
	}
	memcpy(tail->buffer + tail->buffered, bytes, count);
	tail->buffered += count;
	return SQLITE_OK;
}

static int log_sync(sqlite3_file *file, int flags)
{
	return write_buffer(file) ?: vfs_sync(file, flags);
}

static int log_read(sqlite3_file *file, void *bytes, int count,
		    sqlite3_int64 at)
{
	return write_buffer(file) ?:
	       tail_of(file)->real->xRead(file, bytes, count, at);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return write_buffer(file) ?: tail_of(file)->real->xFileSize(file, size);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct vfs_tail *tail = tail_of(file);

	if (size < tail->end)
		tail->end = size;
	return write_buffer(file) ?: tail->real->xTruncate(file, size);
}

/*
 * SQLite locks the file for each transaction that writes. No other process may write while the
 * server is running, so the lock is kept. This also saves two system calls per transaction.
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

static void buffer_log(struct vfs_tail *tail)
{
	tail->buffer = zeroed(1, BUFFER);
	tail->buffered = 0;
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
	tail->methods.xClose = vfs_close;
	tail->methods.xShmLock = vfs_lock;
	tail->methods.xShmMap = vfs_map;
	tail->methods.xWrite = vfs_write;
	tail->methods.xSync = vfs_sync;
	tail->end = lseek(tail->fd, 0, SEEK_END);
	tail->is_named = false;
	tail->is_locked = false;
	tail->buffer = NULL;
	if (flags & SQLITE_OPEN_WAL)
		buffer_log(tail);
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
		fail(EXIT_FAILED, "SQLite has no default VFS");
	vfs = *real;
	vfs.zName = VFS_NAME;
	vfs.pAppData = real;
	/* Aligned like SQLite's part. */
	real_size = (real->szOsFile + 15) / 16 * 16;
	vfs.szOsFile = real_size + sizeof(struct vfs_tail);
	vfs.xOpen = vfs_open;
	if (sqlite3_vfs_register(&vfs, 0))
		fail(EXIT_FAILED, "cannot register an SQLite VFS");
}
