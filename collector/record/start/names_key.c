#include "collector/record/start/names_key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/object/elf_notes.h"
#include "collector/record/observers/kernel_modules.h"

#define FIRST_LINES_SIZE 4096

static ssize_t read_start(const char *folder, const char *name, void *bytes, size_t size)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", folder, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, bytes, size);
	return got < 0 ? -errno : got;
}

/* Whether one of the addresses at the start of a line is not zero. */
static bool has_address(const char *lines, size_t size)
{
	const char *end = lines + size;

	for (const char *line = lines, *next; line; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next && ++next < end ? next : NULL;
		if (next && strspn(line, "0") < 16)
			return true;
	}
	return false;
}

static int find_first_lines(const char *kallsyms, uint64_t *hash_ret)
{
	char lines[FIRST_LINES_SIZE + 1];
	ssize_t n = read_start(kallsyms, "", lines, FIRST_LINES_SIZE);

	if (n < 0)
		return (int)n;
	lines[n] = '\0';
	if (!has_address(lines, (size_t)n))
		return -EPERM;
	*hash_ret = hash_bytes(HASH_START, lines, (size_t)n);
	return 0;
}

static uint64_t add_module(uint64_t hash, const struct kernel_module *module, const char *sys)
{
	char path[PATH_MAX];
	struct stat st = { 0 };

	hash = hash_text(hash, module->name);
	hash = hash_bytes(hash, &module->start, sizeof(module->start));
	hash = hash_bytes(hash, &module->size, sizeof(module->size));
	snprintf(path, sizeof(path), "%s/module/%s", sys, module->name);
	if (stat(path, &st) == 0)
		hash = hash_bytes(hash, &st.st_ino, sizeof(st.st_ino));
	return hash;
}

static int find_modules(const struct names_key_paths *paths, uint64_t *hash_ret)
{
	struct kernel_modules_list list = { 0 };
	int err = kernel_modules_read(paths->proc, &list);

	*hash_ret = HASH_START;
	for (size_t i = 0; i < list.n && !err; i++)
		*hash_ret = add_module(*hash_ret, &list.modules[i], paths->sys);
	free(list.modules);
	return err;
}

int names_key_find(const struct names_key_paths *paths, struct names_key *key_ret)
{
	struct names_key key;
	uint8_t notes[4096];

	memset(&key, 0, sizeof(key));
	int err = find_first_lines(paths->kallsyms, &key.first_lines);
	if (err)
		return err;
	ssize_t n = read_start(paths->proc, "/sys/kernel/random/boot_id", key.boot_id,
			       sizeof(key.boot_id) - 1);
	if (n <= 0)
		return -ENOENT;
	n = read_start(paths->sys, "/kernel/notes", notes, sizeof(notes));
	if (n <= 0 || !elf_notes_build_id(notes, (size_t)n, 4, &key.build_id))
		return -ENOENT;
	err = find_modules(paths, &key.modules);
	if (!err)
		memcpy(key_ret, &key, sizeof(key));
	return err;
}

bool names_key_equal(const struct names_key *a, const struct names_key *b)
{
	return memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id)) == 0 &&
	       build_id_equal_exact(&a->build_id, &b->build_id) && a->modules == b->modules &&
	       a->first_lines == b->first_lines;
}
