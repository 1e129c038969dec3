/* The file that a command writes its result to. */
#ifndef COLLECTOR_FILES_RESULT_FILE_H
#define COLLECTOR_FILES_RESULT_FILE_H

#include <stdio.h>

#include "collector/command-line/file_options.h"

/*
 * Opens the file @path for writing anywhere, and empties it; standard output if @path is NULL or
 * "-". A file that is one of the inputs itself is refused, and stays as it is. NULL after a
 * message. @files: who opens it.
 */
FILE *result_file_open(const struct file_options *files, const char *command, const char *path,
		       const char *const *inputs, size_t n_inputs);
/* Closes it, after @err or 0 from what wrote to it. 0, or another value after a message. */
int result_file_close(FILE *file, const char *command, const char *path, int err);

#endif
