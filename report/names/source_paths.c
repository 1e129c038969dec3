#include "report/names/source_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"

struct source_paths {
	struct pair_map by_address; /* addresses of file name and folder -> id */
	struct pair_map by_text;    /* (hash, number of earlier paths with it) -> id */
	char **paths;
	uint32_t n_paths, n_allocated;
};

struct source_paths *source_paths_create(void)
{
	return calloc(1, sizeof(struct source_paths));
}

void source_paths_destroy(struct source_paths *paths)
{
	if (!paths)
		return;
	for (uint32_t i = 0; i < paths->n_paths; i++)
		free(paths->paths[i]);
	free(paths->paths);
	pair_map_deinit(&paths->by_address);
	pair_map_deinit(&paths->by_text);
	free(paths);
}

/*
 * The start of the last folder of @path, which has @size bytes; @size if ".." cannot remove a
 * folder.
 */
static size_t folder_above(const char *path, size_t size)
{
	size_t start = size;

	while (start && path[start - 1] != '/')
		start--;
	if (start == size || (size - start == 2 && memcmp(path + start, "..", 2) == 0))
		return size;
	return start;
}

/* Removes "//", "." and, if a folder is before it, ".." from the path, in place. */
static void normalize(char *path)
{
	bool is_absolute = path[0] == '/';
	const char *from = path;
	size_t size = 0;

	while (*from) {
		size_t part = strcspn(from, "/");

		if (part == 2 && memcmp(from, "..", 2) == 0) {
			size_t end = size && path[size - 1] == '/' ? size - 1 : size;
			size_t start = folder_above(path, end);

			if (start < end || (is_absolute && size == 1)) {
				size = start < end ? start : size;
				from += from[part] ? part + 1 : part;
				continue;
			}
		}
		bool is_dropped = (part == 0 && size) || (part == 1 && *from == '.');
		size_t kept = from[part] ? part + 1 : part;
		if (!is_dropped) {
			memmove(path + size, from, kept);
			size += kept;
		}
		from += kept;
	}
	path[size] = '\0';
}

static char *join(const char *directory, const char *file)
{
	char *path;

	if (!directory || file[0] == '/')
		return strdup(file);
	return asprintf(&path, "%s/%s", directory, file) < 0 ? NULL : path;
}

/* Takes over @path. */
static int add_path(struct source_paths *paths, char *path, uint32_t *id_ret)
{
	if (array_reserve(paths->paths, paths->n_paths, paths->n_allocated, 1)) {
		free(path);
		return -ENOMEM;
	}
	*id_ret = paths->n_paths;
	paths->paths[paths->n_paths++] = path;
	return 0;
}

/* Takes over @path. */
static int intern_text(struct source_paths *paths, char *path, uint32_t *id_ret)
{
	uint64_t hash = hash_text(HASH_START, path);

	for (uint64_t n_others = 0;; n_others++) {
		uint32_t id = pair_map_find(&paths->by_text, hash, n_others);

		if (id == PAIR_MAP_NONE) {
			int err = add_path(paths, path, id_ret);
			return err ? err : pair_map_add(&paths->by_text, hash, n_others, *id_ret);
		}
		if (strcmp(paths->paths[id], path) == 0) {
			free(path);
			*id_ret = id;
			return 0;
		}
	}
}

int source_paths_intern(struct source_paths *paths, const char *directory, const char *file,
			uint32_t *id_ret)
{
	char *path;
	int err;

	*id_ret = pair_map_find(&paths->by_address, (uintptr_t)file, (uintptr_t)directory);
	if (*id_ret != PAIR_MAP_NONE)
		return 0;
	path = join(directory, file);
	if (!path)
		return -ENOMEM;
	normalize(path);
	err = intern_text(paths, path, id_ret);
	return err ? err
		   : pair_map_add(&paths->by_address, (uintptr_t)file, (uintptr_t)directory,
				  *id_ret);
}

const char *source_paths_get(const struct source_paths *paths, uint32_t id)
{
	return paths->paths[id];
}

const char *source_path_tail(const char *path, size_t max_size)
{
	const char *tail = path;

	while (strlen(tail) > max_size) {
		const char *slash = strchr(tail, '/');

		if (!slash || !slash[1])
			break;
		tail = slash + 1;
	}
	return tail;
}
