/* Artificial trees of sysfs, each in a separate folder. */
#ifndef TESTS_UNIT_SYSFS_TREE_H
#define TESTS_UNIT_SYSFS_TREE_H

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @path: below bus/event_source/devices. */
struct sysfs_file {
	const char *path, *text;
};

static inline int sysfs_tree_remove(const char *path, const struct stat *status, int type,
				    struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void sysfs_tree_destroy(char *root)
{
	nftw(root, sysfs_tree_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(root);
}

static inline void sysfs_tree_write(const char *root, const char *path, const char *text,
				    size_t length)
{
	char full[PATH_MAX];
	snprintf(full, sizeof(full), "%s/bus/event_source/devices/%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	FILE *file = fopen(full, "we");
	if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
		abort();
}

static inline char *sysfs_tree_create(const struct sysfs_file *files, size_t n_files)
{
	char pattern[] = "/tmp/dendro-sysfs-XXXXXX";
	if (!mkdtemp(pattern))
		abort();
	for (size_t i = 0; i < n_files; i++)
		sysfs_tree_write(pattern, files[i].path, files[i].text, strlen(files[i].text));
	return strdup(pattern);
}

#endif
