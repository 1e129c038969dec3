#include "perf/kinds/program_path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/sentence.h"

#define CACHE_MAX (64u << 20)

/* glibc's sysdeps/generic/dl-cache.h */
static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct cache_header {
	char magic[sizeof(cache_magic) - 1];
	uint32_t n_libraries, strings_size;
	uint8_t flags, padding[3];
	uint32_t extensions, unused[3];
};
static_assert(sizeof(struct cache_header) == 48, "on-disk layout");

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* offsets in the file */
	uint32_t os_version;
	uint64_t hardware; /* 0: for all processors */
};
static_assert(sizeof(struct cache_entry) == 24, "on-disk layout");

/* FLAG_ELF_LIBC6, and the machine's own kind of ELF file. */
#if defined(__x86_64__)
#define NATIVE_FLAGS 0x0303
#elif defined(__aarch64__)
#define NATIVE_FLAGS 0x0a03
#else
#error "the loader's flags of this architecture are not known"
#endif

static const char *cache_string(const uint8_t *cache, size_t size, uint32_t offset)
{
	return offset < size && memchr(cache + offset, '\0', size - offset)
		       ? (const char *)cache + offset
		       : NULL;
}

/* "libc" matches "libc.so.6" and "libc.so", not "libcrypt.so.1". */
static bool is_named(const char *library, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(library, name, length) != 0)
		return false;
	return !library[length] || strcmp(library + length, ".so") == 0 ||
	       strncmp(library + length, ".so.", strlen(".so.")) == 0;
}

int program_path_in_cache(const uint8_t *cache, size_t size, const char *name,
			  char path_ret[PATH_MAX])
{
	struct cache_header header;
	const char *found = NULL;
	int err = -ENOENT;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, cache, sizeof(header));
	if (memcmp(header.magic, cache_magic, sizeof(header.magic)) != 0 ||
	    header.n_libraries > (size - sizeof(header)) / sizeof(struct cache_entry))
		return -EINVAL;
	for (uint32_t i = 0; i < header.n_libraries; i++) {
		struct cache_entry entry;

		memcpy(&entry, cache + sizeof(header) + i * sizeof(entry), sizeof(entry));
		const char *library = cache_string(cache, size, entry.name);
		const char *path = cache_string(cache, size, entry.path);
		if (entry.flags != NATIVE_FLAGS || entry.hardware || !library || !path ||
		    !is_named(library, name) || strlen(path) >= PATH_MAX)
			continue;
		/* Among libraries of one name, the loader chooses the first. */
		if (found && strcmp(found, library) != 0)
			return -EEXIST;
		if (found)
			continue;
		found = library;
		snprintf(path_ret, PATH_MAX, "%s", path);
		err = 0;
	}
	return err;
}

static int find_library(const char *name, char path_ret[PATH_MAX])
{
	int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	struct stat status;
	int err = -ENOENT;

	if (fd < 0)
		return err;
	if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= CACHE_MAX) {
		size_t size = (size_t)status.st_size;
		uint8_t *cache = malloc(size);

		if (!cache)
			err = -ENOMEM;
		else if (pread(fd, cache, size, 0) == (ssize_t)size)
			err = program_path_in_cache(cache, size, name, path_ret);
		free(cache);
	}
	close(fd);
	return err == -EINVAL ? -ENOENT : err;
}

static int find_program(const char *name, char path_ret[PATH_MAX])
{
	const char *folders = getenv("PATH");

	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		char path[PATH_MAX];
		int n = snprintf(path, sizeof(path), "%.*s/%s", (int)length, length ? folders : ".",
				 name);

		if (n < (int)sizeof(path) && access(path, X_OK) == 0) {
			memcpy(path_ret, path, (size_t)n + 1);
			return 0;
		}
		folders += length + (folders[length] == ':');
	}
	return -ENOENT;
}

int program_path_find(const char *name, char path_ret[PATH_MAX])
{
	char path[PATH_MAX];
	int err = 0;

	if (strchr(name, '/')) {
		snprintf(path, sizeof(path), "%s", name);
	} else {
		err = find_library(name, path);
		if (err == -ENOENT)
			err = find_program(name, path);
	}
	if (err == -EEXIST)
		snprintf(path_ret, PATH_MAX, "%s", path);
	if (err)
		return err;
	return realpath(path, path_ret) ? 0 : -errno;
}

char *program_path_explain(const char *name, int err, const char *path)
{
	if (err == -ENOENT && !strchr(name, '/'))
		return sentence("The loader knows no library '%s', and PATH has no such "
				"program; give its path.",
				name);
	if (err == -EEXIST)
		return sentence("Several libraries have the name '%s', for example %s; give "
				"the path of one of them.",
				name, path);
	return sentence("'%s' can't be read: %s.", name, strerror(-err));
}
