// SPDX-License-Identifier: MIT
/*
 * The touch words of a wheel in the program: idle from the beginning, and no memory until
 * they are used, however many they are.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "user.h"

/*
 * So many bytes are filled. Of more words each stretch of this length is a private copy of
 * them, made page by page when something is written. A longer one takes longer to
 * fill, a shorter one takes more mappings.
 */
#define STRETCH		(1UL << 20)

static void fill(__u64 *words, size_t count)
{
	while (count--)
		*words++ = WHEEL_TOUCH_IDLE;
}

/* Memory that can be mapped again and again: a file descriptor, or an errno. */
static int pattern_make(void)
{
	int fd = memfd_create("libwheel", MFD_CLOEXEC);
	void *pattern = MAP_FAILED;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, STRETCH))
		pattern = mmap(NULL, STRETCH, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
	if (pattern == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	fill(pattern, STRETCH / sizeof(__u64));
	munmap(pattern, STRETCH);
	return fd;
}

static int map_all(char *words, size_t left, int fd)
{
	while (left) {
		size_t size = min(left, STRETCH);

		if (mmap(words, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED)
			return -ENOMEM;
		words += size;
		left -= size;
	}
	return 0;
}

/**
 * words_idle - say of all timers that they are idle
 * @words: mapped memory of our own
 * @count: how many; the rest of their last page may be written, too
 *
 * Return: 0, or an errno.
 */
int words_idle(__u64 *words, u32 count)
{
	size_t size = count * sizeof(*words);
	int fd, err;

	if (size <= STRETCH) {
		fill(words, count);
		return 0;
	}
	fd = pattern_make();
	err = fd < 0 ? fd : map_all((char *)words, size, fd);
	if (fd >= 0)
		close(fd);
	return err;
}
