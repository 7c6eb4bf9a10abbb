// SPDX-License-Identifier: MIT
/*
 * The words of the user backend. They are initially idle, and use little memory until they
 * are written, regardless of their number.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "user.h"

/*
 * Arrays of up to this size are filled. Larger ones consist of private mappings of one pattern
 * of this size, whose pages are copied on write. A larger size takes longer to fill, a smaller
 * one needs more mappings.
 */
#define STRETCH		(1UL << 20)

static void fill(__u64 *words, size_t count)
{
	while (count--)
		*words++ = WHEEL_WORD_IDLE;
}

/* Returns a file descriptor of the pattern, or a negative errno. */
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

/*
 * Set all words of a private mapping to WHEEL_WORD_IDLE. The rest of the last page may be
 * written, too. Returns 0 or a negative errno.
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
