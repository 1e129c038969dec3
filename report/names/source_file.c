#include "report/names/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/pair_map.h"

#define TAB_WIDTH 8
/* Text contains no zero bytes. This much of a file is checked for them. */
#define PROBE_SIZE 8192

static int read_whole(int fd, size_t size, struct source_file *file, size_t *size_ret)
{
	size_t at = 0;

	file->text = malloc(size + 1);
	if (!file->text)
		return -ENOMEM;
	while (at < size) {
		ssize_t n = read(fd, file->text + at, size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	file->text[at] = '\0';
	*size_ret = at;
	return 0;
}

static uint32_t count_lines(const char *text, size_t size)
{
	uint32_t n_lines = 0;

	for (const char *at = text; at < text + size; n_lines++) {
		const char *end = memchr(at, '\n', (size_t)(text + size - at));

		at = end ? end + 1 : text + size;
	}
	return n_lines;
}

static int index_lines(struct source_file *file, size_t size)
{
	uint32_t at = 0;

	file->n_lines = count_lines(file->text, size);
	file->starts = calloc((size_t)file->n_lines + 1, sizeof(*file->starts));
	if (!file->starts)
		return -ENOMEM;
	for (uint32_t i = 0; i < file->n_lines; i++) {
		const char *end = memchr(file->text + at, '\n', size - at);

		file->starts[i] = at;
		at = end ? (uint32_t)(end - file->text) + 1 : (uint32_t)size;
	}
	file->starts[file->n_lines] = at;
	return 0;
}

int source_file_read(struct source_file *file, const char *path)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	size_t size;

	*file = (struct source_file){ .problem = NULL };
	if (fd < 0 || fstat(fd, &status)) {
		file->problem = errno == EACCES ? "not readable" : "missing";
		return 0;
	}
	if (!S_ISREG(status.st_mode))
		file->problem = "not a regular file";
	else if ((uint64_t)status.st_size > SOURCE_FILE_MAX_SIZE)
		file->problem = "too large";
	if (file->problem)
		return 0;
	file->modified = status.st_mtim;
	int err = read_whole(fd, (size_t)status.st_size, file, &size);
	if (err)
		return err;
	if (memchr(file->text, '\0', size < PROBE_SIZE ? size : PROBE_SIZE)) {
		file->problem = "not text";
		return 0;
	}
	return index_lines(file, size);
}

void source_file_free(struct source_file *file)
{
	free(file->text);
	free(file->starts);
}

void source_file_line(const struct source_file *file, uint32_t number,
		      char line[SOURCE_LINE_MAX_SIZE])
{
	const char *at, *end;
	size_t size = 0;

	line[0] = '\0';
	if (file->problem || !number || number > file->n_lines)
		return;
	at = file->text + file->starts[number - 1];
	end = file->text + file->starts[number];
	while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	for (; at < end && size + TAB_WIDTH < SOURCE_LINE_MAX_SIZE; at++) {
		size_t width = *at == '\t' ? TAB_WIDTH - size % TAB_WIDTH : 1;

		memset(line + size, *at == '\t' || !*at ? ' ' : *at, width);
		size += width;
	}
	line[size] = '\0';
}

struct source_files {
	const char *const *moved;
	size_t n_moved;
	struct pair_map by_path;
	struct source_file **files; /* separate allocations, because callers keep pointers */
	uint32_t n_files;
};

struct source_files *source_files_create(const char *const *moved, size_t n_moved)
{
	struct source_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->moved = moved;
	files->n_moved = n_moved;
	return files;
}

void source_files_destroy(struct source_files *files)
{
	if (!files)
		return;
	for (uint32_t i = 0; i < files->n_files; i++) {
		source_file_free(files->files[i]);
		free(files->files[i]);
	}
	free(files->files);
	pair_map_deinit(&files->by_path);
	free(files);
}

/* Writes the new path of a moved file to @buffer. False: @path was not moved. */
static bool find_moved(const struct source_files *files, const char *path, char buffer[PATH_MAX])
{
	for (size_t i = 0; i < files->n_moved; i++) {
		const char *equals = strchr(files->moved[i], '=');
		size_t size = equals ? (size_t)(equals - files->moved[i]) : 0;
		int n;

		if (!equals || strncmp(path, files->moved[i], size) != 0)
			continue;
		n = snprintf(buffer, PATH_MAX, "%s%s", equals + 1, path + size);
		if (n > 0 && n < PATH_MAX)
			return true;
	}
	return false;
}

static int add_file(struct source_files *files, const char *path)
{
	char moved[PATH_MAX];

	if (array_reserve_one(files->files, files->n_files))
		return -ENOMEM;
	struct source_file *file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	int err = source_file_read(file, find_moved(files, path, moved) ? moved : path);
	if (err) {
		source_file_free(file);
		free(file);
		return err;
	}
	files->files[files->n_files++] = file;
	return 0;
}

const struct source_file *source_files_get(struct source_files *files, const char *path)
{
	uint32_t index = pair_map_find(&files->by_path, (uintptr_t)path, 0);

	if (index == PAIR_MAP_NONE) {
		index = files->n_files;
		if (add_file(files, path) ||
		    pair_map_add(&files->by_path, (uintptr_t)path, 0, index))
			return NULL;
	}
	return files->files[index];
}
