/*
 * Where a module's file may be found and read now: what a recording carries of it, and the
 * processes and files of the machine that reads the recording. No part of a module's identity; a
 * profile that is stored has none of it.
 */
#ifndef CCT_MODEL_LOCATED_FILE_H
#define CCT_MODEL_LOCATED_FILE_H

#include <stdint.h>

struct file_search;

struct located_file {
	int image_fd; /* captured bytes, a file to read; -1 if none; owned */
	/*
	 * Opened where the module's path does not lead to it, checked like it:
	 * /proc/PID/map_files/... of a process that lives. NULL: not known. Owned.
	 */
	char *alternative_path;
	/*
	 * "/proc/PID/root" of a process that has it mapped: the file, and what belongs to it, may
	 * be there while the process lives. NULL: not known. Owned.
	 */
	char *root;
	struct file_search *files; /* borrowed; NULL: this machine's */
	uint64_t mapped_ns; /* when it was first mapped, as the recording counts; 0: not known */
	int64_t mapped;     /* the same in seconds since 1970, or later; 0: not known */
};

/* @files: borrowed; NULL: this machine's. */
void located_file_init(struct located_file *file, struct file_search *files);
void located_file_deinit(struct located_file *file);

#endif
