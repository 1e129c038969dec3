#include "collector/record/start/names_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/hash.h"

#define MAGIC    "dendro kernel names 1\n"
#define NAME     "kernel-names"
#define NEW_NAME "kernel-names.new"
/* A file that is still being written after this time was left by a process that died. */
#define WRITING_MAX_S 10

/* The bytes follow. Without padding. */
struct start {
	char magic[24];
	struct names_key key;
	struct names_cache_entry entry;
	uint64_t checksum; /* of all that precedes it, and of the bytes */
};

static uint64_t add_words(uint64_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (; size >= sizeof(sum); at += sizeof(sum), size -= sizeof(sum)) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 29;
	}
	return hash_bytes(sum, at, size);
}

static uint64_t checksum(const struct start *start, const uint8_t *compressed)
{
	uint64_t sum = add_words(HASH_START, start, offsetof(struct start, checksum));

	return add_words(sum, compressed, start->entry.compressed_size);
}

/* A file descriptor, or -ENOENT unless it is this user's own folder. */
static int open_folder(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700)
		return fd;
	close(fd);
	return -ENOENT;
}

static bool is_own_file(int fd, uint64_t *size_ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 07177) != 0 || st.st_nlink > 1) /* 0: replaced since it was opened */
		return false;
	*size_ret = (uint64_t)st.st_size;
	return true;
}

static bool read_exactly(int fd, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, (char *)bytes + done, size - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Whether the file begins as one for that key, and has the size that this beginning names. */
static bool read_start(int fd, const struct names_key *key, struct start *start)
{
	uint64_t size;

	return is_own_file(fd, &size) && size > sizeof(*start) && size <= NAMES_CACHE_MAX &&
	       read_exactly(fd, start, sizeof(*start)) &&
	       memcmp(start->magic, MAGIC, sizeof(MAGIC)) == 0 &&
	       names_key_equal(&start->key, key) &&
	       start->entry.compressed_size == size - sizeof(*start);
}

int names_cache_read(const char *folder, const struct names_key *key,
		     struct names_cache_entry *entry_ret, uint8_t **compressed_ret)
{
	struct start start;
	_cleanup_close_ int folder_fd = open_folder(folder);

	if (folder_fd < 0)
		return -ENOENT;
	_cleanup_close_ int fd =
		openat(folder_fd, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !read_start(fd, key, &start))
		return -ENOENT;
	_cleanup_free_ uint8_t *compressed = malloc(start.entry.compressed_size);
	if (!compressed)
		return -ENOMEM;
	if (!read_exactly(fd, compressed, start.entry.compressed_size) ||
	    checksum(&start, compressed) != start.checksum)
		return -ENOENT;
	*entry_ret = start.entry;
	*compressed_ret = steal_ptr(compressed);
	return 0;
}

/*
 * Removes the unfinished file of a process that died. The time of a file may be finer than time(),
 * and so be one second later.
 */
static void remove_old(int folder_fd)
{
	const time_t now = time(NULL);
	struct stat st;

	if (fstatat(folder_fd, NEW_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (st.st_mtime > now + WRITING_MAX_S || st.st_mtime + WRITING_MAX_S < now))
		unlinkat(folder_fd, NEW_NAME, 0);
}

static int write_exactly(int fd, const void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)bytes + done, size - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

static int write_file(int folder_fd, const struct start *start, const uint8_t *compressed)
{
	_cleanup_close_ int fd =
		openat(folder_fd, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EEXIST ? -EBUSY : -errno;
	int err = write_exactly(fd, start, sizeof(*start));
	if (!err)
		err = write_exactly(fd, compressed, start->entry.compressed_size);
	if (!err && renameat(folder_fd, NEW_NAME, folder_fd, NAME) < 0)
		err = -errno;
	if (err)
		unlinkat(folder_fd, NEW_NAME, 0);
	return err;
}

int names_cache_write(const char *folder, const struct names_key *key,
		      const struct names_cache_entry *entry, const uint8_t *compressed)
{
	struct start start;

	if (entry->compressed_size > NAMES_CACHE_MAX - sizeof(start))
		return -EFBIG;
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	_cleanup_close_ int folder_fd = open_folder(folder);
	if (folder_fd < 0)
		return folder_fd;
	memset(&start, 0, sizeof(start));
	memcpy(start.magic, MAGIC, sizeof(MAGIC));
	memcpy(&start.key, key, sizeof(*key));
	memcpy(&start.entry, entry, sizeof(*entry));
	start.checksum = checksum(&start, compressed);
	remove_old(folder_fd);
	return write_file(folder_fd, &start, compressed);
}
