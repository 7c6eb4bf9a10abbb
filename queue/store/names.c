// SPDX-License-Identifier: MIT
#include "names.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Watch the directory of the file @path, and those above it. */
static bool watch_directories(int fd, char *path)
{
	uint32_t events = IN_DELETE | IN_MOVE | IN_MOVE_SELF;
	char *end;

	while ((end = strrchr(path, '/'))) {
		*end = '\0';
		if (inotify_add_watch(fd, *path ? path : "/", events) < 0)
			return false;
		events = IN_MOVE_SELF;
	}
	return true;
}

int names_watch(char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd > 0 && !watch_directories(fd, path)) {
		close(fd);
		fd = 0;
	}
	return fd > 0 ? fd : 0;
}

void names_read(int fd)
{
	char events[4096];

	while (fd && read(fd, events, sizeof(events)) > 0)
		;
}

/*
 * The times are not requested. Since Linux 6.13, the first write after they were read changes them
 * again, and a sync writes the inode of a file system without a journal.
 */
bool names_find(const char *name, const struct stat *file)
{
	struct statx found;

	return !statx(AT_FDCWD, name, 0, STATX_INO, &found) && found.stx_ino == file->st_ino &&
	       makedev(found.stx_dev_major, found.stx_dev_minor) == file->st_dev;
}
