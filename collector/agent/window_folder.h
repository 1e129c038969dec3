/*
 * The folder of an agent: profiles of windows, and of sums of them, each under the name of its time
 * (collector/agent/window_name.h), and files that are being written under names that end in .tmp.
 *
 * A profile gets its name when it is whole and on the disk, so a folder has whole profiles at all
 * times. It belongs to one user alone, because it has paths and names of all users' programs.
 */
#ifndef COLLECTOR_AGENT_WINDOW_FOLDER_H
#define COLLECTOR_AGENT_WINDOW_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/agent/window_name.h"

struct window_folder {
	const char *path; /* borrowed */
	int fd;
	int lock_fd;
	unsigned n_created; /* of temporary files, for their names */
	size_t n_cleaned;   /* of temporary files of an agent that was killed */
};

struct window_file {
	char name[WINDOW_NAME_MAX];
	struct time_span span;
	uint64_t size; /* bytes on the disk */
};

/* Sorted by begin, longer ones first. */
struct window_list {
	struct window_file *files; /* owned */
	size_t n;
};

/*
 * Opens the folder for the agent, which is the only one: makes it with mode 0700 if it is not
 * there, and removes what an agent left half written. 0, or -errno with *@error_ret: a sentence for
 * the user, to free.
 */
int window_folder_open(struct window_folder *folder, const char *path, char **error_ret);
void window_folder_close(struct window_folder *folder);

#define TEMPORARY_NAME_MAX 32

/* A new file, to write. Its descriptor, or -errno. */
int window_folder_create(struct window_folder *folder, char name_ret[TEMPORARY_NAME_MAX]);
/* Gives a file that is whole, @fd, the name of its time, or if there is such a file, of a
 * millisecond later. 0 or -errno. */
int window_folder_keep(struct window_folder *folder, int fd, const char *name,
		       const struct time_span *span, char kept_ret[WINDOW_NAME_MAX]);
void window_folder_remove(struct window_folder *folder, const char *name);

/* 0 or -errno. */
int window_folder_list(int folder_fd, struct window_list *list_ret);
void window_list_deinit(struct window_list *list);

#endif
