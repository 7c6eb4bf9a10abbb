// SPDX-License-Identifier: MIT
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fail.h"

#define MOST_BYTES	(88ULL << 20)
/* The reserve is at most this fraction of the disk. */
#define PARTS		8

static struct statvfs disk_of(const struct reserve *reserve)
{
	struct statvfs disk;

	if (fstatvfs(reserve->fd, &disk))
		fail(EXIT_FAILED, "fstatvfs: %s", strerror(errno));
	return disk;
}

void reserve_open(struct reserve *reserve, const char *store)
{
	struct statvfs disk;
	char *name;

	if (asprintf(&name, "%s-reserve", store) < 0)
		fail(EXIT_FAILED, "out of memory");
	reserve->fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (reserve->fd < 0)
		fail(EXIT_FAILED, "%s: %s", name, strerror(errno));
	free(name);
	disk = disk_of(reserve);
	reserve->wanted = (uint64_t)disk.f_blocks * disk.f_frsize / PARTS;
	if (reserve->wanted > MOST_BYTES)
		reserve->wanted = MOST_BYTES;
}

void reserve_close(struct reserve *reserve)
{
	close(reserve->fd);
}

/* A file system without fallocate() has no reserve. */
static bool has_space(const struct reserve *reserve, uint64_t bytes)
{
	return !fallocate(reserve->fd, 0, 0, bytes) || errno != ENOSPC;
}

/* If less space is available, allocate at least a part. */
bool reserve_fill(struct reserve *reserve)
{
	uint64_t want = reserve->wanted;
	struct stat file;

	if (fstat(reserve->fd, &file))
		fail(EXIT_FAILED, "fstat: %s", strerror(errno));
	while (want > (uint64_t)file.st_size && !has_space(reserve, want))
		want /= 2;
	reserve->is_full = want < reserve->wanted;
	return !reserve->is_full;
}

bool reserve_release(struct reserve *reserve)
{
	struct stat file;

	if (!reserve->is_full)
		say("the disk is full: puts are rejected until space is available");
	reserve->is_full = true;
	return !fstat(reserve->fd, &file) && file.st_size &&
	       !ftruncate(reserve->fd, 0);
}

uint64_t reserve_available(const struct reserve *reserve)
{
	struct statvfs disk = disk_of(reserve);

	return (uint64_t)disk.f_bavail * disk.f_frsize;
}
