/*
 * Finds a file that a process has mapped: at its path, through the mapping, or below the roots of
 * processes. Paths may lead to another file by now, and processes may have exited and their pids be
 * used again, so each file is verified: the build ID decides, or else device and inode.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_MAPPED_FILE_H
#define COLLECTOR_RECORD_OBSERVERS_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cct/model/build_id.h"

struct mapped_file {
	char *path;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	struct build_id key_id;   /* from the mapping; size 0: known by inode */
	struct build_id build_id; /* from the file */
	/* The file that the path led to when it was checked. */
	dev_t found_dev;
	ino_t found_inode;
	/* The latest process that was seen with the file, and its mapping. */
	pid_t pid;
	uint64_t start, end;
};

/* The number of processes with another root, where a file may be found after its own process has
 * exited. */
#define OTHER_ROOTS_MAX 8u

struct other_roots {
	pid_t pids[OTHER_ROOTS_MAX]; /* a circular list of the latest; 0: unused */
	size_t next;
};

/* Whether the path leads to the file from here. Sets build_id, found_dev and found_inode. */
bool mapped_file_is_at_path(struct mapped_file *file);
/* Opens the file although the path does not lead to it from here, and adds its process to @roots. A
 * descriptor; -ENODEV: not a regular file; or another -errno. */
int mapped_file_open(struct mapped_file *file, struct other_roots *roots);

#endif
