// SPDX-License-Identifier: MIT
/*
 * The memory of the words.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "user.h"

/* Number of words in a file that is mapped repeatedly. */
#define FILE_WORDS	(1 << 17)

static void words_fill(u64 *words, size_t count, u64 word)
{
	size_t i;

	for (i = 0; i < count; i++)
		words[i] = word;
}

/* Replace an anonymous area of words by private mappings of a file. Returns 0 or -errno. */
static int words_map(u64 *words, size_t count, int fd)
{
	int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
	size_t i;

	for (i = 0; i < count; i += FILE_WORDS) {
		if (mmap(words + i, min_t(size_t, count - i, FILE_WORDS) * sizeof(*words),
			 PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

/*
 * Initialize all words. Words beyond the first FILE_WORDS share the memory of a file until they are
 * written, so unused ones need no memory. Without a file, they are written. Returns 0 or -errno.
 */
int words_set(u64 *words, size_t count, u64 word)
{
	size_t first = min_t(size_t, count, FILE_WORDS);
	ssize_t size = first * sizeof(*words);
	struct rlimit limit;
	int fd, err = 0;

	words_fill(words, first, word);
	if (first == count)
		return 0;
	/* To write a file beyond the limit would end the program with SIGXFSZ. */
	fd = getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < (rlim_t)size ? -1 :
	     memfd_create("libwheel", MFD_CLOEXEC);
	if (fd >= 0 && pwrite(fd, words, size, 0) == size)
		err = words_map(words + first, count - first, fd);
	else
		words_fill(words + first, count - first, word);
	if (fd >= 0)
		close(fd);
	return err;
}
